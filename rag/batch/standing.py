"""Where a run stands, for those who watch it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rag.batch.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """`done` of `total` questions have an answer or an error in the file, `asked` of them by this run.

    `errors` and `not_found` count questions by their last line. `cost_usd` is what this run spent: None where a price
    is unknown or no language model is asked. `pause`: seconds for which the server wants no request.
    """

    total: int
    done: int
    asked: int
    errors: int
    not_found: int
    cost_usd: float | None
    seconds: float
    pause: float = 0.0

    @property
    def rate(self) -> float | None:
        """Questions a second in this run; None before the first."""
        return self.asked / self.seconds if self.asked and self.seconds else None

    @property
    def left(self) -> float | None:
        """Seconds until the end at this rate; None where it is unknown."""
        return (self.total - self.done) / self.rate if self.rate else None

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types, times rounded."""
        rate, left = self.rate, self.left
        return {
            "total": self.total,
            "done": self.done,
            "asked": self.asked,
            "errors": self.errors,
            "not_found": self.not_found,
            "cost_usd": self.cost_usd,
            "seconds": round(self.seconds, 1),
            "per_second": None if rate is None else round(rate, 3),
            "seconds_left": None if left is None else round(left, 1),
        }


class Watcher(Protocol):
    """Told how a run goes, in the thread that called it."""

    def estimated(self, estimate: Estimate) -> None:
        """What the run may cost, before it starts."""

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:
        """Where it stands, with the answers just written: after each write, and every second without one."""


class Unwatched:
    """Nobody watches."""

    def estimated(self, estimate: Estimate) -> None:
        """Nothing is said."""

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:
        """Nothing is said."""


class Tally:
    """Counts what is written."""

    def __init__(self, total: int, statuses: Iterable[str]) -> None:
        """`statuses`: of those of the `total` questions that are answered already and not asked again."""
        self._total = total
        self._counts = Counter(statuses)
        self._started = time.monotonic()
        self.ids: set[str] = set()
        """Of the questions asked."""
        self.spent = 0.0
        self._priced = self._unpriced = False

    def add(self, answer: Mapping[str, Any]) -> None:
        """Count an answer that was written."""
        self.ids.add(answer["id"])
        self._counts[answer["status"]] += 1
        cost = answer["usage"]["cost_usd"]
        if cost is not None:
            self._priced = True
            self.spent += cost
        elif answer["model"] is not None and answer["status"] != "error":
            self._unpriced = True

    def standing(self, pause: float = 0.0) -> Standing:
        """Where the run stands now."""
        return Standing(
            self._total,
            self._counts.total(),
            len(self.ids),
            self._counts["error"],
            self._counts["not_found"],
            round(self.spent, 6) if self._priced and not self._unpriced else None,
            time.monotonic() - self._started,
            pause,
        )
