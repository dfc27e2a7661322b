"""Every metric by name: what it is, and which way is better."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """`group` is the heading it stands under; `title` names it for people.

    `better` is +1 where more is better, -1 where less is, 0 where neither. `yes_no` metrics are 0 or 1 for a case.
    `unit` is None for what lies between 0 and 1, or is a count of the answer's own.
    """

    name: str
    group: str
    title: str
    better: int = 1
    yes_no: bool = False
    unit: str | None = None


_ALL = (
    Metric("ndcg@10", "retrieval", "nDCG@10"),
    Metric("recall@5", "retrieval", "Recall@5"),
    Metric("recall@10", "retrieval", "Recall@10"),
    Metric("mrr", "retrieval", "Reciprocal rank"),
    Metric("map@10", "retrieval", "Average precision@10"),
    Metric("facts", "correctness", "Gold facts found"),
    Metric("gold_cited", "citations", "Gold abstracts cited"),
    Metric("citation_precision", "citations", "Cited abstracts that are gold"),
    Metric("wrong_cited", "citations", "Cited what a reader called wrong", better=-1, yes_no=True),
    Metric("supported", "citations", "Sentences with verdict supported"),
    Metric("alce_recall", "citations", "Citation recall (ALCE)"),
    Metric("alce_precision", "citations", "Citation precision (ALCE)"),
    Metric("answered", "abstention", "Answered what can be answered", yes_no=True),
    Metric("refused", "abstention", "Refused what cannot be answered (recall)", yes_no=True),
    Metric("refusal_precision", "abstention", "Refusals that were right (precision)", yes_no=True),
    Metric("false_refusal", "abstention", "Refused although it can be answered", better=-1, yes_no=True),
    Metric("judge_faithfulness", "judges", "Faithful to what was sent, says the judge"),
    Metric("judge_relevancy", "judges", "To the question, says the judge"),
    Metric("judge_correctness", "judges", "As the reference answer, says the judge"),
    Metric("sentences", "form", "Sentences", better=0),
    Metric("violations", "form", "Violations of the answer contract", better=-1),
    Metric("error", "form", "Ended in an error", better=-1, yes_no=True),
    Metric("seconds", "cost", "Seconds in all", better=-1, unit="s"),
    Metric("seconds_retrieve", "cost", "Seconds to find", better=-1, unit="s"),
    Metric("seconds_llm", "cost", "Seconds of the model", better=-1, unit="s"),
    Metric("seconds_verify", "cost", "Seconds to check", better=-1, unit="s"),
    Metric("prompt_tokens", "cost", "Tokens read", better=-1, unit="tokens"),
    Metric("completion_tokens", "cost", "Tokens written", better=-1, unit="tokens"),
    Metric("cost_usd", "cost", "US dollars", better=-1, unit="USD"),
)

METRICS = {metric.name: metric for metric in _ALL}
"""In the order they are shown. A metric of a run that is not here is one of a judge; more is better."""


def is_judged(name: str) -> bool:
    """Whether a language model's opinion gave it."""
    return name not in METRICS or METRICS[name].group == "judges"
