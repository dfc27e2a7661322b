"""Footnote: ask a shelf of paper abstracts; every sentence of the answer carries a checked footnote.

from rag import Question, ask, open_library, search

library = open_library(home="data")
answer = ask(library, Question("Does retrieval help small models more than large ones?"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.answer import ask, stream
    from rag.library import open_library
    from rag.retrieve import search
    from rag.types import Filters, Question

__all__ = ["Filters", "Question", "ask", "open_library", "search", "stream"]

_HOMES = {
    "Filters": "rag.types",
    "Question": "rag.types",
    "ask": "rag.answer",
    "open_library": "rag.library",
    "search": "rag.retrieve",
    "stream": "rag.answer",
}


def __getattr__(name: str) -> Any:
    """Imported at first use: `python -m rag --help` imports this package and must stay quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rag' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
