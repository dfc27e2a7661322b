"""Money that a file of answers may cost."""

from __future__ import annotations

LEARNT = 20
"""Answers after which the dearest of them says what one may cost, instead of the estimate."""


class Budget:
    """Starts a question only while all that run and this one can be paid for."""

    def __init__(self, most: float | None, spent: float, dearest: float) -> None:
        """`most`: US dollars, None without a limit; `dearest`: what one question may cost at most."""
        self.most = most
        self._spent = spent
        self._estimated = dearest
        self._seen: float = 0.0
        self._answers = 0

    def allows(self, unfinished: int) -> bool:
        """Whether one more may start beside these."""
        if self.most is None:
            return True
        dearest = self._seen if self._answers >= LEARNT else max(self._seen, self._estimated)
        return self._spent + (unfinished + 1) * dearest <= self.most

    def spend(self, cost_usd: float | None, *, asked: bool) -> None:
        """Count an answer; one whose cost the server did not tell counts as the dearest."""
        cost = (max(self._seen, self._estimated) if asked else 0.0) if cost_usd is None else cost_usd
        self._spent += cost
        if asked:
            self._answers += 1
            self._seen = max(self._seen, cost)
