"""What a shelf is examined for; each file looks at one side of it."""
