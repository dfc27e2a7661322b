"""What the readers share: files opened, told apart and taken to pieces."""
