"""Which processes are there: each holds a lock that the system frees with it, however it ends."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

FOLDER = "chats.running"


class Presence:
    """This process's sign of life in a folder, and a look at those of others."""

    def __init__(self, home: Path) -> None:
        """Raises OSError where the folder cannot be written."""
        self._folder = home / FOLDER
        self._folder.mkdir(parents=True, exist_ok=True)
        self.token = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._lock = FileLock(self._folder / self.token)
        self._lock.acquire(timeout=0)

    def is_alive(self, token: str) -> bool:
        """Whether the process of that token still runs."""
        path = self._folder / token
        if token == self.token:
            return self._lock.is_locked
        if not path.exists():
            return False
        other = FileLock(path)
        try:
            other.acquire(timeout=0)
        except Timeout:
            return True
        other.release()
        with suppress(OSError):
            path.unlink()
        return False

    def close(self) -> None:
        """Be gone."""
        self._lock.release()
        with suppress(OSError):
            (self._folder / self.token).unlink()
