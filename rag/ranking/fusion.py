"""One score per abstract from its words, its vectors and its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag.ranking.dense import products

DENSE_WEIGHT = 2.75
NEIGHBOUR_WEIGHT = 0.25
LEADERS = 5
"""Best abstracts whose neighbours gain."""
TEMPERATURE = 1.0
"""Difference in score by which a leader counts e times another."""

Vector = NDArray[np.float64]
Matrix = NDArray[np.float32]


def standardised(values: Vector, population: Vector) -> Vector:
    """In standard deviations of the population from its mean; all zero where the population has one value only."""
    spread = float(population.std()) if len(population) else 0.0
    return (values - population.mean()) / spread if spread > 0 else np.zeros_like(values)


def fuse(lexical: Vector, lexical_all: Vector, dense: Vector, dense_sample: Vector) -> Vector:
    """`z(lexical) + DENSE_WEIGHT * z(dense)` of the candidates, z over the shelf: its candidates are no fair sample."""
    return standardised(lexical, lexical_all) + DENSE_WEIGHT * standardised(dense, dense_sample)


def smoothed(scores: Vector, vectors: Matrix, sample: Matrix) -> Vector:
    """`scores + NEIGHBOUR_WEIGHT * z(vectors . m)`, m the LEADERS' mean, weighed by their scores' softmax.

    Abstracts near the best ones gain (score regularisation; Diaz, "Regularizing query-based retrieval scores",
    Information Retrieval 2007). `vectors`: unit rows of whole abstracts, one a score; `sample`: those of the shelf.
    """
    leaders = np.argsort(-scores, kind="stable")[:LEADERS]
    weights = np.exp((scores[leaders] - scores[leaders].max()) / TEMPERATURE)
    middle = (weights / weights.sum()).astype(np.float32) @ vectors[leaders]
    return scores + NEIGHBOUR_WEIGHT * standardised(products(vectors, middle), products(sample, middle))
