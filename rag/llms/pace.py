"""When a request to a model may start, and when a failed one is repeated."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Literal, NamedTuple, Protocol

from rag.llms.errors import Failure

ATTEMPTS = 4
FIRST_WAIT = 0.5  # seconds; doubled for each further attempt
LONGEST_WAIT = 60.0  # a server that asks for more is not waited for


class Message(NamedTuple):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Pace(Protocol):
    """Asked before and after each request; shared by all threads that ask one model."""

    def turn(self, messages: Sequence[Message]) -> AbstractContextManager[None]:
        """Held while a request runs. Entering it waits until the request may start."""

    def wait(self, failure: Failure, attempt: int) -> float | None:
        """Seconds until a request is repeated whose `attempt`-th attempt (from 1) failed; None: it is not."""


class Backoff:
    """For a person who waits for one answer: requests start at once and are repeated a few times."""

    def turn(self, messages: Sequence[Message]) -> AbstractContextManager[None]:  # noqa: ARG002 - all are alike
        """Nothing is waited for."""
        return nullcontext()

    def wait(self, failure: Failure, attempt: int) -> float | None:
        """What the server asks for, else a time that doubles; None after the last attempt."""
        if not failure.retryable or attempt >= ATTEMPTS:
            return None
        wait = FIRST_WAIT * 2 ** (attempt - 1) if failure.retry_after is None else failure.retry_after
        return wait if wait <= LONGEST_WAIT else None
