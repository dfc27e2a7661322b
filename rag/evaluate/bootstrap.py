"""95 % intervals of means by resampling cases."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

SEED = 7
ROUNDS = 2000
LEVEL = 0.95
DIGITS = 6


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Percentile bootstrap of the mean (Efron 1979); None below two values, which say nothing about their spread.

    Equal values give equal bounds: the method cannot see what it has never met.
    """
    if len(values) < 2:
        return None
    import numpy as np
    from scipy.stats import bootstrap

    data = np.asarray(values, np.float64)
    if (data == data[0]).all():
        return round(float(data[0]), DIGITS), round(float(data[0]), DIGITS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = bootstrap(
            (data,),
            np.mean,
            n_resamples=ROUNDS,
            confidence_level=LEVEL,
            method="percentile",
            rng=np.random.default_rng(SEED),
            batch=max(1, 2_000_000 // len(data)),
        ).confidence_interval
    return round(float(found.low), DIGITS), round(float(found.high), DIGITS)
