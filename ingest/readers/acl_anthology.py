"""The ACL Anthology's XML: collections of volumes of papers.

Elements: https://github.com/acl-org/acl-anthology/blob/master/data/xml/schema.rnc. `<fixed-case>` stands inside words.
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

HOME = "https://aclanthology.org/"


def recognises(document: Document) -> Confidence:
    """Certain when a collection of volumes opens."""
    tags = document.tags
    return Confidence.CERTAIN if tags[:1] == ("collection",) and "volume" in tags else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each paper; a volume's front matter is none."""
    for found in trees.records(document.source, ("paper",), keep=("meta",)):
        yield found if isinstance(found, Rejected) else RawRecord(paper(found.element), found.where)


def paper(element: Element) -> dict[str, Any]:
    """The parts of a paper; year and venue are its volume's."""
    volume = element.getparent()
    meta = child_of(volume, "meta")
    address = text_of(child_of(element, "url"))
    retracted = child_of(element, "retracted")
    return {
        "key": anthology_id(element, volume),
        "title": text_of(child_of(element, "title")),
        "abstract": text_of(child_of(element, "abstract")),
        "authors": [author(each) for each in children(element, "author")],
        "year": text_of(child_of(meta, "year")),
        "venue": text_of(child_of(meta, "booktitle")),
        "doi": text_of(child_of(element, "doi")),
        "url": address if "://" in address or not address else HOME + address,
        "language": text_of(child_of(element, "language")),
        "retracted": None if retracted is None else text_of(retracted) or "retracted",
    }


def author(element: Element) -> str:
    """First and last name."""
    return " ".join(filter(None, (text_of(child_of(element, part)) for part in ("first", "last"))))


def anthology_id(element: Element, volume: Element | None) -> str | None:
    """The paper's id: `2020.sdp-1.2`, before 2020 `P18-1002`."""
    collection = None if volume is None else volume.getparent()
    names = [None if each is None else each.get("id") for each in (collection, volume, element)]
    if None in names:
        return None
    where, number, rank = map(str, names)
    if "." in where:
        return f"{where}-{number}.{rank}"
    digits = 2 if re.match(r"W", where) else 1
    return f"{where}-{number.zfill(digits)}{rank.zfill(4 - digits)}"


FORMAT = Format("ACL Anthology", (), recognises, read, xml=True)
