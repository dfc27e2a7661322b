"""How fast a server may be asked: fewer requests at once when it refuses some, more again while it answers.

Additive increase, multiplicative decrease (Chiu and Jain 1989), as TCP does it, plus a pause after each refusal.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST_PAUSE = 0.5
"""Seconds after a refusal that names no time; doubled with each further one until a request succeeds."""
LONGEST_PAUSE = 60.0
LONGEST_ASKED = 3600.0
"""Seconds that a server may ask to be left alone; one that asks for more is not waited for."""
MINUTE = 60.0


@dataclass(slots=True)
class Speed:
    """Requests that may run at once, at most `most`, and the time before which none may start. Times in seconds."""

    most: int
    first_pause: float = FIRST_PAUSE
    at_once: float = 0.0
    resume: float = 0.0
    slowed: float = float("-inf")
    setbacks: int = 0

    def __post_init__(self) -> None:
        """Begin at full speed."""
        self.at_once = float(self.most)

    def succeeded(self, started: float) -> None:
        """A request that started then was answered."""
        if started >= self.slowed:
            self.setbacks = 0
        self.at_once = min(float(self.most), self.at_once + 1 / self.at_once)

    def refused(self, started: float, now: float, retry_after: float | None) -> None:
        """A request was refused. Those that started before the last slowing down tell nothing new about the speed."""
        if started >= self.slowed:
            self.at_once = max(1.0, self.at_once / 2)
            self.slowed = now
            self.setbacks += 1
            pause = min(LONGEST_PAUSE, self.first_pause * 2 ** (self.setbacks - 1))
            self.resume = max(self.resume, now + (pause if retry_after is None else 0.0))
        self.resume = max(self.resume, now + (retry_after or 0.0))


@dataclass(slots=True)
class Spacing:
    """Lets at most `limit` a minute through, evenly; None: any number. Times in seconds."""

    limit: int | None
    free: float = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds until the next may start."""
        return max(0.0, self.free - now)

    def take(self, now: float, amount: float) -> None:
        """Start one that counts as `amount`."""
        if self.limit is not None:
            self.free = max(self.free, now) + MINUTE * amount / self.limit
