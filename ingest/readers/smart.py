"""SMART's tagged text, as test collections come (Cranfield, CACM, MED): `.I 1`, `.T`, `.A`, `.B`, `.W` on own lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tagged import Entry, entries
from ingest.records import RawRecord, Rejected
from ingest.text import people

START = re.compile(r"[\ufeff\s]*\.I[ \t]+\S+[ \t]*\r?\n\.[A-Z]\b")
TAG = re.compile(r"\.([A-Z])(?:[ \t]+(.*))?$")


def recognises(document: Document) -> Confidence:
    """Certain when the text begins with `.I` and a tag below it."""
    return Confidence.CERTAIN if START.match(document.lines) else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each `.I` to the next."""
    with document.open() as lines:
        for entry in entries(lines, tagged, frozenset({"I"}), frozenset()):
            yield RawRecord(fields(entry), document.source.at(entry.line))


def tagged(line: str) -> tuple[str, str] | None:
    """A full stop and one capital."""
    found = TAG.match(line)
    return (found[1], found[2] or "") if found else None


def fields(entry: Entry) -> dict[str, Any]:
    """The record's parts under their usual names; the abstract is in W, in some collections in B only."""
    return {
        "title": entry.first("T"),
        "abstract": entry.whole("W", "B"),
        "authors": people.whole(entry.lines("A")),
        "year": entry.all("B") if entry.all("W") else [],
        "keywords": people.whole(word for line in entry.lines("K") for word in line.split(",")),
        "key": entry.first("I"),
    }


FORMAT = Format("SMART", (), recognises, read)
