"""One writer at a time on a shelf. The lock is freed with the process that holds it, however that ends."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from rag.doctoring.lock import HOLDER, LOCK, described
from rag.errors import IndexUnusableError


@contextmanager
def writing(home: Path) -> Iterator[None]:
    """Hold the shelf's lock; raises IndexUnusableError, naming the holder, when another process has it."""
    file, holder = home / LOCK, home / HOLDER
    lock = FileLock(file)
    try:
        if home.is_file():
            raise IndexUnusableError(f"{home} is a file.", "Name a folder with --home.")
        home.mkdir(parents=True, exist_ok=True)
        file.touch()  # FileLock waits for a file it cannot make as if somebody held it
        lock.acquire(timeout=0)
    except Timeout:
        raise IndexUnusableError(
            f"Another ingest is writing to {home}: {described(home)}.", "Wait for it to end, then run again."
        ) from None
    except OSError as error:
        raise IndexUnusableError(
            f"The folder {home} cannot be written: {error.strerror or error}.", "Choose another with --home."
        ) from error
    try:
        who = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S")}
        with suppress(OSError):  # a full disk: the catalogue says so, where it matters
            holder.write_text(json.dumps(who), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()
