"""How far a judge agrees with people, beyond what chance would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.evaluate.bootstrap import ROUNDS, SEED

DIGITS = 6
MOST_UNDEFINED = 0.05
"""Share of resamples without a kappa above which there is no interval."""

Pair = tuple[bool, bool]
"""What a person and the judge said: whether the claim is supported."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """`kappa` is Cohen's, None where one side says the same of all; `ci95` its 95 % interval by bootstrap over claims.

    `precision` and `recall` are those of the judge's "supported"; None without any. `unscored` were not judged.
    `confusion` counts (label, verdict).
    """

    n: int
    unscored: int
    agreement: float | None
    kappa: float | None
    ci95: tuple[float, float] | None
    precision: float | None
    recall: float | None
    confusion: dict[tuple[str, str], int]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        table: dict[str, dict[str, int]] = {}
        for (label, verdict), count in sorted(self.confusion.items()):
            table.setdefault(label, {})[verdict] = count
        numbers = {"agreement": self.agreement, "kappa": self.kappa, "ci95": list(self.ci95) if self.ci95 else None}
        rest = {"precision": self.precision, "recall": self.recall, "confusion": table}
        return {"n": self.n, "unscored": self.unscored, **numbers, **rest}


def agreement(labels: Sequence[bool], verdicts: Sequence[bool | None], names: Sequence[tuple[str, str]]) -> Agreement:
    """Compare item by item; `names` are the label and the verdict in words, for the table."""
    pairs = [(label, verdict) for label, verdict in zip(labels, verdicts, strict=True) if verdict is not None]
    both = sum(label and verdict for label, verdict in pairs)
    return Agreement(
        n=len(pairs),
        unscored=len(labels) - len(pairs),
        agreement=_share(sum(label == verdict for label, verdict in pairs), len(pairs)),
        kappa=kappa(pairs),
        ci95=kappa_interval(pairs),
        precision=_share(both, sum(verdict for _, verdict in pairs)),
        recall=_share(both, sum(label for label, _ in pairs)),
        confusion=dict(Counter(names)),
    )


def kappa(pairs: Sequence[Pair]) -> float | None:
    """(observed - expected) / (1 - expected) agreement (Cohen, "A coefficient of agreement for nominal scales", 1960).

    None where the expected agreement is 1, or nothing is there.
    """
    if not pairs:
        return None
    counts = Counter(pairs)
    found = _kappas([[counts[True, True], counts[True, False], counts[False, True], counts[False, False]]])[0]
    return None if found != found else round(float(found), DIGITS)


def kappa_interval(pairs: Sequence[Pair]) -> tuple[float, float] | None:
    """Percentile bootstrap over the items; None where more than a few resamples have no kappa."""
    import numpy as np

    if len(pairs) < 2:
        return None
    kinds = np.array([2 * (not label) + (not verdict) for label, verdict in pairs])
    draws = np.random.default_rng(SEED).integers(0, len(kinds), (ROUNDS, len(kinds)))
    found = _kappas([np.bincount(kinds[draw], minlength=4) for draw in draws])
    known = found[~np.isnan(found)]
    if len(known) < (1 - MOST_UNDEFINED) * ROUNDS:
        return None
    low, high = np.quantile(known, [0.025, 0.975])
    return round(float(low), DIGITS), round(float(high), DIGITS)


def _kappas(tables: Any) -> Any:
    """Kappa of each row of counts (yes yes, yes no, no yes, no no); nan where it is undefined."""
    import numpy as np

    counts = np.asarray(tables, np.float64)
    total = counts.sum(axis=1)
    observed = (counts[:, 0] + counts[:, 3]) / total
    label, verdict = (counts[:, 0] + counts[:, 1]) / total, (counts[:, 0] + counts[:, 2]) / total
    expected = label * verdict + (1 - label) * (1 - verdict)
    room = np.where(expected < 1, 1 - expected, np.nan)
    return (observed - expected) / room


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, DIGITS) if whole else None
