"""Two runs on the same cases, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag.errors import InputError
from rag.evaluate.metrics import METRICS, Metric
from rag.evaluate.run import About, Run
from rag.evaluate.score import CaseScore
from rag.evaluate.significance import Difference, difference

SHOWN_IDS = 5


@dataclass(frozen=True, slots=True)
class Change:
    """A case whose value of a metric is another in `b`."""

    id: str
    type: str
    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Compared:
    """A metric over the cases that have a value in both runs; `unpaired` have one in one run only.

    `by_type` counts the cases that are better in `b` (`wins`), worse (`losses`) and the same (`ties`); `changed` holds
    the first two, the largest loss first.
    """

    metric: Metric
    difference: Difference
    unpaired: int
    by_type: Mapping[str, Mapping[str, int]]
    changed: tuple[Change, ...]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            **self.difference.to_dict(),
            "better": self.metric.better,
            "unpaired": self.unpaired,
            "by_type": {kind: dict(counts) for kind, counts in self.by_type.items()},
            "changed": [asdict(change) for change in self.changed],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """`settings`: name and both values of all that differs in what decided the runs; `left_out`: metrics that could
    not be compared, and why."""

    cases: int
    settings: tuple[tuple[str, Any, Any], ...]
    metrics: Mapping[str, Compared]
    left_out: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "schema": 1,
            "cases": self.cases,
            "settings": [{"name": name, "a": a, "b": b} for name, a, b in self.settings],
            "metrics": {name: one.to_dict() for name, one in self.metrics.items()},
            "left_out": dict(self.left_out),
        }


def compare(a: Run, b: Run) -> Comparison:
    """What `b` changes against `a`; raises InputError where their cases differ."""
    refuse_other_cases(a.cases, b.cases)
    first, second = ({score.id: score for score in run.scores} for run in (a, b))
    names = {name: None for run in (a, b) for score in run.scores for name in (*score.values, *score.unscored)}
    metrics, left_out = {}, {}
    for name in sorted(names, key=_place):
        pairs = [(first[i], second[i]) for i in first if name in first[i].values and name in second[i].values]
        if pairs:
            metrics[name] = _compared(name, pairs, _alone(name, first, second))
        else:
            left_out[name] = _gap(name, a, b)
    return Comparison(len(a.cases), tuple(_settings(a.about, b.about)), metrics, left_out)


def refuse_other_cases(a: Sequence[Mapping[str, Any]], b: Sequence[Mapping[str, Any]]) -> None:
    """Raises InputError, naming some, where cases are in one set only or say something else."""
    first, second = ({case["id"]: case for case in cases} for cases in (a, b))
    problems = {
        "only in the first": [i for i in first if i not in second],
        "only in the second": [i for i in second if i not in first],
        "changed": [i for i in first if i in second and first[i] != second[i]],
    }
    said = [f"{len(ids)} {what} ({_some(ids)})" for what, ids in problems.items() if ids]
    if said:
        raise InputError(f"The runs have different cases: {'; '.join(said)}.", "Evaluate both on one file of cases.")


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN_IDS]) + (", ..." if len(ids) > SHOWN_IDS else "")


def _place(name: str) -> int:
    return list(METRICS).index(name) if name in METRICS else len(METRICS)


def _compared(name: str, pairs: Sequence[tuple[CaseScore, CaseScore]], unpaired: int) -> Compared:
    metric = METRICS.get(name) or Metric(name, "judges", name)
    changes = [Change(x.id, x.type, x.values[name], y.values[name]) for x, y in pairs]
    by_type: dict[str, Counter[str]] = {}
    for change in changes:
        counts = by_type.setdefault(change.type, Counter(wins=0, losses=0, ties=0))
        counts[_outcome(metric, change)] += 1
    ordered = sorted((c for c in changes if c.a != c.b), key=lambda c: (c.b - c.a) * (metric.better or 1))
    values = [c.a for c in changes], [c.b for c in changes]
    return Compared(metric, difference(*values, yes_no=metric.yes_no), unpaired, by_type, tuple(ordered))


def _outcome(metric: Metric, change: Change) -> str:
    gain = (change.b - change.a) * (metric.better or 1)
    return "wins" if gain > 0 else "losses" if gain < 0 else "ties"


def _alone(name: str, first: Mapping[str, CaseScore], second: Mapping[str, CaseScore]) -> int:
    return sum((name in first[i].values) != (name in second[i].values) for i in first)


def _gap(name: str, a: Run, b: Run) -> str:
    have = [run for run in (a, b) if any(name in score.values for score in run.scores)]
    if len(have) == 2:
        return "no case has a value in both runs"
    return "no case has a value in either run" if not have else f"only in the {'first' if have[0] is a else 'second'}"


def _settings(a: About, b: About) -> Iterator[tuple[str, Any, Any]]:
    first, second = _flat(a), _flat(b)
    for name in dict.fromkeys([*first, *second]):
        if first.get(name) != second.get(name):
            yield name, first.get(name), second.get(name)


def _flat(about: About) -> dict[str, Any]:
    """What decided a run, by one name each; when it was made did not."""
    values = asdict(about)
    settings, libraries = values.pop("settings"), values.pop("libraries")
    for name in ("created", "cases", *(() if settings is None else ("fingerprints",))):
        values.pop(name)
    several = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {**(settings or {}), **several, **{f"library {name}": found for name, found in libraries.items()}}
