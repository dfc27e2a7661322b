"""A source opened for reading: its first bytes, and its lines as text."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TextIO

from ingest.source import Source
from rag.text.encoding import HEAD_BYTES, encoding_of


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader is given. `encoding` is None where the bytes are no text; `text` is then empty."""

    source: Source
    head: bytes = field(repr=False)
    encoding: str | None

    @classmethod
    def of(cls, source: Source) -> Document:
        """Look into `source`; raises OSError when it cannot be read."""
        with source.open() as stream:
            head = stream.read(HEAD_BYTES)
            stream.seek(0)
            return cls(source, head, encoding_of(stream))

    @property
    def extension(self) -> str:
        """Of the name, in lower case with its dot; empty where there is none."""
        return PurePath(self.source.name).suffix.lower()

    @property
    def complete(self) -> bool:
        """Whether the head is all there is."""
        return len(self.head) < HEAD_BYTES

    @property
    def text(self) -> str:
        """The head as text, its line ends as they are; a character cut at its end is left out."""
        if self.encoding is None:
            return ""
        text = self.head.decode(self.encoding, "replace")
        return text if self.complete else text.rstrip("\ufffd")

    @contextmanager
    def open(self, newline: str | None = None) -> Iterator[TextIO]:
        """The whole as text, line by line, U+FFFD for what the encoding cannot read; `newline` as for `open`."""
        with (
            self.source.open() as stream,
            io.TextIOWrapper(stream, self.encoding or "utf-8", "replace", newline=newline) as text,
        ):
            yield text
