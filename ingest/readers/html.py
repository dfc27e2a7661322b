"""Web pages that were saved: one paper's own page, lists of papers with their abstracts, tables, programmes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ingest.parsing import page
from ingest.parsing.columns import header_row, is_header, lacks_abstracts, names_of, record
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.page import Element, text_of
from ingest.parsing.sections import Section, records
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element

OPENING = re.compile(
    r"[\ufeff\s]*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!DOCTYPE\s+html|html|head|body|table|div|article|section|p)\b",
    re.IGNORECASE | re.DOTALL,
)
ASN1 = re.compile(r"\b(?:Pubmed-entry|Seq-entry|Bioseq-set|Medline-entry)\s*::=")
CHARSET = re.compile(rb"<meta[^>]{0,200}charset", re.IGNORECASE)
LEAST_SECTIONS = 2
META = {
    "title": ("citation_title", "dc.title", "eprints.title"),
    "authors": ("citation_author", "citation_authors", "dc.creator", "eprints.creators_name"),
    "abstract": ("citation_abstract", "dcterms.abstract", "dc.description.abstract", "eprints.abstract"),
    "year": ("citation_publication_date", "citation_date", "citation_online_date", "citation_year", "dc.date"),
    "venue": ("citation_journal_title", "citation_conference_title", "citation_inbook_title"),
    "doi": ("citation_doi", "dc.identifier.doi", "prism.doi"),
    "arxiv": ("citation_arxiv_id",),
    "pmid": ("citation_pmid",),
    "url": ("citation_abstract_html_url", "citation_public_url", "citation_pdf_url"),
    "keywords": ("citation_keywords", "citation_keyword"),
    "language": ("citation_language", "dc.language"),
}


def recognises(document: Document) -> Confidence:
    """Certain for a page; not for XML of another kind."""
    root = document.tags[0].lower() if document.tags else "html"
    if document.encoding is None or root not in ("html", "div", "table", "article", "section", "p"):
        return Confidence.NO
    if OPENING.match(document.text):
        return Confidence.CERTAIN
    return Confidence.HINT if document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """What the page holds of the first of: a paper's own page, tables, abstracts, sections, rows without a header."""
    name = document.source.name
    if ASN1.search(document.text):
        yield Rejected(name, "is NCBI's ASN.1 inside a page; get the records from PubMed as XML or in PubMed format")
        return
    root = opened(document)
    if root is None:
        return
    for found in (
        own_page(root),
        list(tables(root, titles)),
        list(abstracts(root)),
        list(papers(root)),
        list(rows(root)),
    ):
        for line, each in found:
            where = document.source.at(line)
            yield Rejected(where, each.reason) if isinstance(each, Rejected) else RawRecord(each, where)
        if found:
            return
    yield Rejected(name, "is a page without titles and abstracts; save it as text, one abstract a paragraph")


def opened(document: Document) -> _Element | None:
    """The page's root; None for a page without any element."""
    from lxml import etree, html

    declared = CHARSET.search(document.head) and not (document.encoding or "").startswith("utf")
    encoding = None if declared else "utf-8"
    parser = html.HTMLParser(encoding=encoding, remove_comments=True, no_network=True, huge_tree=False)
    try:
        root: _Element = html.document_fromstring(page_bytes(document, decoded=not declared), parser)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError, ValueError):
        return None
    return root


def page_bytes(document: Document, *, decoded: bool) -> bytes:
    """The page as it is where its own words name the encoding, else as UTF-8; without NUL, at which a parser stops."""
    if decoded:
        with document.open() as stream:
            return stream.read().replace("\0", "\ufffd").encode("utf-8", "replace")
    with document.source.open() as raw:
        return raw.read()


Found = tuple[int, "dict[str, Any] | Rejected"]


def own_page(root: _Element) -> list[Found]:
    """The one paper whose parts the page's head names for search engines; its abstract may stand in the body only."""
    metas: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        metas.setdefault(name, []).append(meta.get("content") or "")
    fields: dict[str, Any] = {
        part: next((found for name in names if any(found := metas.get(name, []))), []) for part, names in META.items()
    }
    if not fields["title"]:
        return []
    below = list(abstracts(root))
    if not fields["abstract"] and len(below) == 1 and isinstance(below[0][1], dict):
        fields["abstract"] = below[0][1]["abstract"]
    several = ("authors", "keywords", "url", "abstract")
    return [(1, {part: found if part in several else next(iter(found), None) for part, found in fields.items()})]


def tables(root: _Element, titles: bool) -> Iterator[Found]:
    """The rows of tables whose header names the parts of papers."""
    for table in root.iter("table"):
        cells = [(row, [text_of(cell) for cell in row.iter("td", "th")]) for row in table.iter("tr")]
        cells = [(row, texts) for row, texts in cells if any(texts)]
        at = header_row([texts for _, texts in cells])
        if not cells or not is_header(cells[at][1]):
            continue
        names = names_of(cells[at][1])
        lacking = lacks_abstracts(names, titles)
        for row, texts in cells[at + 1 :]:
            found = Rejected("", lacking) if lacking else record(texts, names, "")
            yield page.line_of(row), found if isinstance(found, Rejected) else dict(found.fields)


def abstracts(root: _Element) -> Iterator[Found]:
    """Elements that are called abstracts, each with the title, authors and links that stand before it."""
    elements = [Element(number, each) for number, each in enumerate(root.iter("*"))]
    blocks = page.abstract_blocks(elements)
    starts = [0, *(block.number + len(list(block.node.iter("*"))) for block in blocks)]
    for block, (start, _) in zip(blocks, pairwise([*starts, len(elements)]), strict=False):
        before = elements[start : block.number]
        title = page.title_in(before)
        yield (
            page.line_of(title.node if title else block.node),
            {
                "title": text_of(title.node) if title else None,
                "authors": page.authors_in(before),
                "abstract": page.unlabelled(block.node),
                "url": page.links_in(before),
            },
        )


def papers(root: _Element) -> Iterator[Found]:
    """Headings with a text of some length below, where the page has several."""
    sections: list[Section] = []
    for node in root.iter("h1", "h2", "h3", "h4", "h5", "h6", "dt", "p", "dd", "blockquote", "li"):
        tag = str(node.tag)
        if tag[0] == "h" or tag == "dt":
            level = 7 if tag == "dt" else int(tag[1])
            sections.append(Section(level, text_of(node), page.line_of(node), links=page.hrefs(node)))
        elif sections and not any(True for _ in node.iter("p", "dd", "blockquote", "li") if _ is not node):
            sections[-1].paragraphs += filter(None, [text_of(node)])
            sections[-1].links += page.hrefs(node)
    found = list(records(sections))
    yield from found if len(found) >= LEAST_SECTIONS else ()


def rows(root: _Element) -> Iterator[Found]:
    """Rows of several cells of tables that name no columns: a programme, whose papers have no abstracts."""
    for row in root.iter("tr"):
        cells = [text for cell in row.iter("td", "th") if (text := text_of(cell))]
        if len(cells) > 1:
            yield page.line_of(row), Rejected("", "no abstract: a row of a table whose columns have no names")


FORMAT = Format("web page", (".html", ".htm", ".xhtml"), recognises, read)
