"""The steps by which a reply becomes text with markers: see `rag.citations`."""
