"""PubMed's "Abstract (text)" format: numbered citations whose parts are told by their order and by blank lines.

`1. J Search. 2020 Oct;1(2):3-4. doi: 10.1000/x.`, the title, the authors, "Author information:", the abstract (of
several paragraphs where it is structured), a copyright line, and last `DOI: ...` and `PMID: 123 [Indexed for MEDLINE]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.records import RawRecord, Rejected
from ingest.text import people

CITATION = re.compile(r"[\ufeff\s]*(\d+)\. (?P<venue>[^.\n]{2,120})\. (?P<date>(?:1[5-9]|20)\d\d\b[^\n]*)")
PMID = re.compile(r"^PMID: (\d+)", re.MULTILINE)
DOI = re.compile(r"^DOI: (10\.\S+)|\bdoi: (10\.\S+)", re.MULTILINE)
SIDE_NOTE = re.compile(
    r"(?:Author information|Collaborators|Comment (?:in|on)|Update (?:in|of)|Erratum (?:in|for)|Retraction (?:in|of)"
    r"|Conflict of interest statement|DOI|PMID|PMCID|©|Copyright|Published by|\(c\)|Republished (?:in|from))\b[^\n]*",
    re.IGNORECASE,
)
RETRACTED = re.compile(r"^Retraction in\s*\n?\s*(.+)", re.MULTILINE)
AUTHOR_MARKS = re.compile(r"\(\d+\)|\(#\)|\d+(?=[,.]|$)")


def recognises(document: Document) -> Confidence:
    """Certain when the text begins with a numbered citation and lines with PMIDs stand below."""
    begins = CITATION.match(document.lines[:2_000])
    return Confidence.CERTAIN if begins and PMID.search(document.lines) else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record from each numbered citation to the next."""
    with document.open() as lines:
        for line, text in citations(lines):
            yield RawRecord(fields(text), document.source.at(line))


def citations(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each citation with its 1-based line: numbered one higher than the one before, behind a blank line."""
    start, number, blank, collected = 0, 0, True, list[str]()
    for at, line in enumerate(lines, 1):
        found = CITATION.match(line) if blank else None
        if found and (not number or int(found[1]) == number + 1):
            if collected:
                yield start, "".join(collected)
            start, number, collected = at, int(found[1]), []
        blank = not line.strip()
        if number:
            collected.append(line)
    if collected:
        yield start, "".join(collected)


def fields(text: str) -> dict[str, Any]:
    """The record's parts under their usual names."""
    head, *paragraphs = [" ".join(part.split("\n")).strip() for part in re.split(r"\n[ \t]*\n", text) if part.strip()]
    citation = CITATION.match(head)
    title, authors, *body = [*paragraphs, "", ""]
    doi, pmid, retracted = DOI.search(text), PMID.search(text), RETRACTED.search(text)
    return {
        "title": title,
        "authors": people.whole(AUTHOR_MARKS.sub("", authors).rstrip(". ").split(",")),
        "abstract": "\n".join(part for part in body if part and not SIDE_NOTE.match(part)) or None,
        "venue": citation["venue"] if citation else None,
        "year": citation["date"] if citation else None,
        "doi": (doi[1] or doi[2]) if doi else None,
        "pmid": pmid[1] if pmid else None,
        "retracted": retracted[1] if retracted else None,
    }


FORMAT = Format("PubMed text", (), recognises, read)
