"""BibTeX and BibLaTeX, as Zotero, Mendeley, JabRef, Citavi, Google Scholar, Scopus, ACL and PMLR write it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.bibtex_syntax import Entry, entries
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.records import RawRecord, Rejected
from ingest.text import people
from ingest.text.clean import clean
from ingest.text.grouping import ungrouped

FIRST = re.compile(r"(?:\s|\ufeff|%[^\n]*\n)*@\s*[A-Za-z]\w*\s*[{(]")
ENTRY = re.compile(r"^[\ufeff \t]*@[ \t]*[A-Za-z]\w*\s*[{(][^@]{0,400}?\b[A-Za-z][\w-]*\s*=\s*[{\"\w]", re.MULTILINE)
HEADER = re.compile(r"%[ \t]*Encoding:[ \t]*([\w-]{2,20})", re.IGNORECASE)
URL_COMMAND = re.compile(r"\\(?:url|href)\s*\{([^{}]*)\}")
AND = re.compile(r"\s+and\s+", re.IGNORECASE)
RETRACTED = re.compile(r"\bretract(?:ed|ion)\b", re.IGNORECASE)
PARTS = {
    "abstract": ("abstract",),
    "author": ("author", "authors", "editor"),
    "year": ("year", "date", "issue_date", "eventdate"),
    "doi": ("doi",),
    "url": ("url", "link", "ee", "bdsk-url-1", "howpublished", "note"),
    "keywords": ("keywords", "keyword", "author_keywords", "author keywords", "mendeley-tags", "tags"),
    "language": ("language", "langid"),
    "pmid": ("pmid", "pubmedid"),
    "footnote": ("footnote",),
}
ARXIV_NOTE = re.compile(r"\b(?:arXiv:|abs/)(\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
VENUES = ("journal", "journaltitle", "booktitle", "fjournal", "maintitle", "eventtitle", "series", "publisher")


def recognises(document: Document) -> Confidence:
    """Certain when the first thing but comments is an entry; likely when there is one somewhere."""
    if ENTRY.search(document.lines):
        return Confidence.CERTAIN if FIRST.match(document.lines) else Confidence.LIKELY
    hinted = document.encoding and (document.extension in FORMAT.extensions or FIRST.match(document.lines))
    return Confidence.HINT if hinted else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each entry; entries that share a key are different records."""
    with document.open(encoding=declared(document)) as lines:
        for entry in entries(lines):
            where = document.source.at(entry.line)
            if entry.fields:
                yield RawRecord(fields(entry), where, braces_group=True)
            else:
                reason = "an entry without fields" if entry.whole else "braces do not balance, and no line is a field"
                yield Rejected(where, reason)


def declared(document: Document) -> str | None:
    """The encoding that JabRef's header names, where the bytes themselves leave a choice."""
    header = HEADER.search(document.lines[:2_000])
    if header is None or (document.encoding or "utf").startswith("utf"):
        return None
    try:
        return codecs.lookup(header[1]).name
    except LookupError:
        return None


def fields(entry: Entry) -> dict[str, Any]:
    """The entry's parts under their usual names; all but the abstract are read as LaTeX."""
    found: dict[str, Any] = {
        part: next((value for name in names if (value := entry.fields.get(name, "").strip())), None)
        for part, names in PARTS.items()
    }
    return found | {
        "title": printed(title(entry)),
        "author": people.whole(names_of(found["author"] or "")),
        "url": [URL_COMMAND.sub(r"\1", entry.fields.get(name, "")).replace("\\", "") for name in PARTS["url"]],
        "doi": (found["doi"] or "").replace("\\", ""),
        "arxiv": entry.fields.get("arxivid") or eprint(entry, "arxiv", "") or arxiv_noted(entry),
        "pmid": found["pmid"] or eprint(entry, "pubmed"),
        "venue": next((text for name in VENUES if (text := printed(entry.fields.get(name, "")))), None),
        "keywords": people.whole(map(printed, terms(found["keywords"] or ""))),
        "retracted": retraction(entry),
        "key": printed(entry.key),
    }


def title(entry: Entry) -> str:
    """With its subtitle."""
    parts = (entry.fields.get(name, "").strip() for name in ("title", "subtitle"))
    return ": ".join(filter(None, parts)) or entry.fields.get("booktitle", "")


def eprint(entry: Entry, *archives: str) -> str | None:
    """The number in an archive of preprints."""
    kind = entry.fields.get("eprinttype") or entry.fields.get("archiveprefix") or ""
    return entry.fields.get("eprint") if kind.strip().lower() in archives else None


def arxiv_noted(entry: Entry) -> str | None:
    """The number in the journal `arXiv preprint arXiv:1706.03762` (Scholar) or the volume `abs/1706.03762` (DBLP)."""
    noted = ARXIV_NOTE.search(" ".join(entry.fields.get(name, "") for name in ("journal", "volume")))
    return noted[1] if noted else None


def retraction(entry: Entry) -> str | None:
    """The note that tells of one."""
    return next((text for name in ("note", "pubstate") if RETRACTED.search(text := entry.fields.get(name, ""))), None)


def names_of(value: str) -> list[str]:
    """The names between the `and`s outside braces; `others` stands for no name."""
    names, depth, start = list[str](), 0, 0
    for sign in re.finditer(rf"[{{}}]|{AND.pattern}", value, re.IGNORECASE):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0 and sign[0] not in "{}":
            names.append(value[start : sign.start()])
            start = sign.end()
    return [name for each in (*names, value[start:]) if (name := printed(each)) and name != "others"]


def terms(value: str) -> list[str]:
    """Keywords between semicolons or line ends, or else commas."""
    return re.split(r"[;\n]" if ";" in value else r"[,\n]", value)


def printed(value: str) -> str:
    """LaTeX as it would be printed, on one line."""
    return clean(ungrouped(value).replace("~", " "))


FORMAT = Format("BibTeX", (".bib", ".bibtex", ".biblatex"), recognises, read)
