"""Draft cases for evaluation, made from the shelf's own abstracts for a person to check."""
