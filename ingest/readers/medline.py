"""MEDLINE tagged text, PubMed's "PubMed" format and .nbib files: `PMID- 123`, continued on lines of six spaces.

Tags: https://www.nlm.nih.gov/bsd/mms/medlineelements.html.
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

START = re.compile(r"^[\ufeff ]?PMID\s?- ?\d", re.MULTILINE)
TAG = re.compile(r"([A-Z][A-Z0-9 ]{1,3})\s?-(?: (.*))?$")
DOI = re.compile(r"(10\.\d{4,9}/\S+)\s*\[doi\]")


def recognises(document: Document) -> Confidence:
    """Certain when a line `PMID- 123` stands there."""
    if START.search(document.lines):
        return Confidence.CERTAIN
    return Confidence.HINT if document.encoding and document.extension == ".nbib" else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each PMID to the next."""
    with document.open() as lines:
        for entry in entries(lines, tagged, frozenset({"PMID"}), frozenset()):
            yield RawRecord(fields(entry), document.source.at(entry.line))


def tagged(line: str) -> tuple[str, str] | None:
    """Four letters and a hyphen; a line that begins with spaces continues."""
    found = TAG.match(line)
    return (found[1].strip(), found[2] or "") if found else None


def fields(entry: Entry) -> dict[str, Any]:
    """The record's parts under their usual names."""
    identifiers = " ".join(entry.all("AID", "LID"))
    doi = DOI.search(identifiers)
    return {
        "title": entry.first("TI", "BTI", "TT"),
        "abstract": entry.whole("AB", "OAB"),
        "authors": people.whole((entry.all("FAU") or entry.all("AU")) + entry.all("CN") or entry.all("FED", "ED")),
        "year": entry.all("DP", "DEP", "EDAT"),
        "doi": doi[1] if doi else None,
        "pmid": entry.first("PMID"),
        "venue": entry.first("JT", "TA", "BTI"),
        "keywords": people.whole(word.replace("*", "") for word in entry.all("OT", "MH")),
        "language": entry.first("LA"),
        "retracted": retraction(entry),
    }


def retraction(entry: Entry) -> str | bool | None:
    """Where the retraction stands, or True where only the type of publication tells of one."""
    return entry.first("RIN") or ("Retracted Publication" in entry.all("PT") or None)


FORMAT = Format("MEDLINE", (".nbib", ".medline"), recognises, read)
