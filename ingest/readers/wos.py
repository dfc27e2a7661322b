"""Web of Science and ISI tagged text (.ciw, .isi, .txt): `PT J` to `ER`, continued on lines of three spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tagged import Entry, entries
from ingest.parsing.web_of_science import retraction
from ingest.records import RawRecord, Rejected
from ingest.text import people

START = re.compile(
    r"\A[\ufeff\s]*(?:FN [^\n]{3,80}\r?\n(?:VR [\d.]+\s*\r?\n)?\s*)?PT [A-Z][a-z]{0,9}\s*\r?\n", re.ASCII
)
HEADER = re.compile(r"\A[\ufeff\s]*FN [^\n]{3,80}\r?\n[\ufeff\s]*VR [\d.]+\s*\r?\n")
TAG = re.compile(r"([A-Z][A-Z0-9])(?: (.*))?$")
BETWEEN = frozenset({"FN", "VR"})


def recognises(document: Document) -> Confidence:
    """Certain when the file begins with `FN` and `VR`, or with `PT`."""
    if START.match(document.lines) or HEADER.match(document.lines):
        return Confidence.CERTAIN
    return Confidence.HINT if document.encoding and document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each PT to its ER, or to the next PT where the ER is missing."""
    with document.open() as lines:
        for entry in entries(lines, tagged, frozenset({"PT"}), frozenset({"ER", "EF"})):
            if not entry.values.keys() <= BETWEEN:
                yield RawRecord(fields(entry), document.source.at(entry.line))


def tagged(line: str) -> tuple[str, str] | None:
    """Two capitals and a space; a line that begins with spaces continues."""
    found = TAG.match(line)
    return (found[1], found[2] or "") if found else None


def fields(entry: Entry) -> dict[str, Any]:
    """The record's parts under their usual names."""
    return {
        "title": entry.first("TI", "FT"),
        "abstract": entry.whole("AB"),
        "authors": people.whole(entry.lines("AF") or entry.lines("AU") or entry.lines("CA", "BE", "ED")),
        "year": entry.all("PY", "PD", "EY"),
        "doi": entry.first("DI", "D2"),
        "pmid": entry.first("PM"),
        "url": entry.all("UR", "DL"),
        "venue": entry.first("SO", "JI", "J9"),
        "keywords": people.whole(word for value in entry.all("DE", "ID") for word in value.split(";")),
        "language": entry.first("LA"),
        "retracted": retraction(entry.first("DT")),
        "key": entry.first("UT", "AN"),
    }


FORMAT = Format("Web of Science", (".ciw", ".isi"), recognises, read)
