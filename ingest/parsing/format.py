"""What a reader module declares about its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ingest.parsing.document import Document
from ingest.records import RawRecord, Rejected


class Confidence(IntEnum):
    """How sure a reader is that a document is in its format. Content makes sure; a name only hints."""

    NO = 0
    FALLBACK = 1
    HINT = 2
    LIKELY = 3
    CERTAIN = 4


@dataclass(frozen=True, slots=True)
class Format:
    """One format: `recognises` looks at a document's head only, `read` yields its records in order.

    `extensions` are names' ends that hint at it where content does not tell; no two formats share one.

    `read` is told whether records may stand without an abstract (`titles`), yields Rejected for each record it
    cannot read and goes on behind it.
    """

    name: str
    extensions: tuple[str, ...]
    recognises: Callable[[Document], Confidence]
    read: Callable[[Document, bool], Iterator[RawRecord | Rejected]]
    xml: bool = False
    """Whether it is XML, told by its elements' names: such formats are asked first, before the encoding is found."""
