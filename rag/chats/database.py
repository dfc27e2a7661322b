"""The file of the conversations: one connection that a process's threads share, opened by one process at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock

from rag.chats.schema import migrate
from rag.errors import FootnoteError

FILE_NAME = "conversations.sqlite3"
BUSY_SECONDS = 20


class Database:
    """SQLite with numbered migrations, in WAL mode; safe to use from several threads and processes."""

    def __init__(self, home: Path) -> None:
        """Open it in the folder `home`, which is there; raises FootnoteError where it cannot be kept."""
        self.path = home / FILE_NAME
        self._lock = threading.RLock()
        try:
            with FileLock(home / f".{FILE_NAME}.lock", timeout=BUSY_SECONDS):
                self._connection = self._connect()
        except (sqlite3.Error, OSError) as error:
            raise FootnoteError(
                f"Conversations cannot be kept in {self.path}: {error}.",
                "See that the folder can be written; move the file away if it is damaged.",
            ) from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", "secure_delete = ON"):
                connection.execute(f"PRAGMA {pragma}")
            connection.create_function("casefold", 1, lambda text: (text or "").casefold(), deterministic=True)
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; raises FootnoteError where the store cannot be written."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.OperationalError as error:
                raise FootnoteError(
                    f"The conversations in {self.path} cannot be written: {error}.",
                    "Free the disk or the folder's permissions.",
                ) from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def change(self, query: str, values: Sequence[Any]) -> int:
        """Run one statement; how many rows it changed."""
        with self.transaction() as connection:
            return connection.execute(query, values).rowcount
