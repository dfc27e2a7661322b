"""Whether a model answers at all."""

from __future__ import annotations

from rag.config import Settings
from rag.llm import Message, make_llm

PROBE = "Reply with the word OK."


def probe(settings: Settings) -> str | None:
    """One line about the answer of the model that the settings name; None where they name none. Raises LLMError."""
    llm = make_llm(settings)
    if llm is None:
        return None
    try:
        reply = llm.complete([Message("user", PROBE)])
    finally:
        llm.close()
    return f"{llm.model} at {llm.server} answered: {' '.join(reply.text.split())[:80]}"
