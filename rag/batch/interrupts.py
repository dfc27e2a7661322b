"""Ctrl-C during a run: once to finish what is in flight, twice to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def first_interrupt(calls: Callable[[], None]) -> Iterator[None]:
    """Within it the first SIGINT calls a function, the next raises KeyboardInterrupt as ever.

    Signals reach the main thread alone; in another one nothing changes. Nor does it where the caller had SIGINT
    ignored, as a shell does for what a script starts with `&`.
    """
    previous = signal.getsignal(signal.SIGINT)
    if previous is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what handlers are given
        signal.signal(signal.SIGINT, previous)
        calls()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
