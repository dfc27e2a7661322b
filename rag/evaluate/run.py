"""A run: cases, answers, scores and all that decided them; kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rag.errors import InputError
from rag.evaluate import summary as summaries
from rag.evaluate.score import CaseScore
from rag.evaluate.summary import Summary

SCHEMA = 1
ANSWERS, RUN, SUMMARY, CASES, REPORT = "answers.jsonl", "run.json", "summary.json", "cases.jsonl", "report.html"
"""Names within the folder of a run."""


@dataclass(frozen=True, slots=True)
class About:
    """What decided a run. `settings` are redacted; None where the answers were made with others than those known here.

    `models`, `fingerprints` and `indexes` are what the answers themselves say; `code` hashes the sources that answer,
    `prompts` the texts of its prompts, `cases` what the cases say. `judge` is what decided whether text supports a
    sentence.
    """

    settings: Mapping[str, Any] | None
    fingerprints: tuple[str, ...]
    indexes: tuple[str, ...]
    models: tuple[str, ...]
    modes: tuple[str, ...]
    code: str
    prompts: str
    cases: str
    judge: str
    seed: int
    libraries: Mapping[str, str]
    created: str
    """UTC, ISO 8601."""
    judges: Mapping[str, str] = field(default_factory=dict)
    """The model behind each metric that a judge gave."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> About:
        """From JSON's types."""
        lists = ("fingerprints", "indexes", "models", "modes")
        return cls(**{**data, **{name: tuple(data[name]) for name in lists}})


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a system that costs nothing scores on the same cases."""

    scores: tuple[CaseScore, ...]
    summary: Summary

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {"metrics": summaries.to_dict(self.summary), "scores": [score.to_dict() for score in self.scores]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Baseline:
        """The inverse of `to_dict`."""
        return cls(tuple(map(CaseScore.from_dict, data["scores"])), summaries.from_dict(data["metrics"]))


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `cases` are lines of the case contract, `answers` Answers (schema 1) by id; `scores` stand in the order
    of the cases. A case may have no answer."""

    about: About
    cases: tuple[Mapping[str, Any], ...]
    answers: Mapping[str, Mapping[str, Any]]
    scores: tuple[CaseScore, ...]
    summary: Summary
    baselines: Mapping[str, Baseline] = field(default_factory=dict)
    """`quotes` and `copy_top`."""

    def summary_dict(self) -> dict[str, Any]:
        """What `summary.json` holds."""
        return {
            "schema": SCHEMA,
            "cases": len(self.cases),
            "metrics": summaries.to_dict(self.summary),
            "baselines": {name: summaries.to_dict(one.summary) for name, one in self.baselines.items()},
        }


def write_run(run: Run, folder: Path) -> None:
    """Write `run.json`, `summary.json` and `cases.jsonl`; the answers stand in `answers.jsonl` already."""
    whole = {
        "schema": SCHEMA,
        "about": asdict(run.about),
        "metrics": summaries.to_dict(run.summary),
        "baselines": {name: one.to_dict() for name, one in run.baselines.items()},
        "cases": list(run.cases),
        "scores": [score.to_dict() for score in run.scores],
        "answers": list(run.answers.values()),
    }
    _write(folder / RUN, _json(whole))
    _write(folder / SUMMARY, _json(run.summary_dict()))
    write_lines(folder / CASES, run.cases)


def read_run(folder: Path) -> Run:
    """The run in a folder; raises InputError where there is none that this version can read."""
    path = folder / RUN
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Make it: python -m rag evaluate.") from None
    except ValueError:
        raise InputError(f"{path} is damaged.", "Make it again: python -m rag evaluate.") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(f"{path} is no run of this version.", "Make it again: python -m rag evaluate.")
    return Run(
        about=About.from_dict(data["about"]),
        cases=tuple(data["cases"]),
        answers={answer["id"]: answer for answer in data["answers"]},
        scores=tuple(map(CaseScore.from_dict, data["scores"])),
        summary=summaries.from_dict(data["metrics"]),
        baselines={name: Baseline.from_dict(one) for name, one in data["baselines"].items()},
    )


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """JSON Lines."""
    _write(path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _write(path: Path, text: str) -> None:
    """All of it or nothing, so that a reader never sees half a file."""
    beside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(text.encode("utf-8", "replace"))
        beside.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Choose another --out.") from None
