"""Ranking metrics of each case, by ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.evaluate.case import Case

MEASURES = {"ndcg@10": "nDCG@10", "recall@5": "R@5", "recall@10": "R@10", "mrr": "RR", "map@10": "AP@10"}
"""Our names, and those of ir-measures."""

Answers = Mapping[str, Mapping[str, Any]]


def ranked(answer: Mapping[str, Any]) -> list[str]:
    """Ids of the hits in order, none twice."""
    return list(dict.fromkeys(str(hit["id"]) for hit in answer.get("hits") or []))


def grades_of(case: Case) -> dict[str, int]:
    """How relevant each gold abstract is; 1 where nothing else was judged."""
    return {identity: case.grades.get(identity, 1) for identity in case.gold}


def ranking_values(cases: Sequence[Case], answers: Answers) -> dict[str, dict[str, float]]:
    """Each measure of each case with gold, by case; 0 for a case whose answer has no hits."""
    import ir_measures

    judged = [case for case in cases if case.gold]
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    grades = [ir_measures.Qrel(case.id, i, grade) for case in judged for i, grade in grades_of(case).items()]
    run = [
        ir_measures.ScoredDoc(case.id, identity, float(-rank))
        for case in judged
        for rank, identity in enumerate(ranked(answers[case.id]))
    ]
    # What has no hits at all is in no run, and ir-measures says nothing of it.
    values = {case.id: dict.fromkeys(MEASURES, 0.0) for case in judged}
    if run:
        for metric in ir_measures.iter_calc(list(names), grades, run):
            values[metric.query_id][names[metric.measure]] = float(metric.value)
    return values
