"""What is true of Footnote."""
