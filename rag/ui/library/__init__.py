"""The library page: what is on the shelf, a map of it, and how more gets there."""
