"""A tiny run made by hand: two questions with gold, one that must be refused, one that ended in an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.evaluate.run import About, Baseline, Run
from rag.evaluate.score import CaseScore
from rag.evaluate.summary import summarise

ABOUT = About(
    settings=None,
    fingerprints=("abc123",),
    indexes=("hashing",),
    models=(),
    modes=("quotes",),
    code="c0de",
    prompts="9909",
    cases="ca5e5",
    judge="verifier",
    seed=7,
    libraries={"numpy": "2"},
    created="2026-01-02T03:04:05+00:00",
)


def answer(identity: str, hits: Sequence[tuple[str, float]], **fields: Any) -> dict[str, Any]:
    """An Answer (schema 1) that cites its first hit, unless it says otherwise."""
    first = hits[0][0] if hits else "none"
    citation = {"number": 1, "id": first, "title": f"Paper {first}", "authors": ["Ada Lum"], "year": 2020}
    return {
        "schema": 1,
        "id": identity,
        "question": f"Question {identity}?",
        "status": "answered",
        "reason": None,
        "mode": "llm",
        "answer": "It is so [1].",
        "sentences": [{"text": "It is so.", "citations": [1], "verdict": "supported", "evidence": []}],
        "citations": [{**citation, "url": None, "source": "a.txt:1", "label": f"Paper {first}"}],
        "hits": [{"id": name, "title": None, "score": score, "sent": True} for name, score in hits],
        "seconds": {"total": 0.25},
        **fields,
    }


REFUSED: dict[str, Any] = {"status": "not_found", "reason": "nothing_relevant", "citations": [], "sentences": []}
CASES: tuple[Mapping[str, Any], ...] = (
    {"id": "one", "type": "fact", "question": "Is it so?", "gold": ["a"], "facts": ["is so"], "answer": "It is."},
    {"id": "two", "type": "method", "question": "How so?", "gold": ["a", "b"], "facts": ["by wind", "by rain"]},
    {"id": "three", "type": "offtopic", "question": "What is for lunch?"},
    {"id": "four", "type": "fact", "question": "Is it late?", "gold": ["c"]},
)
ANSWERS = {
    "one": answer("one", [("a", 9.0), ("b", 2.0)]),
    "two": answer("two", [("c", 4.0), ("a", 3.0), ("b", 1.0)], seconds={"total": 2.0}),
    "three": answer("three", [("c", 5.0)], answer="None of the abstracts is about this.", **REFUSED),
    "four": answer("four", [], status="error", reason="timeout", detail="It took too long.", answer="", citations=[]),
}
SCORES = (
    CaseScore("one", "fact", {"ndcg@10": 1.0, "facts": 1.0, "gold_cited": 1.0, "answered": 1.0, "false_refusal": 0.0}),
    CaseScore(
        "two",
        "method",
        {"ndcg@10": 0.7, "facts": 0.0, "gold_cited": 0.0, "answered": 1.0, "false_refusal": 0.0},
        {"judge_faithfulness": "unreadable"},
    ),
    CaseScore("three", "offtopic", {"refused": 1.0, "refusal_precision": 1.0}),
    CaseScore("four", "fact", {"error": 1.0}, {"ndcg@10": "timeout", "answered": "timeout"}),
)


def made_run(
    cases: Sequence[Mapping[str, Any]] = CASES,
    answers: Mapping[str, Mapping[str, Any]] = ANSWERS,
    scores: Sequence[CaseScore] = SCORES,
    about: About = ABOUT,
) -> Run:
    """The run, with itself as both baselines."""
    summary = summarise(scores)
    baseline = Baseline(tuple(scores), summary)
    baselines = {"quotes": baseline, "copy_top": baseline}
    return Run(about, tuple(cases), answers, tuple(scores), summary, baselines)
