"""The embedders that `rag.embedding` chooses from."""
