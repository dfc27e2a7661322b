"""A map of a shelf: where its abstracts lie by meaning, and what its regions are about."""
