"""The scores that `rag.retrieve` fuses."""
