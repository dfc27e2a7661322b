"""Files that nobody keeps abstracts in, known by their names."""

from __future__ import annotations

JUNK = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


def is_junk(name: str) -> bool:
    """Whether a file or folder is hidden or some program's leftover."""
    return name.startswith((".", "~$")) or name.endswith("~") or name in JUNK
