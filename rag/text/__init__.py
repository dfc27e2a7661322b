"""Words, names and sentences of plain text, and the files it comes from."""
