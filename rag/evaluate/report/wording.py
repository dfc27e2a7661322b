"""How the reports name and write numbers, and what they warn of."""

from __future__ import annotations

from collections.abc import Iterator

from rag.evaluate.metrics import Metric, is_judged
from rag.evaluate.report.charts import seconds
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL

TILES = ("ndcg@10", "recall@10", "facts", "alce_recall", "refused", "false_refusal", "seconds")
"""What is to be seen first."""
FEW = 30
"""Cases below which intervals by bootstrap are rough."""
SHORT = {
    "citation_precision": "Cited are gold",
    "gold_cited": "Gold are cited",
    "supported": "Supported",
    "alce_recall": "ALCE recall",
    "alce_precision": "ALCE precision",
    "answered": "Answered",
    "refused": "Refused rightly",
    "refusal_precision": "Refusals right",
    "false_refusal": "False refusals ↓",
    "facts": "Gold facts found",
    "judge_faithfulness": "Faithful",
    "judge_relevancy": "Relevant",
    "judge_correctness": "Correct",
    "map@10": "MAP@10",
    "mrr": "MRR",
}


def shown(metric: Metric | None, value: float | None) -> str:
    """A value as people read it; a dash where it is unknown."""
    if value is None:
        return "–"
    if metric is not None and metric.unit == "s":
        return seconds(value)
    if metric is not None and metric.unit == "USD":
        return f"${value:.4f}"
    return f"{value:,.0f}" if metric is not None and metric.unit else f"{value:.3f}"


def cautions(run: Run) -> Iterator[str]:
    """What a reader must know before believing the numbers."""
    everything = run.summary.get(ALL, {})
    number = len(run.cases)
    for judge in dict.fromkeys([run.about.judge, *run.about.judges.values()]):
        if judge in run.about.models:
            yield f"The judge, {judge}, is the model that wrote the answers: it may favour its own words."
    if missing := sum(case["id"] not in run.answers for case in run.cases):
        yield f"Without an answer: {missing} of {_many(number, 'case')}; what that leaves unknown is unscored."
    if errors := sum(answer["status"] == "error" for answer in run.answers.values()):
        yield f"{_many(errors, 'answer')} ended in an error; what that leaves unknown is unscored, never 0."
    if broken := sum(bool(score.violations) for score in run.scores):
        yield f"Against the answer contract: {broken} of {_many(len(run.answers), 'answer')}."
    judged = {name: one.unscored for name, one in everything.items() if one.unscored and is_judged(name)}
    for name, count in judged.items():
        yield f"{name}: what the judge said of {_many(count, 'answer')} could not be had or read, and is unscored."
    if drafts := sum(bool(case.get("draft")) for case in run.cases):
        yield f"Drafts that nobody has checked: {drafts} of {_many(number, 'case')}."
    if number < FEW:
        yield f"{_many(number, 'case')} say little: the intervals are wide, and rough."


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
