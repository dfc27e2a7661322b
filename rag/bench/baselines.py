"""What the product is measured against, computed in the same run on the same index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.catalogue import Matrix
from rag.lexical import search as by_words
from rag.library import Library

DEPTH = 100
"""Abstracts in each ranking."""
RRF_K = 60
"""Cormack et al. 2009."""


class OneVector:
    """One vector per abstract, all compared: what a stock pipeline over a vector store ranks by."""

    def __init__(self, library: Library) -> None:
        self._ids = library.catalogue.ids()
        vectors = library.catalogue.vectors(self._ids, library.index)
        self._ids = [identity for identity in self._ids if identity in vectors]
        self._matrix = np.stack([vectors[identity].passages[0] for identity in self._ids])

    def rank(self, vector: Matrix) -> list[str]:
        """Ids, best first."""
        cosines = self._matrix @ vector
        return [self._ids[n] for n in np.argsort(-cosines, kind="stable")[:DEPTH]]


def full_text(library: Library, query: str) -> list[str]:
    """FTS5's bm25 alone, best first."""
    return [identity for identity, _ in by_words(library.catalogue, query, DEPTH)]


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]]) -> list[str]:
    """The sum over the rankings of 1 / (RRF_K + rank), best first."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, identity in enumerate(ranking, 1):
            scores[identity] = scores.get(identity, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda identity: -scores[identity])[:DEPTH]
