"""Conversations of this process: what was asked, and each reply as far as it has come."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.errors import FootnoteError
from rag.types import Abstract, Answer, Turn

KEPT = 200
"""Conversations kept in memory; the one unused for longest goes first."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it stands: running while neither `answer` nor `error` is there.

    `abstracts` are those that the answer's citations and hits name, by id; `withdrawn` is the reason why text shown
    before was replaced.
    """

    text: str = ""
    withdrawn: str = ""
    answer: Answer | None = None
    abstracts: Mapping[str, Abstract] = field(default_factory=dict)
    error: FootnoteError | None = None

    @property
    def done(self) -> bool:
        """Whether nothing more will come."""
        return self.answer is not None or self.error is not None


class Exchange:
    """A question and its reply. One thread writes `reply`, as a whole value; any number read it."""

    def __init__(self, question: str) -> None:
        self.question = question
        self.reply = Reply()
        self._done = threading.Event()

    def finish(self, reply: Reply) -> None:
        """Set the final reply and wake those who wait."""
        self.reply = reply
        self._done.set()

    def wait(self, seconds: float) -> bool:
        """Whether the reply is final, after waiting for it at most `seconds`."""
        return self._done.wait(seconds)


class Conversation:
    """Questions in the order they were asked; they are answered one after the other."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.exchanges: list[Exchange] = []
        self._lock = threading.Lock()
        self._answering = False

    def add(self, question: str) -> tuple[Exchange, bool]:
        """Append a question. Also says whether the caller must have it answered, since nobody answers at present."""
        exchange = Exchange(question)
        with self._lock:
            self.exchanges.append(exchange)
            nobody_answers, self._answering = not self._answering, True
        return exchange, nobody_answers

    def waiting(self) -> Exchange | None:
        """The first question without a final reply. After None nobody answers any more."""
        with self._lock:
            found = next((exchange for exchange in self.exchanges if not exchange.reply.done), None)
            self._answering = found is not None
            return found

    def history(self, before: Exchange) -> tuple[Turn, ...]:
        """The answered exchanges before one; failed ones are no part of what was said."""
        turns: list[Turn] = []
        for exchange in self.exchanges[: self.exchanges.index(before)]:
            answer = exchange.reply.answer
            if answer is not None and answer.status != "error":
                turns += [Turn("user", exchange.question), Turn("assistant", answer.answer)]
        return tuple(turns)


class Conversations:
    """All conversations of the process, by name; safe to use from several threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Conversation] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self) -> Conversation:
        """A new conversation, under a name nobody can guess."""
        conversation = Conversation(secrets.token_urlsafe(9))
        with self._lock:
            self._known[conversation.name] = conversation
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return conversation

    def get(self, name: str) -> Conversation | None:
        """The conversation of that name, None where the process does not know it (any more)."""
        with self._lock:
            if name in self._known:
                self._known.move_to_end(name)
            return self._known.get(name)
