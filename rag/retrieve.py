"""From a query to the abstracts that fit it best: candidates from both stores, one exact score each, fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rag import filters as filtering
from rag import lexical
from rag.catalogue import Matrix
from rag.errors import IndexUnusableError
from rag.fusion import fuse
from rag.library import Library
from rag.types import Filters, Hit, Passage, Ranks, Span

DENSE_CANDIDATES = 300
"""Passages asked of the vector store."""
BEST_SENTENCES = 2
LEXICAL_CANDIDATES = 200
"""Abstracts asked of the full-text index."""


def search(library: Library, query: str, k: int = 10, filters: Filters = Filters()) -> list[Hit]:
    """The best `k` abstracts for a query, best first; fewer where index or filter leave fewer.

    The same query over the same index gives the same order in every process: ties go to what was stored first.
    Raises IndexUnusableError for an empty index and SettingsError for a filter that cannot be read.
    """
    vector = library.embedder.embed_query(query)
    return search_vector(library, query, vector, k, filters)


def search_vector(library: Library, query: str, vector: Matrix, k: int, filters: Filters = Filters()) -> list[Hit]:
    """`search` with the query's embedding given."""
    catalogue = library.catalogue
    if catalogue.counts()[0] == 0:
        raise IndexUnusableError(f"The index in {library.settings.home} is empty.", "Fill it: python -m ingest FILE.")
    allowed = filtering.allowed(catalogue, filters)
    if allowed == []:
        return []
    by_words = dict(lexical.search(catalogue, query, LEXICAL_CANDIDATES, allowed))
    near = library.nearest(vector, DENSE_CANDIDATES, _passage_ids(library, allowed))
    candidates = list(dict.fromkeys([*(i.rpartition("#")[0] for i, _ in near), *by_words]))
    vectors = catalogue.vectors(candidates, library.index)
    cosines = {identity: vectors[identity].passages @ vector for identity in candidates if identity in vectors}
    return _hits(library, cosines, by_words, k)


def _passage_ids(library: Library, allowed: list[str] | None) -> list[str] | None:
    if allowed is None:
        return None
    return [passage.id for some in library.catalogue.passages(allowed).values() for passage in some]


def _hits(library: Library, cosines: Mapping[str, Matrix], by_words: Mapping[str, float], k: int) -> list[Hit]:
    dense = {identity: dense_score(values) for identity, values in cosines.items()}
    fused = fuse(dense, by_words)
    order = {identity: n for n, identity in enumerate(library.catalogue.in_order(fused))}
    best = sorted(fused, key=lambda i: (-round(fused[i], 9), order[i]))[:k]
    dense_rank, lexical_rank = _ranks(dense), _ranks(by_words)
    abstracts, passages = library.catalogue.many(best), library.catalogue.passages(best)
    return [
        Hit(
            abstracts[identity],
            fused[identity],
            Ranks(dense_rank.get(identity), lexical_rank.get(identity)),
            _span(passages[identity], cosines[identity]),
            float(cosines[identity].max()),
        )
        for identity in best
    ]


def dense_score(cosines: Matrix) -> float:
    """Cosine of the whole abstract plus the mean of its two best sentences' (of fewer where it has fewer)."""
    best = np.sort(cosines[1:])[-BEST_SENTENCES:] if len(cosines) > 1 else cosines
    return float(cosines[0] + best.mean())


def _span(passages: list[Passage], cosines: Matrix) -> Span:
    # A sentence says more about where the match is than the whole does.
    best = int(np.argmax(cosines[1:])) + 1 if len(cosines) > 1 else 0
    return Span(passages[best].start, passages[best].end)


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    ordered: Iterable[str] = sorted(scores, key=lambda i: -scores[i])
    return {identity: rank for rank, identity in enumerate(ordered, 1)}
