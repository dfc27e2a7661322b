"""RIS: `TY  - JOUR` to `ER  - `, as EndNote, Zotero, Mendeley, Scopus, Web of Science, Ovid, EBSCO and others write it.

Format: https://en.wikipedia.org/wiki/RIS_(file_format), after Research Information Systems' specification of 2001 and
2011. Tags differ between exporters: the abstract is in AB or N2, the title in TI or T1, the journal in T2, JF or JO.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tagged import Entry, Tagged, entries
from ingest.records import RawRecord, Rejected
from ingest.text import people

START = re.compile(r"^[\ufeff \t]*TY(?P<gap>[ \t]{0,4})-[ \t]*[\w-]{1,20}[ \t]*\r?$", re.MULTILINE)
STRICT = re.compile(r"[ \t]{0,3}([A-Z][A-Z0-9])[ \t]{2,4}-[ \t]?(.*)$")
LOOSE = re.compile(r"[ \t]{0,3}([A-Z][A-Z0-9])[ \t]{0,4}-[ \t]*(.*)$")
TAGS = frozenset(
    "TY A1 A2 A3 A4 AB AI AN AU AV BT C1 C2 C3 C4 C5 C6 C7 C8 CA CN CP CT CY DA DB DI DO DP DS ED EP ER ET FD H1 H2 ID"
    " IS J1 J2 JA JF JO KW L1 L2 L3 L4 LA LB LK LL M1 M2 M3 N1 N2 NO NV OP PA PB PM PP PY RD RI RN RP SE SF SL SN SP SR"
    " ST SV T1 T2 T3 TA TI TT U1 U2 U3 U4 U5 UR VL VO WP WT WV Y1 Y2 AD".split()
)
OPENING = frozenset({"T1", "TI", "AU", "A1", "AB", "N2", "ID"})
"""Tags that begin a record whose TY is lost; others behind an ER (Ovid's NL) belong to none."""
BOOKS = frozenset({"BOOK", "EBOOK", "EDBOOK"})
PUBMED = re.compile(r"pubmed|medline|nlm\b", re.IGNORECASE)
PMID = re.compile(r"\b(\d{4,9})\s*\[pmid\]", re.IGNORECASE)
DOI_NOTE = re.compile(r"\A(?:doi:?\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+\Z", re.IGNORECASE)
RETRACTED = re.compile(r"\bretract(?:ed publication|ion in\b|ed article)", re.IGNORECASE)


def recognises(document: Document) -> Confidence:
    """Certain when a line `TY  - TYPE` stands there and what comes before is no other format."""
    found = START.search(document.lines)
    if found is None or re.match(r"\s*(?:[<{\[]|@\w+\s*[{(])", document.lines.lstrip("\ufeff")[:80]):
        return Confidence.HINT if document.encoding and document.extension == ".ris" else Confidence.NO
    return Confidence.CERTAIN


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each TY to its ER, or to the next TY where the ER is missing."""
    with document.open() as lines:
        for entry in entries(lines, tagged(document), frozenset({"TY"}), frozenset({"ER"}), OPENING):
            if not entry.values.keys() <= {"TY"}:
                yield RawRecord(fields(entry), document.source.at(entry.line))
            else:
                yield Rejected(document.source.at(entry.line), "an empty record")


def tagged(document: Document) -> Tagged:
    """How this file writes its tags: with two spaces, or carelessly; then only tags of the format are tags."""
    start = START.search(document.lines)
    pattern = STRICT if start is None or len(start["gap"]) >= 2 else LOOSE

    def tag_of(line: str) -> tuple[str, str] | None:
        found = pattern.match(line)
        if found is None or (pattern is LOOSE and found[1] not in TAGS):
            return None
        return found[1], found[2]

    return tag_of


def fields(entry: Entry) -> dict[str, Any]:
    """The record's parts under their usual names."""
    book = entry.first("TY") in BOOKS
    return {
        "title": entry.first("TI", "T1", "CT", *(("BT", "T2") if book else ("BT",)), "TT"),
        "abstract": entry.whole("AB", "N2"),
        "authors": authors(entry),
        "year": entry.all("PY", "Y1", "DA"),
        "doi": doi(entry),
        "pmid": pmid(entry),
        "url": entry.all("UR", "LK", "L2", "L1"),
        "venue": None if book else entry.first("JF", "T2", "JO", "JA", "J2", "J1", "C3", "BT", "T3"),
        "keywords": keywords(entry),
        "language": entry.first("LA"),
        "retracted": next((note for note in entry.all("M3", "N1", "PT") if RETRACTED.search(note)), None),
        "key": entry.first("ID", "AN"),
        "footnote": entry.first("U5"),
    }


def authors(entry: Entry) -> list[dict[str, str]]:
    """One a tag; some exporters put all into one, parted by semicolons. Editors where there is none."""
    found = entry.all("AU") + entry.all("A1") or entry.all("A2", "ED")
    return people.whole(name for value in found for name in value.split(";"))


def keywords(entry: Entry) -> list[dict[str, str]]:
    """One a tag, one a line or parted by semicolons; a single one by commas. No asterisks of major headings."""
    values = entry.lines("KW")
    separator = "," if len(values) == 1 and values[0].count(",") > 1 and ";" not in values[0] else ";"
    words = (word.strip().lstrip("*") for value in values for word in value.split(separator))
    return people.whole(word for word in words if word.lower() not in ("n/a", "none"))


def doi(entry: Entry) -> str | None:
    """In its own tag, or in one that exporters older than that tag used."""
    return entry.first("DO", "DI") or next(filter(DOI_NOTE.match, entry.all("M3", "N1", "L3", "ID")), None)


def pmid(entry: Entry) -> str | None:
    """The accession number where the database is PubMed, or a number that says it is one."""
    noted = PMID.search(" ".join(entry.all("U1", "U2", "C2", "AN")))
    if noted:
        return noted[1]
    return entry.first("PM") or (entry.first("AN") if any(map(PUBMED.search, entry.all("DB", "DP", "N1"))) else None)


FORMAT = Format("RIS", (".ris",), recognises, read)
