"""Footnote's retriever inside a stock LlamaIndex query engine.

    python examples/llamaindex_query.py "What does dense passage retrieval improve on?"

Uses the sample shelf (`make chat` builds it, or: python -m ingest examples/papers.jsonl --home examples/.home) and, in
place of a real model, LlamaIndex's own mock one, so that it runs without a key. Give `llm=` yours.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run from a checkout, not from an installed package

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from rag.library import open_library
from rag.llamaindex import HybridRetriever


def main() -> None:
    """Answer the question on the command line and list the abstracts it drew on."""
    question = " ".join(sys.argv[1:]) or "What does dense passage retrieval improve on?"
    library = open_library(home=Path(__file__).parent / ".home")
    engine = RetrieverQueryEngine.from_args(HybridRetriever(library, top_k=3), llm=MockLLM())
    response = engine.query(question)
    for found in response.source_nodes:
        sys.stdout.write(f"{found.score:6.2f}  {found.node.metadata['title']}\n")
    library.close()


if __name__ == "__main__":
    main()
