"""Vectors in the plane: alike ones near each other, told apart by topic."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

COMPONENTS = 30
"""Principal components that clusters are looked for in: more hold mostly noise."""
MOST_TOPICS = 10
"""Topics that colours can tell apart."""
STARTS = 4
FITTED = 3000
"""Vectors, evenly spread over a large shelf, that axes and clusters are fitted to; the others are placed by them."""


class Projection(NamedTuple):
    """`points`: n x 2, within -1..1; `topics`: the cluster of each, 0 the largest."""

    points: Matrix
    topics: NDArray[np.int64]


def project(vectors: Matrix) -> Projection:
    """Place unit vectors (rows, at least one) in the plane; the same for the same vectors.

    k-means over principal components gives topics; the plane is the one in which topics lie furthest apart, measured
    by the spread within them (linear discriminant analysis).
    """
    fitted = np.unique(np.linspace(0, len(vectors) - 1, min(len(vectors), FITTED)).astype(np.int64))
    components = _principal(vectors, fitted)
    centres = _centres(components[fitted], _how_many(len(vectors)))
    topics = _by_size(_nearest(components, centres))
    return Projection(_scaled(components @ _separating(components, topics)), topics)


def _how_many(count: int) -> int:
    return max(1, min(MOST_TOPICS, round(math.sqrt(count / 8))))


def _principal(vectors: Matrix, fitted: NDArray[np.int64]) -> Matrix:
    centred = vectors - vectors[fitted].mean(axis=0)
    _, axes = np.linalg.eigh(centred[fitted].T @ centred[fitted])
    found: Matrix = centred @ axes[:, ::-1][:, :COMPONENTS]
    return found


def _centres(points: Matrix, count: int) -> Matrix:
    """Centres of clusters: the best of some starts of k-means."""
    from scipy.cluster.vq import kmeans2

    best: Matrix = points.mean(axis=0, keepdims=True)
    least = math.inf
    for start in range(STARTS if count > 1 else 0):
        centres, labels = kmeans2(points, count, iter=40, minit="++", missing="warn", rng=np.random.default_rng(start))
        spread = float(((points - centres[labels]) ** 2).sum())
        if spread < least:
            best, least = centres, spread
    return best


def _nearest(points: Matrix, centres: Matrix) -> NDArray[np.int64]:
    distances = (centres**2).sum(axis=1) - 2 * points @ centres.T
    nearest: NDArray[np.int64] = distances.argmin(axis=1).astype(np.int64)
    return nearest


def _by_size(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The labels renumbered without gaps, 0 for the largest group."""
    found, places, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    ranks = np.empty(len(found), np.int64)
    ranks[order] = np.arange(len(found))
    return ranks[places]


def _separating(points: Matrix, topics: NDArray[np.int64]) -> Matrix:
    """Two axes, as columns: those that tell topics apart; principal ones where there are too few topics."""
    from scipy.linalg import eigh

    width = points.shape[1]
    plain: Matrix = np.eye(width, min(2, width), dtype=points.dtype)
    count = int(topics.max()) + 1
    if count <= 2 or width < 2:
        return plain
    centres = np.stack([points[topics == topic].mean(axis=0) for topic in range(count)])
    sizes = np.bincount(topics)
    inner = points - centres[topics]
    within = inner.T @ inner / len(points)
    between = (centres * sizes[:, None]).T @ centres / len(points)
    # Part of the overall spread keeps directions with hardly any spread of their own from deciding.
    ridge = np.eye(width) * np.trace(within) / width
    _, axes = eigh(between, within + ridge)
    found: Matrix = axes[:, ::-1][:, :2].astype(points.dtype)
    return found


def _scaled(points: Matrix) -> Matrix:
    if points.shape[1] < 2:
        points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    largest = np.abs(points).max(axis=0)
    scaled: Matrix = (points / np.where(largest > 0, largest, 1)).astype(np.float32)
    return scaled
