"""Waiting for what another thread or process does, never for ever."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a test no longer believes that it will come; machines that are busy take long."""


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Come back as soon as `condition` holds; fails after `seconds`, naming `what` did not happen."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.005)
