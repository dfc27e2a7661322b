"""The judges of a run, and a judge before people's labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.batch.cache import ReplyCache
from rag.config import Settings
from rag.errors import SettingsError
from rag.evaluate.case import Case
from rag.evaluate.judges.agreement import Agreement, agreement
from rag.evaluate.judges.labels import Labelled, read_labels
from rag.evaluate.judges.rating import Ratings, faithful, metric, parse_judges, rate
from rag.library import Library

if TYPE_CHECKING:
    from rag.llm import LLM

__all__ = ["Bench", "as_text", "evaluate_judge", "judge_llm", "parse_judges"]

Answers = Mapping[str, Mapping[str, Any]]
VERIFIER, MODEL = "verifier", "model"
UNSCORED = "unscored"


def judge_llm(settings: Settings, model: str | None) -> LLM:
    """The model that judges: the one named, else that of the settings. Raises SettingsError where there is none."""
    from rag.llm import make_llm

    llm = make_llm(settings.model_copy(update={"llm_model": model}) if model else settings)
    if llm is None:
        raise SettingsError("There is no model to judge.", "Set FOOTNOTE_LLM_MODEL, or name one with --judge-model.")
    return llm


@dataclass(frozen=True)
class Bench:
    """Judges that sit over a run. What they said is kept in the folder `replies` and not asked again."""

    judges: tuple[str, ...]
    llm: LLM
    replies: Path

    @property
    def names(self) -> dict[str, str]:
        """The model behind each metric."""
        return {metric(judge): self.llm.model for judge in self.judges}

    def rate(self, library: Library, cases: Sequence[Case], answers: Answers, workers: int) -> Ratings:
        """What the judges say of the answers, `workers` of them at once."""
        sent = {hit["id"] for one in answers.values() for hit in one.get("hits") or [] if hit.get("sent")}
        shelf = library.catalogue.many(sorted(sent))
        with closing(ReplyCache(self.replies)) as replies, closing(self.llm):
            self.llm.reply = replies.reply
            return rate(self.llm, self.judges, cases, answers, shelf, workers)


def evaluate_judge(settings: Settings, path: Path, judge: str, model: str | None) -> tuple[str, Agreement]:
    """The judge's name and how far it agrees with the labels of a file."""
    if judge not in (VERIFIER, MODEL):
        raise SettingsError(f"--judge knows no {judge}.", f"Known are {VERIFIER} and {MODEL}.")
    labelled = read_labels(path)
    if judge == VERIFIER:
        name, said = VERIFIER, _by_verifier(settings, labelled)
    else:
        llm = judge_llm(settings, model)
        name, said = llm.model, _by_model(llm, labelled)
    verdicts = [None if word == UNSCORED else word == "supported" for word in said]
    names = [(one.label, word) for one, word in zip(labelled, said, strict=True)]
    return name, agreement([one.supported for one in labelled], verdicts, names)


def _by_verifier(settings: Settings, labelled: Sequence[Labelled]) -> list[str]:
    """Verdicts; a sentence that claims nothing is not judged."""
    from rag.check import check_claims
    from rag.embedding import make_embedder

    results = check_claims([one.claim for one in labelled], None, make_embedder(settings))
    return [UNSCORED if one["verdict"] == "unchecked" else str(one["verdict"]) for one in results]


def _by_model(llm: LLM, labelled: Sequence[Labelled]) -> list[str]:
    words = {1.0: "supported", 0.0: "unsupported", None: UNSCORED}
    with closing(llm):
        return [words[faithful(llm, one.claim.text, one.claim.evidence or ()).value] for one in labelled]


def as_text(name: str, found: Agreement) -> str:
    """The agreement as lines for a terminal."""
    between = f" ({found.ci95[0]:.3f} to {found.ci95[1]:.3f}, 95 %)" if found.ci95 else ""
    lines = [
        f"{name} against {found.n} labels" + (f", {found.unscored} unscored" if found.unscored else ""),
        f"Cohen's kappa  {_number(found.kappa)}{between}",
        f"agreement      {_number(found.agreement)}",
        f"precision      {_number(found.precision)}  of what it calls supported",
        f"recall         {_number(found.recall)}  of what people call supported",
    ]
    table = [f"  {label:14s}{verdict:14s}{count:6d}" for (label, verdict), count in sorted(found.confusion.items())]
    return "\n".join([*lines, "", f"  {'label':14s}{'verdict':14s}{'':>6s}", *table])


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
