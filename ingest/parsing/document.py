"""A source opened for reading: its first bytes, what they tell, and its lines as text."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TextIO

from ingest.parsing.source import Source
from ingest.parsing.trees import opening_tags, opens_as_xml
from rag.text.encoding import HEAD_BYTES, encoding_of

PACKED = (".gz", ".bz2", ".xz")


@dataclass(frozen=True)
class Document:
    """What a reader is given. What costs a look into the file is found when it is first asked for."""

    source: Source
    head: bytes = field(repr=False)

    @classmethod
    def of(cls, source: Source) -> Document:
        """Look into `source`; raises OSError when it cannot be read."""
        with source.open() as stream:
            return cls(source, stream.read(HEAD_BYTES))

    @property
    def extension(self) -> str:
        """Of the name, in lower case with its dot, behind which a compression's own may stand; empty without one."""
        path = PurePath(self.source.name.lower())
        return PurePath(path.stem).suffix if path.suffix in PACKED else path.suffix

    @property
    def complete(self) -> bool:
        """Whether the head is all there is."""
        return len(self.head) < HEAD_BYTES

    @cached_property
    def encoding(self) -> str | None:
        """The codec that reads the bytes; None where they are no text. Reads the file; may raise OSError."""
        with self.source.open() as stream:
            return encoding_of(stream)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Names of the elements that open in the head, the root first, without namespaces; empty for what is no XML."""
        return opening_tags(self.head) if opens_as_xml(self.head) else ()

    @cached_property
    def text(self) -> str:
        """The head as text, its line ends as they are; a character cut at its end is left out."""
        if self.encoding is None:
            return ""
        text = self.head.decode(self.encoding, "replace")
        return text if self.complete else text.rstrip("\ufffd")

    @cached_property
    def lines(self) -> str:
        """`text` with every line end as one line feed, as `open` gives them."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n")

    @contextmanager
    def open(self, newline: str | None = None, encoding: str | None = None) -> Iterator[TextIO]:
        """The whole as text, line by line, U+FFFD for what the encoding cannot read; `newline` as for `open`.

        `encoding`: the one that the file itself declares, where that is to be believed.
        """
        with (
            self.source.open() as stream,
            io.TextIOWrapper(stream, encoding or self.encoding or "utf-8", "replace", newline=newline) as text,
        ):
            yield text
