"""Every metric of every case of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.evaluate.abstention import score_abstention
from rag.evaluate.case import Case
from rag.evaluate.citations import ALCE, score_gold_citations, score_support, score_verdicts
from rag.evaluate.contract import violations
from rag.evaluate.cost import score_cost
from rag.evaluate.facts import has_fact
from rag.evaluate.judge import Scorer, SupportJudge
from rag.evaluate.retrieval import MEASURES, ranking_values
from rag.evaluate.score import CaseScore, Sheet
from rag.types import Abstract

NO_ANSWER = "no answer"

Answers = Mapping[str, Mapping[str, Any]]


def score_answers(
    cases: Sequence[Case],
    answers: Answers,
    shelf: Mapping[str, Abstract],
    judge: SupportJudge,
    scorers: Sequence[Scorer] = (),
) -> tuple[CaseScore, ...]:
    """A score for each case, in order. `cases` have ids of the shelf as gold; `shelf` holds the abstracts cited.

    What an error, or no answer at all, leaves unknown is unscored for that reason; hits it has are scored.
    """
    found = {case.id: answers[case.id] for case in cases if case.id in answers}
    ranked = {case_id for case_id, answer in found.items() if answer["status"] != "error" or answer.get("hits")}
    rankings = ranking_values([case for case in cases if case.id in ranked], found)
    scores = []
    for case in cases:
        sheet = Sheet()
        answer = found.get(case.id)
        if case.gold and case.id not in rankings:
            sheet.miss(_failure(answer), *MEASURES)
        for name, value in rankings.get(case.id, {}).items():
            sheet.put(name, value)
        broken = violations(answer, shelf) if answer is not None else ()
        if answer is not None:
            sheet.put("violations", len(broken))
        _score(case, answer, shelf, judge, sheet)
        if answer is not None and answer["status"] != "error":
            for scorer in scorers:
                scorer(case, answer, sheet)
        scores.append(CaseScore(case.id, case.type, sheet.values, sheet.unscored, sheet.shares, broken))
    return tuple(scores)


def _score(
    case: Case,
    answer: Mapping[str, Any] | None,
    shelf: Mapping[str, Abstract],
    judge: SupportJudge,
    sheet: Sheet,
) -> None:
    failed = answer is None or answer["status"] == "error"
    sheet.put("error", failed)
    if answer is None or failed:
        sheet.miss(_failure(answer), *_missed(case))
        return
    score_abstention(case, answer, sheet)
    if case.gold and case.facts:
        stated = sum(has_fact(fact, answer.get("answer") or "") for fact in case.facts)
        sheet.put_share("facts", stated, len(case.facts))
    score_gold_citations(case, answer, sheet)
    score_verdicts(answer, sheet)
    score_support(answer, shelf, judge, sheet)
    score_cost(answer, sheet)


def _missed(case: Case) -> tuple[str, ...]:
    """What would have been scored had there been an answer as the case wants it."""
    if case.must_refuse:
        return ("refused",)
    gold = ("gold_cited", "citation_precision") if case.gold else ()
    facts = ("facts",) if case.gold and case.facts else ()
    answered = ("answered", "false_refusal") if case.must_answer else ()
    wrong = ("wrong_cited",) if case.wrong else ()
    return (*answered, "supported", *ALCE, *gold, *facts, *wrong)


def _failure(answer: Mapping[str, Any] | None) -> str:
    return NO_ANSWER if answer is None else str(answer.get("reason") or "error")
