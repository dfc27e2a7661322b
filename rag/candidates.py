"""Hits with their sentences, as answers are made from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rag.catalogue import Vectors
from rag.library import Library
from rag.quotes import Candidate
from rag.text.sentences import split
from rag.types import Hit, Span

ABSTRACTS = 1024
"""Abstracts whose sentences' places are kept, with their texts some 4 KB each."""


def candidates_of(library: Library, hits: Sequence[Hit]) -> list[Candidate]:
    """A candidate for each hit, with the vectors that were kept of its sentences."""
    vectors = library.catalogue.vectors([hit.abstract.id for hit in hits], library.index)
    return [_candidate(hit, vectors[hit.abstract.id]) for hit in hits if hit.abstract.id in vectors]


@lru_cache(maxsize=ABSTRACTS)
def _spans(text: str) -> tuple[Span, ...]:
    return tuple(split(text))


def _candidate(hit: Hit, vectors: Vectors) -> Candidate:
    return Candidate(hit, _spans(hit.abstract.text), vectors.sentences, vectors.passages[0])
