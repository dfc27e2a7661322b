"""The SQLite file inside an embedded Chroma's folder: in WAL mode from the start, and asked whether it can be written.

Chroma waits for a locked file for a quarter of an hour and lets no other thread of Python run meanwhile, so that
nothing in its process can end the wait. Whether the file is free is therefore asked before, and in a process of its
own: to open and close it by another SQLite in a process that holds Chroma's client drops the client's locks.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

_NAME = "chroma.sqlite3"
_ASK = """
import sqlite3, sys
try:
    file = sqlite3.connect(sys.argv[1], timeout=float(sys.argv[2]), isolation_level=None)
    file.execute("BEGIN IMMEDIATE")
except sqlite3.DatabaseError as error:
    sys.exit(75 if getattr(error, "sqlite_errorcode", 0) & 255 == sqlite3.SQLITE_BUSY else 0)
file.execute("ROLLBACK")
file.execute("PRAGMA busy_timeout = 0")
try:
    file.execute("PRAGMA journal_mode = WAL")  # a folder of an earlier version, and nobody in it
except sqlite3.DatabaseError:
    pass
"""
_BUSY = 75
_STARTING = 5.0
"""Seconds a busy machine may take to start the process that asks."""


def make(folder: Path) -> None:
    """Put an empty file in WAL mode where Chroma will make its tables: who reads then waits for no writer."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / _NAME)) as file:
        file.execute("PRAGMA journal_mode = WAL")


class Asked:
    """A process that asks for the right to write and gives it back, while the one that began it does other work."""

    def __init__(self, folder: Path, patience: float) -> None:
        """Wait up to `patience` seconds for whoever writes."""
        self._patience = patience
        command = [sys.executable, "-I", "-S", "-c", _ASK, str(folder / _NAME), str(patience)]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - our own interpreter

    def busy(self) -> bool:
        """Whether somebody wrote all the time; of a file that is missing or damaged Chroma tells better."""
        try:
            return self._process.wait(self._patience + _STARTING) == _BUSY
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return True
