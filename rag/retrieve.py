"""From a query to the abstracts that fit it best: candidates from both stores, one exact score each, fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag import filters as filtering
from rag.catalogue import Matrix
from rag.errors import IndexUnusableError
from rag.library import Library
from rag.ranking.dense import PassageVectors, joined
from rag.ranking.fusion import fuse, smoothed
from rag.ranking.snapshot import Snapshot
from rag.ranking.spelling import mended
from rag.rerank import DEPTH, reranked
from rag.types import Filters, Hit, Passage, Ranks, Span

DENSE_CANDIDATES = 200
"""Passages asked of the vector store, as many as its search keeps in view; more where more hits are asked for."""
LEXICAL_CANDIDATES = 100
"""Abstracts taken from the ranking by words; more where more hits are asked for."""

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """`hits`, best first; `query` as it was searched for, its misspelt words mended; `vector`, that query's."""

    hits: list[Hit]
    query: str
    vector: Matrix


def search(library: Library, query: str, k: int = 10, filters: Filters = Filters()) -> list[Hit]:
    """The best `k` abstracts for a query, best first; fewer where index or filter leave fewer.

    The same query over the same index gives the same order in every process: ties go to what was stored first.
    Raises IndexUnusableError for an empty index and SettingsError for a filter that cannot be read.
    """
    return retrieve(library, query, k, filters).hits


def retrieve(
    library: Library, query: str, k: int = 10, filters: Filters = Filters(), others: Sequence[str] = ()
) -> Retrieval:
    """`search`, with what it made of the query; `others` are queries for the same that count as much together.

    Where the settings name a reranker it orders the best DEPTH of them anew.
    """
    shelf = library.snapshot
    if not shelf.ids and library.catalogue.counts()[0] == 0:
        raise IndexUnusableError(f"The index in {library.settings.home} is empty.", "Fill it: python -m ingest FILE.")
    allowed = filtering.allowed(library.catalogue, filters)
    depth = max(k, DEPTH) if others or library.reranker else k
    found = [_retrieved(library, shelf, text, depth, allowed) for text in (query, *others)]
    first = found[0]
    hits = merged([each.hits for each in found])[:depth] if others else first.hits
    if library.reranker:
        hits = reranked(library.reranker, query, hits)
    return replace(first, hits=hits[:k])


def _retrieved(library: Library, shelf: Snapshot, query: str, k: int, allowed: list[str] | None) -> Retrieval:
    searched = mended(shelf.lexical, query)
    # SQLite and the model both work outside of Python: beside the embedding the words cost next to no time.
    by_words = library.beside(lambda: shelf.lexical.scores(searched))
    vector = library.embedder.embed_query(searched)
    hits = [] if allowed == [] else _ranked(library, shelf, by_words.result(), vector, k, allowed)
    return Retrieval(hits, searched, vector)


