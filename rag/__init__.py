"""Footnote: ask a shelf of paper abstracts; every sentence of the answer carries a checked footnote."""
