"""From files of abstracts to the index."""
