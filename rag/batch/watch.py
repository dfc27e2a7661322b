"""How a run is watched: a bar on a terminal, a line now and then elsewhere, events for programs. All on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rag.batch.estimate import Estimate
from rag.batch.standing import Standing, Watcher

EVERY = 30.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def watching(*, events: bool) -> Iterator[Watcher]:
    """The watcher that fits what stderr is."""
    if events:
        yield Events(_say)
    elif sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield Lines(_say)


class Events:
    """A JSON object a line: `estimate` before the start, `answer` for each written, `waiting` in a pause."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def estimated(self, estimate: Estimate) -> None:
        """Event `estimate`."""
        self._event("estimate", estimate.to_dict())

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:
        """Events `answer`, or `waiting`."""
        for answer in written:
            fields = {name: answer[name] for name in ("id", "status", "reason", "detail")}
            self._event("answer", {**fields, **standing.to_dict()})
        if not written and standing.pause:
            self._event("waiting", {"pause": round(standing.pause, 1), **standing.to_dict()})

    def _event(self, name: str, fields: Mapping[str, Any]) -> None:
        self._say(json.dumps({"event": name, **fields}, ensure_ascii=False))


class Lines:
    """A line every half minute."""

    def __init__(
        self, say: Callable[[str], None], every: float = EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._every = every
        self._clock = clock
        self._last = clock()

    def estimated(self, estimate: Estimate) -> None:
        """One line."""
        self._say(estimate_text(estimate))

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002 - lines tell how many
        """A line when it is time."""
        now = self._clock()
        if now - self._last >= self._every:
            self._last = now
            self._say(standing_text(standing))


class Bar:
    """A progress bar of rich's, with what it stands for beside it."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def estimated(self, estimate: Estimate) -> None:
        """A line above the bar."""
        self._bar.console.print(estimate_text(estimate), markup=False, highlight=False)

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002 - as in Lines
        """Moves the bar."""
        text = standing_text(standing)
        self._bar.update(self._task, completed=standing.done, total=standing.total, description=text)


@contextmanager
def _bar() -> Iterator[Bar]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = BarColumn(bar_width=24), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Bar(bar)


def estimate_text(estimate: Estimate) -> str:
    """The estimate in one line."""
    if estimate.model is None:
        return f"{estimate.questions:,} questions to ask; quotes need no model and cost nothing."
    cost = f"{usd(estimate.least_usd)} to {usd(estimate.most_usd)}"
    if estimate.most_usd is None:
        cost = f"the price of {estimate.model} is unknown (FOOTNOTE_PRICES)"
    return (
        f"{estimate.questions:,} questions to ask {estimate.model}: about {estimate.prompt_tokens:,} tokens to read "
        f"(from the prompts of {estimate.sampled:,}), at most {estimate.reply_tokens:,} to write; {cost}."
    )


def standing_text(standing: Standing) -> str:
    """Where a run stands, in one line."""
    parts = [
        f"{standing.done:,} of {standing.total:,}",
        f"{standing.not_found:,} not found",
        f"{standing.errors:,} errors",
    ]
    if standing.rate is not None:
        parts.append(f"{standing.rate:.2g}/s" if standing.rate >= 0.1 else f"{standing.rate * 60:.2g}/min")
    if standing.cost_usd is not None:
        parts.append(f"{usd(standing.cost_usd)} spent")
    if standing.pause >= 1:
        parts.append(f"the server asks to wait {duration(standing.pause)}")
    if standing.left is not None and standing.done < standing.total:
        parts.append(f"{duration(standing.left)} left")
    return ", ".join(parts)


def usd(amount: float | None) -> str:
    """An amount of US dollars; cents below a dollar with four digits."""
    if amount is None:
        return "unknown"
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 05 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
