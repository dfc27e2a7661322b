"""What `rag.verify` measures between a claim and the sentences that should carry it."""
