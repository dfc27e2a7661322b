"""The values of the conversation store. Frozen; the store hands out new ones as things go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rag.types import Abstract, Answer, Filters, Style

State = Literal["waiting", "running", "done", "interrupted"]
"""`interrupted`: the server that was to answer ended before it had."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How a question is to be answered; what is None is as the settings say."""

    filters: Filters = Filters()
    top_k: int | None = None
    style: Style | None = None
    model: str | None = None


PLAIN = Wish()


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation as the list shows it. Times are seconds since the epoch; `turns` counts those in sight."""

    id: str
    title: str
    created: float
    updated: float
    turns: int
    deleted: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a turn has no answer: what happened, and what to do."""

    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A question and its reply as far as it has come.

    `text` is what the reader has seen of the reply; `withdrawn` the reason why text before it was replaced.
    `abstracts` are those that the answer's citations and hits name, by id, as they were when it was given.
    `revision` moves with every change.
    """

    id: int
    chat: str
    question: str
    asked: float
    state: State
    revision: int
    wish: Wish = PLAIN
    text: str = ""
    withdrawn: str = ""
    answer: Answer | None = None
    failure: Failure | None = None
    abstracts: Mapping[str, Abstract] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "interrupted")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a reader said of a turn: of its answer (`abstract` is None), or of one citation."""

    turn: int
    abstract: str | None
    good: bool | None
    comment: str = ""
