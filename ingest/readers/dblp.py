"""DBLP: the dump and the XML of single records. It has no abstracts: its records count for their titles.

Elements: https://dblp.org/xml/docu/dblpxml.pdf. The dump names letters by entities of its DTD, which HTML's names
explain as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing import trees
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tree_text import text_of
from ingest.parsing.trees import children, local
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

RECORDS = ("article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data")


def recognises(document: Document) -> Confidence:
    """Certain when DBLP's root opens, or an answer of its search."""
    roots = ("dblp", "dblpperson", "bht")
    return Confidence.CERTAIN if document.tags and document.tags[0] in roots else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each publication; pages of persons are none."""
    for found in trees.records(document.source, RECORDS):
        yield found if isinstance(found, Rejected) else RawRecord(publication(found.element), found.where)


def publication(element: Element) -> dict[str, Any]:
    """The parts of a publication; a title's full stop is DBLP's own."""
    parts = {local(each): text_of(each) for each in reversed(element)}
    links = [text_of(each) for each in children(element, "ee")]
    title = parts.get("title", "")
    return {
        "key": element.get("key"),
        "title": title[:-1] if title.endswith(".") and not title.endswith("..") else title,
        "abstract": parts.get("abstract"),
        "authors": [text_of(each) for each in children(element, "author") or children(element, "editor")],
        "year": parts.get("year"),
        "venue": parts.get("journal") or parts.get("booktitle") or parts.get("school") or parts.get("publisher"),
        "doi": next((link for link in links if "doi.org/" in link), None),
        "url": links or None,
        "retracted": "retracted" if element.get("publtype") == "withdrawn" else None,
    }


FORMAT = Format("DBLP", (), recognises, read, xml=True)
