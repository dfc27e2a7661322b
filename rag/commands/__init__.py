"""The commands of `python -m rag`, by what they are for. Each imports what is heavy itself."""
