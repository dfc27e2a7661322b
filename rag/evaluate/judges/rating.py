"""Answers rated by a language model through LlamaIndex's evaluators."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rag.errors import LLMError, SettingsError
from rag.evaluate.case import Case
from rag.evaluate.citations import WRITTEN
from rag.evaluate.judges.reading import BEST, WORST, score_of, yes_or_no
from rag.evaluate.score import Sheet
from rag.export.entries import MARKER, plain
from rag.types import Abstract

if TYPE_CHECKING:
    from rag.llm import LLM

JUDGES = ("faithfulness", "relevancy", "correctness")
UNREADABLE = "what the judge said is no verdict"
NO_TEXTS = "the abstracts that were sent are not on the shelf"

Answer = Mapping[str, Any]
Shelf = Mapping[str, Abstract]


class Rating(NamedTuple):
    """A value from 0 to 1, or None and the reason why there is none."""

    value: float | None
    reason: str = ""


def parse_judges(text: str) -> tuple[str, ...]:
    """Names parted by commas; raises SettingsError for one that is not known."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if unknown := [name for name in names if name not in JUDGES]:
        raise SettingsError(f"--judge knows no {', '.join(unknown)}.", f"Known are {', '.join(JUDGES)}.")
    return names


def metric(judge: str) -> str:
    """The name of a judge's metric."""
    return f"judge_{judge}"


@dataclass(frozen=True)
class Ratings:
    """Ratings by case and judge, made beforehand; a Scorer that puts them on the sheets."""

    by_case: Mapping[str, Mapping[str, Rating]]

    def __call__(self, case: Case, answer: Answer, sheet: Sheet) -> None:  # noqa: ARG002 - as every Scorer
        """Put the case's ratings; what could not be read is unscored."""
        for judge, rating in self.by_case.get(case.id, {}).items():
            sheet.put(metric(judge), rating.value, rating.reason)


def rate(
    llm: LLM, judges: Sequence[str], cases: Sequence[Case], answers: Mapping[str, Answer], shelf: Shelf, workers: int
) -> Ratings:
    """Ask each judge about each answer it applies to, `workers` at once; `shelf` holds the abstracts sent."""
    asked = [
        (case, answers[case.id], judge)
        for case in cases
        if case.id in answers
        for judge in judges
        if applies(judge, case, answers[case.id])
    ]
    found: dict[str, dict[str, Rating]] = {}
    with ThreadPoolExecutor(workers, thread_name_prefix="judge") as pool:
        ratings = pool.map(lambda one: rating_of(llm, one[2], one[0], one[1], shelf), asked)
        for (case, _, judge), rating in zip(asked, ratings, strict=True):
            found.setdefault(case.id, {})[judge] = rating
    return Ratings(found)


def applies(judge: str, case: Case, answer: Answer) -> bool:
    """Correctness needs a reference answer; the others an answer that was given."""
    if answer["status"] == "error":
        return False
    return bool(case.answer) if judge == "correctness" else answer["status"] in WRITTEN


def rating_of(llm: LLM, judge: str, case: Case, answer: Answer, shelf: Shelf) -> Rating:
    """One judge's rating of one answer. A model that fails leaves it unscored for that reason."""
    sent = [hit["id"] for hit in answer.get("hits") or [] if hit.get("sent")]
    texts = [shelf[identity].text for identity in sent if identity in shelf]
    if judge != "correctness" and (len(texts) < len(sent) or not texts):
        return Rating(None, NO_TEXTS)
    response = plain(MARKER.sub("", answer.get("answer") or ""))
    try:
        if judge == "correctness":
            return _correctness(llm, case.question.text, response, case.answer or "")
        return _yes_no(llm, judge, case.question.text, response, texts)
    except LLMError as error:
        return Rating(None, f"the judge failed: {error.kind}")


def faithful(llm: LLM, claim: str, texts: Sequence[str]) -> Rating:
    """Whether the texts support a claim, as the judge of faithfulness says."""
    try:
        return _yes_no(llm, "faithfulness", "", claim, texts)
    except LLMError as error:
        return Rating(None, f"the judge failed: {error.kind}")


def _yes_no(llm: LLM, judge: str, question: str, response: str, texts: Sequence[str]) -> Rating:
    from llama_index.core.evaluation import FaithfulnessEvaluator, RelevancyEvaluator

    from rag.evaluate.judges.adapter import JudgeLLM

    kind = FaithfulnessEvaluator if judge == "faithfulness" else RelevancyEvaluator
    evaluator = kind(llm=JudgeLLM(llm))
    found = asyncio.run(evaluator.aevaluate(query=question, response=response, contexts=texts))
    verdict = yes_or_no(found.feedback or "")
    return Rating(None, UNREADABLE) if verdict is None else Rating(float(verdict))


def _correctness(llm: LLM, question: str, response: str, reference: str) -> Rating:
    from llama_index.core.evaluation import CorrectnessEvaluator

    from rag.evaluate.judges.adapter import JudgeLLM

    evaluator = CorrectnessEvaluator(llm=JudgeLLM(llm), parser_function=score_of)
    found = asyncio.run(evaluator.aevaluate(query=question, response=response, reference=reference))
    if found.score is None:
        return Rating(None, UNREADABLE)
    return Rating((found.score - WORST) / (BEST - WORST))
