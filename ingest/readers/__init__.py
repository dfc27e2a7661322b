"""One file per format: bytes of a file -> raw records, each with its place."""
