"""`python -m ingest`: the command is in `ingest.command`."""

from rag.starting import start

if __name__ == "__main__":
    start("ingest.command", "python -m ingest")
