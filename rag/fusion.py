"""One score per abstract from its dense and lexical scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

DENSE_WEIGHT = 3.0

Vector = NDArray[np.float64]


def standardise(values: Vector) -> Vector:
    """Mean 0, standard deviation 1; all zero where all values are equal."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def fuse(dense: Mapping[str, float], lexical: Mapping[str, float]) -> dict[str, float]:
    """`z(lexical) + DENSE_WEIGHT * z(dense)` over the candidates of `dense`; no lexical match counts 0 before z."""
    ids = list(dense)
    d = np.array([dense[i] for i in ids])
    x = np.array([lexical.get(i, 0.0) for i in ids])
    fused = standardise(x) + DENSE_WEIGHT * standardise(d)
    return dict(zip(ids, fused.tolist(), strict=True))
