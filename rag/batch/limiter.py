"""One pace for all workers of a run: together they slow down, stop and recover."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rag.batch.speed import LONGEST_ASKED, Spacing, Speed
from rag.errors import FootnoteError
from rag.llms.errors import Failure
from rag.llms.pace import Backoff, Message
from rag.llms.tokens import MESSAGE_TOKENS, count

REFUSALS = 7
"""Attempts of one request that a busy server may refuse: half a minute when it names no time."""
OUTAGES = 10
"""Attempts of one request while a server that has answered before is away: three minutes."""
ENDING = ("bad_key", "quota")
"""Kinds of failure that all further questions would meet as well."""
NOTHING_ANSWERS = ("unknown_model",)
"""Likewise, as long as nothing has been answered."""


class NotAsked(FootnoteError):  # noqa: N818 - nothing went wrong
    """The run ended before this question's turn came."""


class Limiter:
    """The pace of a run. A request takes one of `workers` slots; its thread keeps it until the answer is written.

    So no more answers can be lost, asked for and not yet written, than there are workers.
    """

    def __init__(
        self,
        workers: int,
        *,
        rpm: int | None = None,
        tpm: int | None = None,
        reply_tokens: int = 0,
        speed: Speed | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`rpm`, `tpm`: requests and tokens a minute; a request counts as its prompt and `reply_tokens`."""
        self.ended: str | None = None
        """Why no further request starts; None while they do."""
        self._speed = speed or Speed(workers)
        self._requests, self._tokens = Spacing(rpm), Spacing(tpm)
        self._reply_tokens = reply_tokens
        self._clock = clock
        self._changed = threading.Condition()
        self._running = 0
        self._answered = False
        self._mine = threading.local()
        self._backoff = Backoff()

    @contextmanager
    def turn(self, messages: Sequence[Message]) -> Iterator[None]:
        """Held while a request runs; waits for a slot and for the time. Raises NotAsked once the run has ended."""
        started = self._enter(messages)
        try:
            yield
        except BaseException:
            self.release(int(self.keeps()))
            raise
        with self._changed:
            self._answered = True
            self._speed.succeeded(started)
            self._mine.kept = True
            self._changed.notify_all()

    def wait(self, failure: Failure, attempt: int) -> float | None:
        """0 where the next turn does the waiting, for all; else as `Backoff`. None: the request is not repeated."""
        if failure.kind in ENDING or (failure.kind in NOTHING_ANSWERS and not self._answered):
            self.end(failure.message)
        if failure.unreachable and (not self._answered or attempt >= OUTAGES):
            self.end(failure.message)
        elif failure.unreachable or (failure.overloaded and attempt < REFUSALS):
            return self._slow_down(failure.retry_after)
        return None if failure.overloaded else self._backoff.wait(failure, attempt)

    def keeps(self) -> bool:
        """Whether the calling thread holds a slot; from now on it does not, and who asked has to release it."""
        kept, self._mine.kept = getattr(self._mine, "kept", False), False
        return kept

    def release(self, slots: int) -> None:
        """Give slots back."""
        with self._changed:
            self._running -= slots
            self._changed.notify_all()

    def end(self, reason: str) -> None:
        """Start no further request; the first reason stands."""
        with self._changed:
            self.ended = self.ended or reason
            self._changed.notify_all()

    @property
    def pause(self) -> float:
        """Seconds for which no request starts because the server refused some."""
        return max(0.0, self._speed.resume - self._clock())

    def _enter(self, messages: Sequence[Message]) -> float:
        tokens = self._reply_tokens + _tokens(messages) if self._tokens.limit else 0
        with self._changed:
            while True:
                if self.ended is not None:
                    raise NotAsked(self.ended)
                now = self._clock()
                delay = max(self.pause, self._requests.delay(now), self._tokens.delay(now))
                kept = getattr(self._mine, "kept", False)
                if not kept and self._running >= int(self._speed.at_once):
                    self._changed.wait()
                elif delay > 0:
                    self._changed.wait(delay)
                else:
                    break
            self._running += not kept
            self._requests.take(now, 1)
            self._tokens.take(now, tokens)
            self._mine.kept, self._mine.started = True, now
            return now

    def _slow_down(self, retry_after: float | None) -> float | None:
        if retry_after is not None and retry_after > LONGEST_ASKED:
            return None
        with self._changed:
            self._speed.refused(self._mine.started, self._clock(), retry_after)
            self._changed.notify_all()
        return 0.0


def _tokens(messages: Sequence[Message]) -> int:
    return sum(count(message.content) + MESSAGE_TOKENS for message in messages)
