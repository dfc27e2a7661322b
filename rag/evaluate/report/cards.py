"""What the report says about one case. Everything is plain text or Markup whose data was escaped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from rag.evaluate.facts import has_fact
from rag.evaluate.run import Run
from rag.evaluate.score import CaseScore
from rag.export import entries as about
from rag.export.page import body

COLUMNS = ("ndcg@10", "facts", "gold_cited", "supported", "right", "seconds")
"""Numbers shown beside each case; `right` is `answered` or `refused`, whichever applies."""


@dataclass(frozen=True, slots=True)
class Source:
    """A cited abstract: `link` is an address of the web or None."""

    number: int
    reference: str
    place: str
    link: str | None
    gold: bool
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A case with its answer. `facts` tell whether each was found; `gold` gives ids with their rank, None if unfound.

    `values` has None for what does not apply or is unscored; `unscored` says why.
    """

    number: int
    id: str
    type: str
    question: str
    history: tuple[tuple[str, str], ...]
    status: str
    kind: str
    reference: str
    facts: tuple[tuple[str, bool], ...]
    gold: tuple[tuple[str, int | None], ...]
    quote: tuple[str, ...]
    body: Markup
    sources: tuple[Source, ...]
    doubts: tuple[tuple[str, str], ...]
    violations: tuple[str, ...]
    unscored: tuple[tuple[str, str], ...]
    values: Mapping[str, float | None]

    @property
    def right(self) -> bool:
        """Whether nothing that was scored is less than it could be, and no contract was broken."""
        scored = (self.values[name] for name in ("ndcg@10", "facts", "gold_cited", "right"))
        return self.kind != "error" and not self.violations and all(value in (None, 1.0) for value in scored)


def card(run: Run, case: Mapping[str, Any], score: CaseScore, number: int) -> Card:
    """The card of a case; `number` makes its anchors unique on the page."""
    answer = run.answers.get(case["id"])
    gold = case.get("gold") or []
    text = (answer or {}).get("answer") or ""
    values: dict[str, float | None] = {name: score.values.get(name) for name in COLUMNS}
    values["right"] = score.values.get("refused", score.values.get("answered"))
    return Card(
        number=number,
        id=str(case["id"]),
        type=str(case["type"]),
        question=str(case["question"]),
        history=tuple((turn["role"], turn["content"]) for turn in case.get("history") or []),
        status=about.status(answer) if answer else "no answer",
        kind=str(answer["status"]) if answer else "error",
        reference=case.get("answer") or "",
        facts=tuple((fact, bool(answer) and has_fact(fact, text)) for fact in case.get("facts") or []),
        gold=tuple((identity, _rank(answer, identity)) for identity in gold),
        quote=tuple(case.get("quote") or []),
        body=body(answer, number) if answer else Markup("<p>There is no answer to this case.</p>"),
        sources=tuple(_sources(answer or {}, set(gold))),
        doubts=tuple(about.doubts(answer)) if answer else (),
        violations=score.violations,
        unscored=tuple(score.unscored.items()),
        values=values,
    )


def _rank(answer: Mapping[str, Any] | None, identity: str) -> int | None:
    ids = [hit["id"] for hit in (answer or {}).get("hits") or []]
    return ids.index(identity) + 1 if identity in ids else None


def _sources(answer: Mapping[str, Any], gold: set[str]) -> list[Source]:
    return [
        Source(
            citation["number"],
            about.reference(citation),
            about.place(citation),
            about.link(citation),
            citation["id"] in gold,
            tuple(about.quotes(answer, citation)),
        )
        for citation in answer.get("citations") or []
    ]
