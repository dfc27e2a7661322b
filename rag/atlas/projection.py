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
_SEED = 20


class Projection(NamedTuple):
    """`points`: n x 2, within -1..1; `topics`: the cluster of each, 0 the largest."""

    points: Matrix
    topics: NDArray[np.int64]


def project(vectors: Matrix) -> Projection:
    """Place unit vectors (rows, at least one) in the plane; the same for the same vectors.

    k-means over principal components gives topics; the plane is the one in which topics lie furthest apart, measured
    by the spread within them (linear discriminant analysis).
    """
    components = _principal(vectors)
    topics = _clusters(components, _how_many(len(vectors)))
    return Projection(_scaled(components @ _separating(components, topics)), topics)


def _how_many(count: int) -> int:
    return max(1, min(MOST_TOPICS, round(math.sqrt(count / 8))))


def _principal(vectors: Matrix) -> Matrix:
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    found: Matrix = centred @ axes[:, ::-1][:, :COMPONENTS]
    return found


def _clusters(points: Matrix, count: int) -> NDArray[np.int64]:
    """The best of some starts of k-means, renumbered by size."""
    from scipy.cluster.vq import kmeans2

    best, least = np.zeros(len(points), np.int64), math.inf
    for start in range(STARTS if count > 1 else 0):
        centres, labels = kmeans2(points, count, iter=40, minit="++", missing="warn", rng=np.random.default_rng(start))
        spread = float(((points - centres[labels]) ** 2).sum())
        if spread < least:
            best, least = labels.astype(np.int64), spread
    order = np.argsort(-np.bincount(best, minlength=count), kind="stable")
    return np.argsort(order)[best]


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
