"""A question with what is known about its right answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag.types import Question

OTHER = "other"
MUST_REFUSE = frozenset({"unanswerable", "offtopic"})
"""Types whose right answer is that the shelf does not say it."""
MAY_REFUSE = frozenset({"false_premise"})
"""Types for which "not stated", with an abstract cited, is as right as an answer."""
FEEDBACK = "feedback"
"""Type of what readers said of answers in the chat."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question and its gold. `where` is the `file:line` it stands at.

    `gold` are ids of the abstracts that answer it, `grades` how much each does where that was judged (else 1 each);
    `facts` are what a right answer states, `quote` the sentences of gold abstracts that state them; `wrong` are ids of
    abstracts that must not be cited.
    """

    question: Question
    type: str = OTHER
    gold: tuple[str, ...] = ()
    answer: str | None = None
    facts: tuple[str, ...] = ()
    quote: tuple[str, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    where: str = ""
    draft: bool = False
    """Made by a program, and not looked at by a person yet."""
    wrong: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The question's id."""
        return self.question.id

    @property
    def must_refuse(self) -> bool:
        """Whether only `not_found` is right."""
        return self.type in MUST_REFUSE

    @property
    def must_answer(self) -> bool:
        """Whether a refusal is wrong; of feedback without a source that was found good nobody knows."""
        return not self.must_refuse and (bool(self.gold) or self.type != FEEDBACK)

    def to_dict(self) -> dict[str, Any]:
        """One line of a file of cases, optional fields only where they say something."""
        question = self.question
        known: dict[str, Any] = {
            "history": [{"role": turn.role, "content": turn.content} for turn in question.history],
            "filters": question.filters.to_dict(),
            "top_k": question.top_k,
            "gold": list(self.gold),
            "answer": self.answer,
            "facts": list(self.facts),
            "quote": list(self.quote),
            "grades": dict(self.grades),
            "wrong": list(self.wrong),
            "draft": self.draft,
        }
        fields = {name: value for name, value in known.items() if value}
        return {"id": self.id, "type": self.type, "question": question.text, **fields}
