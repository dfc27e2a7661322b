"""Ranking metrics per query by ir-measures, and intervals by bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

MEASURES = ("nDCG@10", "R@10", "R@100", "RR")
ROUNDS = 2000
SEED = 7

PerQuery = dict[str, NDArray[np.float64]]


def score(rankings: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, int]]) -> PerQuery:
    """Each measure's value for every judged query, in the order of `judged`; a missed query counts 0."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    grades = [ir_measures.Qrel(q, d, grade) for q, some in judged.items() for d, grade in some.items()]
    run = [
        ir_measures.ScoredDoc(q, d, float(-rank))
        for q, some in rankings.items()
        for rank, d in enumerate(some)
        if q in judged
    ]
    place = {query: n for n, query in enumerate(judged)}
    values = {name: np.zeros(len(place)) for name in MEASURES}
    for metric in ir_measures.iter_calc(measures, grades, run):
        values[str(metric.measure)][place[metric.query_id]] = metric.value
    return values


def difference(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[float, float]:
    """Mean of `one - other` over the same queries, and the half-width of its 95 % interval (paired bootstrap)."""
    deltas = one - other
    draws = np.random.default_rng(SEED).integers(0, len(deltas), (ROUNDS, len(deltas)))
    low, high = np.quantile(deltas[draws].mean(axis=1), [0.025, 0.975])
    return float(deltas.mean()), float(high - low) / 2