def merged(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Hits of several queries by their scores, the first query's counting as much as all others' together.

    The scores are all in standard deviations of the shelf; where a query did not find an abstract its lowest stands
    in. The rest of a hit is as the first query that found it has it.
    """
    weights = [1.0, *[1.0 / max(1, len(rankings) - 1)] * (len(rankings) - 1)]
    scores = [{hit.abstract.id: hit.score for hit in ranking} for ranking in rankings]
    hits = {hit.abstract.id: hit for ranking in reversed(rankings) for hit in ranking}
    lowest = [min(found.values(), default=0.0) for found in scores]
    total = {
        identity: sum(w * found.get(identity, low) for w, found, low in zip(weights, scores, lowest, strict=True)) / 2
        for identity in dict.fromkeys(hit.abstract.id for ranking in rankings for hit in ranking)
    }
    best = sorted(total, key=lambda identity: -round(total[identity], 9))
    return [replace(hits[identity], score=total[identity]) for identity in best]


def _ranked(
    library: Library, shelf: Snapshot, by_words: Scores, vector: Matrix, k: int, allowed: list[str] | None
) -> list[Hit]:
    passages = _passage_ids(library, allowed)
    # Chroma works outside of Python: meanwhile all is done that does not wait for its answer.
    nearby = library.beside(lambda: _nearest(library, shelf, vector, k, passages))
    matching = _best_matching(shelf, by_words, allowed)[: max(LEXICAL_CANDIDATES, k)]
    by_lexical = _Candidates.read(library, shelf, matching, vector)
    sample = shelf.sample.scores(shelf.sample.cosines(vector))
    others = np.setdiff1d(nearby.result(), matching)
    candidates = by_lexical.and_also(_Candidates.read(library, shelf, others, vector))
    scores = _scores(shelf, candidates, by_words, sample)
    lexical_ranks = {int(number): rank for rank, number in enumerate(matching, 1)}
    return _hits(library, shelf, candidates, scores, lexical_ranks, k)


def _nearest(library: Library, shelf: Snapshot, vector: Matrix, k: int, passages: list[str] | None) -> Numbers:
    """Numbers of the abstracts with the nearest passages, `k` of them or more where there are as many."""
    limit = max(DENSE_CANDIDATES, k)
    while True:
        near = library.nearest(vector, limit, passages)
        numbers = {shelf.numbers.get(identity.rpartition("#")[0], -1) for identity, _ in near} - {-1}
        if len(numbers) >= k or len(near) < limit:
            return np.fromiter(numbers, np.int64)
        limit *= 4


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Their numbers in the snapshot; their passages' vectors, and the cosines of these with the query."""

    numbers: Numbers
    vectors: PassageVectors
    cosines: Scores

    @classmethod
    def read(cls, library: Library, shelf: Snapshot, numbers: Numbers, vector: Matrix) -> _Candidates:
        """Those of the abstracts that have been embedded."""
        keys, vectors = library.catalogue.passage_vectors(shelf.keys[numbers].tolist(), library.index)
        return cls(np.searchsorted(shelf.keys, keys), vectors, vectors.cosines(vector))

    def and_also(self, others: _Candidates) -> _Candidates:
        """These, and others after them."""
        return _Candidates(
            np.concatenate([self.numbers, others.numbers]),
            joined([self.vectors, others.vectors]),
            np.concatenate([self.cosines, others.cosines]),
        )

    @cached_property
    def dense(self) -> Scores:
        return self.vectors.scores(self.cosines)

    def order(self, scores: Scores) -> Numbers:
        """Places by score, best first; of equals what was stored first.

        Rounded, so that the last bits of a sum do not order equals.
        """
        return np.lexsort((self.numbers, -np.round(scores, 9)))


def _best_matching(shelf: Snapshot, scores: Scores, allowed: list[str] | None) -> Numbers:
    """Numbers of the abstracts that hold words of the query, best first, ties in order of storing."""
    if allowed is None:
        matching = np.flatnonzero(scores)
    else:
        known = np.array([shelf.numbers[i] for i in allowed if i in shelf.numbers], np.int64)
        matching = np.sort(known[scores[known] > 0])
    return matching[np.argsort(-scores[matching], kind="stable")]


def _passage_ids(library: Library, allowed: list[str] | None) -> list[str] | None:
    if allowed is None:
        return None
    return [passage.id for some in library.catalogue.passages(allowed).values() for passage in some]


def _scores(shelf: Snapshot, candidates: _Candidates, by_words: Scores, sample: Scores) -> Scores:
    if not len(candidates.numbers):
        return np.zeros(0)
    fused = fuse(by_words[candidates.numbers], by_words, candidates.dense, sample)
    return smoothed(fused, candidates.vectors.wholes, shelf.sample.wholes)


def _hits(
    library: Library,
    shelf: Snapshot,
    candidates: _Candidates,
    scores: Scores,
    lexical_ranks: dict[int, int],
    k: int,
) -> list[Hit]:
    best = candidates.order(scores)[:k].tolist()
    ids = [shelf.ids[candidates.numbers[place]] for place in best]
    abstracts, passages = library.catalogue.many(ids), library.catalogue.passages(ids)
    dense_ranks = np.argsort(candidates.order(candidates.dense)) + 1
    found = []
    for place, identity in zip(best, ids, strict=True):
        cosines = candidates.vectors.of(place, candidates.cosines)
        ranks = Ranks(int(dense_ranks[place]), lexical_ranks.get(int(candidates.numbers[place])))
        span = _span(passages[identity], cosines)
        found.append(Hit(abstracts[identity], float(scores[place]), ranks, span, float(cosines.max())))
    return found


def _span(passages: list[Passage], cosines: Scores) -> Span:
    # A sentence says more about where the match is than the whole does.
    best = int(np.argmax(cosines[1:])) + 1 if len(cosines) > 1 else 0
    return Span(passages[best].start, passages[best].end)
