"""A case as it is drafted: not yet looked at by a person."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["fact", "method", "paraphrase", "acronym", "keyword", "typo", "unanswerable", "offtopic"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One drafted case. `quote` stands word for word in the first gold abstract's text; `how` names what made it.

    `about` is the abstract it was made from, also where nothing in it is the answer and `gold` is empty.
    """

    kind: Kind
    question: str
    how: str
    about: str = ""
    gold: tuple[str, ...] = ()
    answer: str = ""
    facts: tuple[str, ...] = ()
    quote: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`draft-` and 10 hex digits of type and question: the same draft has the same id in every run."""
        return "draft-" + hashlib.sha256(f"{self.kind}\n{self.question}".encode()).hexdigest()[:10]

    @property
    def key(self) -> tuple[str, ...]:
        """What it shares with drafts that are too much like it: a question is misspelt once, not in a thousand ways."""
        return (self.kind, *self.quote, *self.facts) if self.kind == "typo" else (self.id,)

    def asking(self, question: str, kind: Kind, how: str) -> Draft:
        """The same case asked otherwise."""
        return replace(self, question=question, kind=kind, how=how)

    def to_dict(self) -> dict[str, Any]:
        """An evaluation case in JSON's types, marked with `draft`."""
        return {
            "id": self.id,
            "type": self.kind,
            "question": self.question,
            "history": [],
            "gold": list(self.gold),
            "answer": self.answer,
            "facts": list(self.facts),
            "quote": list(self.quote),
            "draft": True,
            "how": self.how,
            "about": self.about,
        }
