"""Long work that a page starts and looks at: one at a time for each shelf and kind, going on without the page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rag.chats.values import Failure
from rag.errors import FootnoteError

LOG = logging.getLogger(__name__)

Tell = Callable[[str, int, int | None], None]
"""Told what is being done, how much is done, and of how much (None where unknown)."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a job stands: running while neither `result` nor `failure` is there."""

    name: str
    doing: str = ""
    done: int = 0
    of: int | None = None
    result: Any = None
    failure: Failure | None = None
    finished: bool = False


class Jobs:
    """The jobs of the process by key; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Standing] = {}
        self._stopped: set[str] = set()

    def start(self, key: str, name: str, work: Callable[[Tell], Any]) -> bool:
        """Begin work in a thread of its own; False where one of this key is running."""
        with self._lock:
            known = self._known.get(key)
            if known is not None and not known.finished:
                return False
            self._known[key] = Standing(name)
            self._stopped.discard(key)
        threading.Thread(target=self._run, args=(key, name, work), name=f"job {key}", daemon=True).start()
        return True

    def standing(self, key: str) -> Standing | None:
        """Where the job of a key stands or how it ended; None where there was none, or it was forgotten."""
        return self._known.get(key)

    def stop(self, key: str) -> None:
        """Ask the job of a key to end early."""
        self._stopped.add(key)

    def is_stopped(self, key: str) -> bool:
        """Whether somebody asked it to."""
        return key in self._stopped

    def forget(self, key: str) -> None:
        """Forget how a job ended; one that runs stays."""
        with self._lock:
            known = self._known.get(key)
            if known is not None and known.finished:
                del self._known[key]

    def _run(self, key: str, name: str, work: Callable[[Tell], Any]) -> None:
        def tell(doing: str, done: int, of: int | None) -> None:
            self._known[key] = Standing(name, doing, done, of)

        try:
            self._known[key] = Standing(name, result=work(tell), finished=True)
        except FootnoteError as error:
            self._known[key] = Standing(name, failure=Failure(error.message, error.fix), finished=True)
        except Exception as error:
            LOG.error("%s failed.", name, exc_info=error)
            said = Failure(f"{name} failed: {type(error).__name__}: {error}.", "The server's log has the details.")
            self._known[key] = Standing(name, failure=said, finished=True)
