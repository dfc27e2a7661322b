"""Means of metrics over cases, with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rag.evaluate.bootstrap import interval
from rag.evaluate.metrics import METRICS
from rag.evaluate.score import CaseScore, Share

ALL = "all"
"""The group of every case, beside a group for each type."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """A metric over a group of cases.

    `mean` over the `n` cases that have a value (macro; None with n = 0); `ci95` its 95 % interval by bootstrap, None
    below two values; `unscored` cases to which it applies without a value, counted by reason in `reasons`. `micro` is
    the mean over all the sentences, facts or citations counted together, where the metric is a share of such things.
    """

    mean: float | None
    n: int
    ci95: tuple[float, float] | None
    unscored: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    micro: float | None = None
    median: float | None = None
    p95: float | None = None
    total: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """An entry of `summary.json`."""
        more = {"micro": self.micro, "median": self.median, "p95": self.p95, "total": self.total}
        return {
            "mean": self.mean,
            "n": self.n,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "unscored": self.unscored,
            "reasons": dict(self.reasons),
            **{name: value for name, value in more.items() if value is not None},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> MetricSummary:
        """The inverse of `to_dict`."""
        ci95 = data["ci95"]
        return cls(**{**data, "ci95": None if ci95 is None else (ci95[0], ci95[1])})


Summary = Mapping[str, Mapping[str, MetricSummary]]
"""By group (`all`, then each type in order of first appearance), then by name in the order of METRICS."""


def summarise(scores: Sequence[CaseScore]) -> dict[str, dict[str, MetricSummary]]:
    """Every metric that applies to a case, over all cases and over those of each type."""
    groups: dict[str, list[CaseScore]] = {ALL: list(scores)}
    for score in scores:
        # A type that is called "all" would count its cases twice.
        groups.setdefault(score.type if score.type != ALL else f"type {ALL}", []).append(score)
    return {group: _metrics(some) for group, some in groups.items()}


def to_dict(summary: Summary) -> dict[str, dict[str, dict[str, Any]]]:
    """The `metrics` of `summary.json`."""
    return {group: {name: one.to_dict() for name, one in metrics.items()} for group, metrics in summary.items()}


def from_dict(data: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, MetricSummary]]:
    """The inverse of `to_dict`."""
    return {g: {name: MetricSummary.from_dict(one) for name, one in metrics.items()} for g, metrics in data.items()}


def _metrics(scores: Sequence[CaseScore]) -> dict[str, MetricSummary]:
    found = {name: None for score in scores for name in (*score.values, *score.unscored)}
    ordered = [*(name for name in METRICS if name in found), *(name for name in found if name not in METRICS)]
    return {name: _metric(name, scores) for name in ordered}


def _metric(name: str, scores: Sequence[CaseScore]) -> MetricSummary:
    values = [score.values[name] for score in scores if name in score.values]
    reasons = Counter(score.unscored[name] for score in scores if name in score.unscored)
    shares = [score.shares[name] for score in scores if name in score.shares]
    amount = name in METRICS and METRICS[name].unit is not None and bool(values)
    return MetricSummary(
        mean=_rounded(sum(values) / len(values)) if values else None,
        n=len(values),
        ci95=interval(values),
        unscored=reasons.total(),
        reasons=dict(sorted(reasons.items())),
        micro=_micro(shares),
        median=_quantile(values, 0.5) if amount else None,
        p95=_quantile(values, 0.95) if amount else None,
        total=_rounded(sum(values)) if amount else None,
    )


def _micro(shares: Iterable[Share]) -> float | None:
    known = list(shares)
    return _rounded(sum(share.got for share in known) / sum(share.of for share in known)) if known else None


def _quantile(values: Sequence[float], share: float) -> float:
    import numpy as np

    return _rounded(float(np.quantile(values, share)))


def _rounded(value: float) -> float:
    return round(value, DIGITS)
