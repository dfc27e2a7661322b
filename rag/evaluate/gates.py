"""What a run must reach: `ndcg@10>=0.85`, or `ndcg@10>=baseline-0.01` against a stored run."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag.errors import SettingsError
from rag.evaluate.metrics import METRICS
from rag.evaluate.summary import ALL, Summary

OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
ROUNDING = 1e-9
"""Means are kept with six digits: what differs by less is equal."""
_GATE = re.compile(
    r"\s*(?P<name>[\w@]+)\s*(?P<operator>>=|<=|>|<)\s*"
    r"(?:(?P<relative>baseline)\s*(?P<offset>[+-]\s*\d*\.?\d+)?|(?P<number>[+-]?\d*\.?\d+))\s*"
)


@dataclass(frozen=True, slots=True)
class Gate:
    """The mean of metric `name` over all cases is to stand in relation `operator` to `number`, or to a stored run's
    mean plus `number` where `relative`."""

    text: str
    name: str
    operator: str
    number: float
    relative: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a gate holds; `detail` says what was compared with what."""

    gate: Gate
    ok: bool
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"gate": self.gate.text, "ok": self.ok, "detail": self.detail}


def parse_gate(text: str) -> Gate:
    """Raises SettingsError for what is no gate, and for a metric that is not known."""
    match = _GATE.fullmatch(text)
    if match is None:
        raise SettingsError(f"The gate {text!r} cannot be read.", 'Write "ndcg@10>=0.85" or "facts>=baseline-0.01".')
    if match["name"] not in METRICS:
        raise SettingsError(f"The gate {text!r} names no known metric.", f"Known are {', '.join(METRICS)}.")
    number = float((match["number"] or match["offset"] or "0").replace(" ", ""))
    return Gate(text.strip(), match["name"], match["operator"], number, match["relative"] is not None)


def check_gate(gate: Gate, summary: Summary, baseline: Summary | None) -> Verdict:
    """Judge a gate by the mean over the scored cases; a metric without a mean does not pass."""
    mean, said = _mean(gate.name, summary)
    if mean is None:
        return Verdict(gate, False, said)
    limit = gate.number
    if gate.relative:
        stored, why = _mean(gate.name, baseline or {})
        if stored is None:
            return Verdict(gate, False, f"in the baseline {why}")
        limit += stored
        said += f", baseline {stored:.4f}"
    slack = ROUNDING if gate.operator in (">=", "<") else -ROUNDING
    return Verdict(gate, bool(OPERATORS[gate.operator](mean + slack, limit)), said)


def _mean(name: str, summary: Summary) -> tuple[float | None, str]:
    found = summary.get(ALL, {}).get(name)
    if found is None:
        return None, f"{name} applies to no case"
    reasons = _reasons(found.reasons)
    if found.mean is None:
        return None, f"{name} is unscored ({reasons})"
    return found.mean, f"{name} is {found.mean:.4f} over {found.n}" + (f", unscored {reasons}" if reasons else "")


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in reasons.items())
