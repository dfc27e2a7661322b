"""Whether two runs on the same cases differ, and what difference the cases could have shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.evaluate.bootstrap import SEED, interval

RESAMPLES = 9999
LEVEL = 0.05
POWER = 0.8
_NUMBERS_AT_ONCE = 4_000_000
DIGITS = 6

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """`b - a` over `n` pairs. `p` is of the randomisation test, `p_mcnemar` of McNemar's for yes/no values.

    `ci95`, `p` and `smallest` are None below two pairs. `smallest` is the difference that so many pairs, spread as
    these are, show at the 5 % level in 80 % of attempts; None also where no pair differs.
    """

    n: int
    mean_a: float
    mean_b: float
    mean: float
    ci95: tuple[float, float] | None
    p: float | None
    p_mcnemar: float | None
    smallest: float | None

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {**asdict(self), "ci95": None if self.ci95 is None else list(self.ci95)}


def difference(a: Sequence[float], b: Sequence[float], *, yes_no: bool = False) -> Difference:
    """Compare values of the same cases, at least one."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    deltas = second - first
    several = len(deltas) > 1
    return Difference(
        n=len(deltas),
        mean_a=round(float(first.mean()), DIGITS),
        mean_b=round(float(second.mean()), DIGITS),
        mean=round(float(deltas.mean()), DIGITS),
        ci95=interval(deltas.tolist()),
        p=randomisation(deltas) if several else None,
        p_mcnemar=mcnemar(first, second) if yes_no else None,
        smallest=smallest_difference(deltas) if several else None,
    )


def randomisation(deltas: Values) -> float:
    """Two-sided p of the paired randomisation test on the mean (Fisher; Smucker et al., CIKM 2007).

    Every choice of signs where there are at most RESAMPLES of them, else so many random ones.
    """
    changed = deltas[deltas != 0]  # the sign of a zero makes no difference
    if len(changed) < 2:  # one change alone is as likely the other way
        return 1.0
    from scipy.stats import permutation_test

    def total(x: Values, y: Values, axis: int) -> Values:
        return np.asarray(np.sum(x - y, axis=axis), np.float64)

    found = permutation_test(
        (changed, np.zeros_like(changed)),
        total,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, _NUMBERS_AT_ONCE // len(changed)),
        rng=np.random.default_rng(SEED),
    )
    return round(float(found.pvalue), DIGITS)


def mcnemar(a: Values, b: Values) -> float:
    """Exact two-sided p of McNemar's test: of the cases that changed, as many each way (binomial)."""
    gained, lost = int(((a == 0) & (b == 1)).sum()), int(((a == 1) & (b == 0)).sum())
    if gained + lost == 0:
        return 1.0
    from scipy.stats import binomtest

    return round(float(binomtest(gained, gained + lost, 0.5).pvalue), DIGITS)


def smallest_difference(deltas: Values) -> float | None:
    """`(z(1 - LEVEL / 2) + z(POWER)) * sd / sqrt(n)`; None where no pair differs from another."""
    spread = float(deltas.std(ddof=1))
    if spread == 0:
        return None
    from scipy.stats import norm

    return round(float(norm.ppf(1 - LEVEL / 2) + norm.ppf(POWER)) * spread / math.sqrt(len(deltas)), DIGITS)
