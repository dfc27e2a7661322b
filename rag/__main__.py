"""`python -m rag`: the commands are in `rag.commands`."""

from rag.starting import start

if __name__ == "__main__":
    start("rag.commands.app", "python -m rag")
