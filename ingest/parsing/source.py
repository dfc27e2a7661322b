"""Where records come from: a file, what was piped in, a member of an archive, or a service of the web."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Source:
    """A file under the name the user gave it; `data` instead of `path` for what can be read only once.

    `opener` stands before both where the bytes are packed: it gives them unpacked.
    """

    name: str
    path: Path | None = None
    data: bytes = field(default=b"", repr=False)
    opener: Callable[[], BinaryIO] | None = field(default=None, repr=False, compare=False)

    def open(self) -> BinaryIO:
        """A new stream from the first byte, seekable. Raises OSError when the file cannot be read."""
        if self.opener is not None:
            return self.opener()
        return io.BytesIO(self.data) if self.path is None else self.path.open("rb")

    def at(self, line: int) -> str:
        """The place of a line, "file:line"."""
        return f"{self.name}:{line}"


@dataclass(frozen=True, slots=True)
class Feed:
    """A query to a service, "arxiv:QUERY"."""

    name: str
