"""Who writes to a shelf, and whether that process still lives."""

from __future__ import annotations

import json
from pathlib import Path

from rag.doctoring.check import MEND, Check, verdict

LOCK, HOLDER = "ingest.lock", "ingest.holder"
"""The lock ends with the process that holds it; the note about who that is may outlive it."""


def described(home: Path) -> str:
    """The holder as it wrote itself down."""
    try:
        who = json.loads((home / HOLDER).read_text(encoding="utf-8"))
        return f"process {who['pid']} on {who['host']} since {who['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "a process that has just begun"


def lock(home: Path) -> Check:
    """Whether an ingest runs, or one died and left its note."""
    from filelock import FileLock, Timeout

    if not (home / HOLDER).exists():
        return Check("lock", True, "nobody writes")
    mutex = FileLock(home / LOCK)
    try:
        mutex.acquire(timeout=0)
    except Timeout:
        return Check("lock", True, f"an ingest is running: {described(home)}")
    except OSError as error:
        return Check("lock", True, f"not checked: {error.strerror or error}")
    mutex.release()
    return verdict("lock", f"left behind by {described(home)}, which is gone", MEND)
