"""How quotes are chosen, refused and written down: see `rag.quotes`."""
