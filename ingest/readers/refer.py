"""Refer, EndNote's import format (.enw): `%0 Journal Article`, `%T title`, `%X abstract`, a blank line between records.

Format: https://en.wikipedia.org/wiki/Refer_(software) and EndNote's "EndNote Export" style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tagged import Entry, entries
from ingest.records import RawRecord, Rejected
from ingest.text import people

START = re.compile(r"\A[\ufeff\s]*%[0AT] \S", re.ASCII)
SECOND = re.compile(r"^%[A-Z@0-9] ", re.MULTILINE)
TAG = re.compile(r"%([A-Z0-9@\[~^!$&*#+<=>?()\]])(?:[ \t](.*))?$")


def recognises(document: Document) -> Confidence:
    """Certain when the text begins with a tag and goes on with others."""
    if START.match(document.lines) and len(SECOND.findall(document.lines)) > 1:
        return Confidence.CERTAIN
    return Confidence.HINT if document.encoding and document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each `%0` to the next; without such, from blank line to blank line."""
    typed = re.search(r"^[\ufeff ]?%0 ", document.lines, re.MULTILINE) is not None
    starts, ends = (frozenset({"0"}), frozenset[str]()) if typed else (frozenset[str](), frozenset({""}))

    def tag_of(line: str) -> tuple[str, str] | None:
        return ("", "") if not typed and not line.strip() else tagged(line)

    with document.open() as lines:
        for entry in entries(lines, tag_of, starts, ends):
            yield RawRecord(fields(entry), document.source.at(entry.line))


def tagged(line: str) -> tuple[str, str] | None:
    """A percent sign, one character and a space."""
    found = TAG.match(line)
    return (found[1], found[2] or "") if found else None


def fields(entry: Entry) -> dict[str, Any]:
    """The record's parts under their usual names."""
    return {
        "title": entry.first("T", "!"),
        "abstract": entry.whole("X"),
        "authors": people.whole(entry.all("A") or entry.all("E")),
        "year": entry.all("D", "8"),
        "doi": entry.first("R"),
        "url": entry.all("U", ">"),
        "venue": entry.first("J", "B"),
        "keywords": people.whole(word for value in entry.lines("K") for word in value.split(";")),
        "language": entry.first("G"),
        "key": entry.first("F", "M"),
    }


FORMAT = Format("Refer", (".enw", ".refer"), recognises, read)
