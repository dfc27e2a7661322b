"""Hits with their sentences, as answers are made from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.library import Library
from rag.quotes import Candidate
from rag.sentences import split
from rag.types import Hit


def candidates_of(library: Library, hits: Sequence[Hit]) -> list[Candidate]:
    """A candidate for each hit, with the vectors that were kept of its sentences."""
    vectors = library.catalogue.vectors([hit.abstract.id for hit in hits], library.index)
    return [_candidate(hit, vectors[hit.abstract.id].sentences) for hit in hits if hit.abstract.id in vectors]


def _candidate(hit: Hit, sentences: np.ndarray) -> Candidate:
    return Candidate(hit, tuple(split(hit.abstract.text)), sentences)
