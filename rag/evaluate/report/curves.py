"""What the report draws, worked out from a run's cases and answers; pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rag.display import VERDICTS
from rag.evaluate.bootstrap import interval
from rag.evaluate.case import MUST_REFUSE
from rag.evaluate.run import Run

SHORTEST = 0.001
"""Seconds; shorter times are not told apart."""
DEEPEST = 10
"""Hits that every answer remembers of its ranking."""


class Point(NamedTuple):
    """A value with its 95 % interval, None where there is none."""

    x: float
    y: float
    ci95: tuple[float, float] | None = None


class TradeOff(NamedTuple):
    """Refusing whenever the best hit scores below a threshold: `x` of what can be answered is refused wrongly, `y` of
    what cannot is refused rightly."""

    threshold: float
    x: float
    y: float


class Bars(NamedTuple):
    """Counts of values between `edges`, which are one more."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


def recall_curve(run: Run) -> list[Point]:
    """Mean share of the gold abstracts among the first k hits, k = 1..10, over cases with gold and hits."""
    judged = [(set(case["gold"]), _ranked(run, case)) for case in run.cases if case.get("gold")]
    known = [(gold, ranked) for gold, ranked in judged if ranked is not None]
    points = []
    for k in range(1, DEEPEST + 1 if known else 1):
        values = [len(gold & set(ranked[:k])) / len(gold) for gold, ranked in known]
        points.append(Point(k, sum(values) / len(values), interval(values)))
    return points


def _ranked(run: Run, case: Mapping[str, Any]) -> list[str] | None:
    answer = run.answers.get(case["id"])
    if answer is None or (answer["status"] == "error" and not answer.get("hits")):
        return None
    return [hit["id"] for hit in answer.get("hits") or []]


def trade_off(run: Run) -> list[TradeOff]:
    """One point for each threshold that changes something, the lowest first; empty without cases of both kinds."""
    scores: list[tuple[float, bool]] = []
    for case in run.cases:
        hits = (run.answers.get(case["id"]) or {}).get("hits")
        if hits:
            scores.append((hits[0]["score"], case["type"] in MUST_REFUSE))
    must = sum(refuse for _, refuse in scores)
    may_not = len(scores) - must
    if not must or not may_not:
        return []
    points = [TradeOff(min(score for score, _ in scores), 0.0, 0.0)]
    wrong = right = 0
    for score, same in groupby(sorted(scores), key=lambda one: one[0]):
        kinds = [refuse for _, refuse in same]
        right += sum(kinds)
        wrong += len(kinds) - sum(kinds)
        points.append(TradeOff(score, wrong / may_not, right / must))
    return points


def verdicts(run: Run) -> dict[str, Counter[str]]:
    """By type (`all` first) the verdicts of the sentences of answers that were given."""
    found: dict[str, Counter[str]] = {"all": Counter()}
    for case in run.cases:
        answer = run.answers.get(case["id"]) or {}
        if answer.get("citations"):
            counts = Counter(s["verdict"] for s in answer.get("sentences") or [] if s["verdict"] in VERDICTS)
            found["all"] += counts
            found.setdefault(case["type"], Counter()).update(counts)
    return {kind: counts for kind, counts in found.items() if counts}


def latencies(run: Run) -> list[float]:
    """Seconds of each answer that took a known time, ascending."""
    times = ((answer.get("seconds") or {}).get("total") for answer in run.answers.values())
    return sorted(time for time in times if time is not None)


def histogram(values: Sequence[float], bins: int = 28) -> Bars:
    """Counts in bins of equal ratio, for times differ by factors. `values` ascend; below SHORTEST all are one."""
    low, high = max(SHORTEST, values[0]), max(SHORTEST, values[-1])
    ratio = math.log(high / low) or 1.0
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(math.log(max(value, low) / low) / ratio * bins))] += 1
    return Bars(tuple(low * math.exp(ratio * n / bins) for n in range(bins + 1)), tuple(counts))


def worst(run: Run, number: int = 20) -> list[tuple[float, Mapping[str, Any]]]:
    """Cases with the lowest mean of what says that an answer is right, worst first, each with that mean; none at 1."""
    rated = []
    for case, score in zip(run.cases, run.scores, strict=True):
        values = [score.values[name] for name in RIGHT if name in score.values]
        if score.values.get("error") or score.violations:
            values.append(0.0)
        if values:
            rated.append((sum(values) / len(values), case))
    rated.sort(key=lambda one: one[0])
    return [(value, case) for value, case in rated[:number] if value < 1]


RIGHT = ("ndcg@10", "facts", "gold_cited", "answered", "refused")
"""Metrics of one case that say whether its answer is right."""
