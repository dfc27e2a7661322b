"""What the product is measured against, computed in the same run on the same index."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.catalogue import Matrix
from rag.library import Library
from rag.ranking.lexical import WEIGHTS, match_expression, terms

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
    words = terms(query)
    if not words:
        return []
    rows = library.catalogue.connection.execute(
        "SELECT a.id FROM lexical JOIN abstract AS a ON a.key = lexical.rowid WHERE lexical MATCH ? AND a.stored = 1 "
        "ORDER BY bm25(lexical, ?, ?, ?), lexical.rowid LIMIT ?",
        [match_expression(words), *WEIGHTS, DEPTH],
    )
    return [identity for (identity,) in rows]


def reciprocal_rank_fusion(rankings: Sequence[Sequence[str]]) -> list[str]:
    """The sum over the rankings of 1 / (RRF_K + rank), best first."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, identity in enumerate(ranking, 1):
            scores[identity] = scores.get(identity, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda identity: -scores[identity])[:DEPTH]
