"""The chat in the browser: pages and how values look on them. No retrieval and no prompt text here."""
