"""Answers of OAI-PMH: arXiv's own metadata (`arXiv`, `arXivRaw`) and Dublin Core (`oai_dc`), which every server has.

Elements: https://info.arxiv.org/help/oa/index.html and http://www.openarchives.org/OAI/openarchivesprotocol.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing import trees
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tree_text import text_of
from ingest.parsing.trees import child_of, children, descendants, local
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

WITHDRAWN = re.compile(r"\b(?:withdrawn|retracted)\b", re.IGNORECASE)
KNOWN = frozenset({"arXiv", "arXivRaw", "arXivOld", "dc"})


def recognises(document: Document) -> Confidence:
    """Certain when the root is an answer of OAI-PMH, or records of one stand in a file of their own."""
    tags = document.tags
    alone = "record" in tags and "metadata" in tags and not KNOWN.isdisjoint(tags)
    return Confidence.CERTAIN if tags[:1] == ("OAI-PMH",) or alone else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each one listed; an error answer and a deleted record are rejected."""
    for found in trees.records(document.source, ("record", "error")):
        if isinstance(found, Rejected):
            yield found
        elif local(found.element) == "error":
            code, said = found.element.get("code") or "error", text_of(found.element)
            yield Rejected(found.where, f"is an error answer, not papers: {code} {said}".strip(), records=0)
        else:
            yield record(found.element, found.where)


def record(element: Element, where: str) -> RawRecord | Rejected:
    """The record in an envelope."""
    header = child_of(element, "header")
    if header is not None and header.get("status") == "deleted":
        return Rejected(where, "a record that its server has deleted")
    metadata = child_of(element, "metadata")
    inner = None if metadata is None else next(filter(local, metadata), None)
    if inner is None:
        return Rejected(where, "a record without metadata")
    if local(inner) == "dc":
        return RawRecord(dublin_core(inner), where)
    if local(inner) in KNOWN:
        return RawRecord(arxiv(inner), where)
    return Rejected(where, f"metadata of an unknown kind (<{local(inner)}>); known are arXiv, arXivRaw and oai_dc")


def arxiv(element: Element) -> dict[str, Any]:
    """The parts in arXiv's own metadata."""
    parts = {local(each): text_of(each) for each in reversed(element)}
    people = [
        " ".join(filter(None, (text_of(child_of(each, part)) for part in ("forenames", "keyname", "suffix"))))
        for each in children(child_of(element, "authors"), "author")
    ]
    comments = parts.get("comments", "")
    return {
        "arxiv": parts.get("id"),
        "title": parts.get("title"),
        "abstract": parts.get("abstract"),
        "authors": people or parts.get("authors"),
        "year": parts.get("created") or text_of(next(descendants(element, "date"), None)),
        "venue": parts.get("journal-ref"),
        "doi": parts.get("doi"),
        "keywords": parts.get("categories", "").split(),
        "retracted": comments if WITHDRAWN.search(comments) else None,
    }


def dublin_core(element: Element) -> dict[str, Any]:
    """The parts in Dublin Core: of several descriptions the longest, of several dates the earliest."""
    names = ("title", "description", "creator", "date", "identifier", "subject", "language", "source")
    parts = {name: [text_of(each) for each in children(element, name)] for name in names}
    return {
        "title": next(iter(parts["title"]), None),
        "abstract": max(parts["description"], key=len, default=None),
        "authors": parts["creator"],
        "year": min(parts["date"], default=None),
        "url": parts["identifier"],
        "doi": next((each for each in parts["identifier"] if re.match(r"(?i)doi:|10\.\d{4,9}/", each)), None),
        "keywords": parts["subject"],
        "language": next(iter(parts["language"]), None),
        "venue": next(iter(parts["source"]), None),
    }


FORMAT = Format("OAI-PMH", (), recognises, read, xml=True)
