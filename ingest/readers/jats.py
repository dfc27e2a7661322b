"""JATS articles, alone or in a set, as PubMed Central, publishers and preprint servers give them.

Elements: https://jats.nlm.nih.gov/archiving/tag-library/1.3/. Of the full text only the front matter is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing import trees
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tree_text import labelled, text_of
from ingest.parsing.trees import child_of, children, descendants, local
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

ROOTS = frozenset({"article", "pmc-articleset", "articles", "article-set"})
MARKS = frozenset({"article-meta", "journal-meta", "article-title", "front-stub"})
ASIDES = frozenset({"graphical", "teaser", "toc", "precis", "executive-summary", "short", "key-points", "video"})
"""Kinds of abstracts that are not the abstract, as far as there is another."""
DATES = ("epub", "epub-ppub", "pub", "collection", "ppub", "preprint", None)
RETRACTED_BY = frozenset({"retraction-forward", "retracted-by", "retraction"})
HREF = "{http://www.w3.org/1999/xlink}href"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def recognises(document: Document) -> Confidence:
    """Certain when an article of JATS opens, in whatever it is wrapped."""
    tags = document.tags
    sure = "article" in tags and not MARKS.isdisjoint(tags)
    return Confidence.CERTAIN if sure or (tags and tags[0] == "pmc-articleset") else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each article."""
    for found in trees.records(document.source, ("article",)):
        yield found if isinstance(found, Rejected) else RawRecord(article(found.element), found.where)


def article(element: Element) -> dict[str, Any]:
    """The parts of an article."""
    front = child_of(element, "front")
    meta = child_of(front, "article-meta") if front is not None else child_of(element, "front-stub")
    meta = child_of(element, "article-meta") if meta is None else meta
    if meta is None:
        return {}
    journal = child_of(front, "journal-meta")
    names = {kind: text_of(each) for each in children(meta, "article-id") if (kind := each.get("pub-id-type"))}
    return {
        "doi": names.get("doi"),
        "pmid": names.get("pmid"),
        "arxiv": names.get("arxiv"),
        "key": names.get("pmc") or names.get("pmcid") or names.get("publisher-id"),
        "title": title(meta),
        "abstract": abstract(meta),
        "authors": authors(meta),
        "year": year(meta),
        "venue": text_of(next(descendants(journal, "journal-title"), None)),
        "keywords": [text_of(each) for each in descendants(meta, "kwd")],
        "language": element.get(LANG),
        "retracted": retraction(element, meta),
    }


def title(meta: Element) -> str:
    """The title, a subtitle behind a colon; without the marks of footnotes."""
    group = child_of(meta, "title-group")
    main = text_of(child_of(group, "article-title")) or text_of(child_of(meta, "article-title"))
    subtitle = text_of(child_of(group, "subtitle"))
    return f"{main}: {subtitle}" if main and subtitle else main


def abstract(meta: Element) -> str:
    """The abstract, its sections under their titles; of several kinds the plain one, of languages the article's."""
    found = children(meta, "abstract")
    found.sort(key=lambda each: each.get("abstract-type") in ASIDES)
    return next(filter(None, map(labelled, found + children(meta, "trans-abstract"))), "")


def authors(meta: Element) -> list[str]:
    """The contributors that are authors, people and groups."""
    people = [
        person
        for group in children(meta, "contrib-group")
        for person in children(group, "contrib")
        if person.get("contrib-type", "author") == "author"
    ]
    return list(filter(None, map(author, people)))


def author(person: Element) -> str:
    """A person's given and family name, or a group's."""
    name = next(descendants(person, "name"), None)
    if name is None:
        group = next(descendants(person, "string-name"), None)
        return text_of(group if group is not None else next(descendants(person, "collab"), None))
    parts = {local(each): text_of(each) for each in name}
    return " ".join(filter(None, (parts.get("given-names"), parts.get("surname"), parts.get("suffix"))))


def year(meta: Element) -> str | None:
    """The year of the first publication that is dated, electronic before print."""
    dates = {each.get("pub-type") or each.get("date-type"): each for each in reversed(children(meta, "pub-date"))}
    for kind in (*DATES, *dates):
        if kind in dates:
            return text_of(child_of(dates[kind], "year")) or dates[kind].get("iso-8601-date")
    return None


def retraction(element: Element, meta: Element) -> str | None:
    """The notice that an article names as its retraction. A notice itself is no retracted article."""
    for related in children(meta, "related-article"):
        if related.get("related-article-type") in RETRACTED_BY and element.get("article-type") != "retraction":
            return f"Retraction: {text_of(related) or related.get(HREF) or 'no notice named'}"
    return None


FORMAT = Format("JATS", (), recognises, read, xml=True)
