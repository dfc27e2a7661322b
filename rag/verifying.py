"""Verdicts for the sentences of a model's answer, against the text that was sent."""

from __future__ import annotations

from collections.abc import Sequence

from rag.citations import Marked, sentences_of
from rag.library import Library
from rag.packing import Sent
from rag.quotes import Candidate
from rag.types import Sentence


def checked_sentences(
    library: Library, marked: Marked, sent: Sequence[Sent], candidates: Sequence[Candidate]
) -> tuple[Sentence, ...]:
    """The sentences of an answer with their markers and verdicts."""
    return tuple(Sentence(text, numbers) for text, numbers in sentences_of(marked.text))
