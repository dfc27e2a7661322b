"""What an answer takes: seconds by stage, and the tokens of every request to a model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Literal

from rag.types import Seconds, Usage

Stage = Literal["total", "retrieve", "llm", "verify"]


class Account:
    """Kept while an answer is made; `seconds` and `usage` may be read at any time."""

    def __init__(self) -> None:
        self.seconds = Seconds()
        self._requests: list[Usage] = []

    @property
    def usage(self) -> Usage:
        """Of all requests together; unknown where there was none, or one whose usage is unknown."""
        return reduce(add, self._requests) if self._requests else Usage()

    def charge(self, usage: Usage | None) -> None:
        """Add what a request took; None where none was made."""
        if usage is not None:
            self._requests.append(usage)

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Add the time that passes inside to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (getattr(self.seconds, stage) or 0.0) + time.perf_counter() - started
            self.seconds = replace(self.seconds, **{stage: round(spent, 4)})
