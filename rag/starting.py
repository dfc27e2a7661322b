"""The first moment of a command: Ctrl-C before the program is even loaded is no traceback either."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from types import FrameType

INTERRUPTED = 130


def start(module: str, name: str) -> None:
    """Load the `app` of a module and run it under this name."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # ignored in the background of a script

    def leave(_number: int, _frame: FrameType | None) -> None:
        sys.stderr.write(f"{name}: interrupted before anything was done.\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)

    if heeded:
        signal.signal(signal.SIGINT, leave)
    app = import_module(module).app
    from rag.console import run

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(app, name)
