"""Atom as the arXiv API answers with it; other Atom feeds of papers are read alike.

Elements: https://info.arxiv.org/help/api/user-manual.html. An error is an entry too, and no paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing import trees
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tree_text import text_of
from ingest.parsing.trees import child_of, children
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

ERRORS = "arxiv.org/api/errors"
WITHDRAWN = re.compile(r"\b(?:withdrawn|retracted)\b", re.IGNORECASE)


def recognises(document: Document) -> Confidence:
    """Certain when an Atom feed or entry opens."""
    sure = document.tags[:1] in (("feed",), ("entry",)) and b"http://www.w3.org/2005/Atom" in document.head
    return Confidence.CERTAIN if sure else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each entry; an error's is rejected with what it says."""
    for found in trees.records(document.source, ("entry",)):
        if isinstance(found, Rejected):
            yield found
        elif ERRORS in text_of(child_of(found.element, "id")):
            said = text_of(child_of(found.element, "summary"))
            yield Rejected(found.where, f"is an error answer of arXiv, not a paper: {said}", records=0)
        else:
            yield RawRecord(entry(found.element), found.where)


def entry(element: Element) -> dict[str, Any]:
    """The parts of an entry; its id is the paper's address."""
    comment = text_of(child_of(element, "comment"))
    return {
        "url": text_of(child_of(element, "id")),
        "doi": text_of(child_of(element, "doi")),
        "title": text_of(child_of(element, "title")),
        "abstract": text_of(child_of(element, "summary")) or text_of(child_of(element, "content")),
        "authors": [text_of(child_of(each, "name")) for each in children(element, "author")],
        "year": text_of(child_of(element, "published")) or text_of(child_of(element, "updated")),
        "venue": text_of(child_of(element, "journal_ref")),
        "keywords": [each.get("term") or "" for each in children(element, "category")],
        "retracted": comment if WITHDRAWN.search(comment) else None,
    }


FORMAT = Format("arXiv Atom", (), recognises, read, xml=True)
