"""PubMed XML: articles and books as `efetch` and the yearly files have them.

Elements: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing import trees
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.tree_text import text_of
from ingest.records import RawRecord, Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation")
UNSAID = frozenset({"UNASSIGNED", "UNLABELLED", ""})
RETRACTED = "Retracted Publication"
RETRACTION = frozenset({"RetractionIn", "PartialRetractionIn"})
GIVEN_NAMES = ("ForeName", "FirstName", "Initials")
NO_TITLE = frozenset({"[Not Available].", "[Not Available]", "Not Available"})


def recognises(document: Document) -> Confidence:
    """Certain when such an element opens."""
    return Confidence.CERTAIN if not {*RECORDS, "PubmedArticleSet"}.isdisjoint(document.tags) else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each article and book."""
    names = RECORDS[:2] if not {*RECORDS[:2], "PubmedArticleSet"}.isdisjoint(document.tags) else RECORDS[2:]
    for found in trees.records(document.source, names):
        if isinstance(found, Rejected):
            yield found
        else:
            book = found.element.find("BookDocument")
            yield RawRecord(article(found.element) if book is None else book_document(found.element, book), found.where)


def article(element: Element) -> dict[str, Any]:
    """The parts of a PubmedArticle, or of a MedlineCitation that stands alone."""
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    about = {} if citation is None else {child.tag: child for child in reversed(citation)}
    paper = about.get("Article")
    if citation is None or paper is None:
        return {}
    parts = {child.tag: child for child in reversed(paper)}
    journal = parts.get("Journal")
    return {
        "pmid": text_of(about.get("PMID")),
        "title": title_of(text_of(parts.get("ArticleTitle")), text_of(parts.get("VernacularTitle"))),
        "abstract": sections(parts.get("Abstract")) or other_abstract(citation),
        "authors": authors(parts.get("AuthorList")),
        "year": year(journal, parts.get("ArticleDate")),
        "venue": None
        if journal is None
        else text_of(journal.find("Title")) or text_of(journal.find("ISOAbbreviation")),
        "doi": doi(paper, element),
        "keywords": (keywords(citation) if "KeywordList" in about else []) + headings(about.get("MeshHeadingList")),
        "language": text_of(parts.get("Language")),
        "retracted": retraction(about.get("CommentsCorrectionsList"), parts.get("PublicationTypeList")),
    }


def book_document(element: Element, book: Element) -> dict[str, Any]:
    """The parts of a PubmedBookArticle; a chapter's own title comes before its book's."""
    within = book.find("Book")
    dois = [text_of(each) for each in book.iterfind("ArticleIdList/ArticleId[@IdType='doi']")]
    lists = [] if within is None else within.findall("AuthorList[@Type='authors']") or within.findall("AuthorList")
    return {
        "pmid": book.findtext("PMID"),
        "title": text_of(book.find("ArticleTitle"))
        or (text_of(within.find("BookTitle")) if within is not None else ""),
        "abstract": sections(book.find("Abstract")),
        "authors": authors(book.find("AuthorList")) or [name for one in lists for name in authors(one)],
        "year": None if within is None else text_of(within.find("PubDate")) or None,
        "venue": None if within is None else text_of(within.find("BookTitle")) or None,
        "doi": next(iter(dois), None) or doi(element, element),
        "keywords": [text_of(each) for each in book.iterfind("KeywordList/Keyword")],
        "language": text_of(book.find("Language")),
    }


def title_of(title: str, vernacular: str) -> str:
    """The title; the one in the article's own language where there is no other."""
    return vernacular if title in NO_TITLE or not title else title


def sections(abstract: Element | None) -> str:
    """The sections of an abstract, each under its label."""
    if abstract is None:
        return ""
    return " ".join(filter(None, (section(each) for each in abstract if each.tag == "AbstractText")))


def section(element: Element) -> str:
    """One section, its label in front unless it says so itself."""
    text, label = text_of(element), (element.get("Label") or "").strip()
    if label.upper() in UNSAID or not text or text.upper().startswith(f"{label.upper()}:"):
        return text
    return f"{label.rstrip(':')}: {text}"


def other_abstract(citation: Element) -> str:
    """The first abstract from elsewhere, English before other languages."""
    others = citation.findall("OtherAbstract")
    others.sort(key=lambda each: each.get("Language", "eng") != "eng")
    return next(filter(None, map(sections, others)), "")


def authors(people: Element | None) -> list[str]:
    """Names in order: "Given Family", or a group's name."""
    return [] if people is None else list(filter(None, (author(each) for each in people if each.tag == "Author")))


def author(element: Element) -> str:
    """A person's given names (else initials), family name and suffix; or a group's name."""
    parts = {child.tag: child for child in element}
    if "CollectiveName" in parts:
        return text_of(parts["CollectiveName"])
    given = next((name for name in GIVEN_NAMES if name in parts), None)
    return " ".join(filter(None, (text_of(parts[name]) for name in (given, "LastName", "Suffix") if name in parts)))


def year(journal: Element | None, electronic: Element | None) -> str | None:
    """The issue's year, also of a MedlineDate ("1998 Dec-1999 Jan"); else of the electronic publication."""
    date = None if journal is None else journal.find("JournalIssue/PubDate")
    found = None if date is None else date.findtext("Year") or date.findtext("MedlineDate")
    return found or (None if electronic is None else electronic.findtext("Year"))


def doi(paper: Element, element: Element) -> str | None:
    """The DOI of the article itself: its ArticleIdList also lists those of its references, deeper down."""
    for place in paper.iterfind("ELocationID"):
        if place.get("EIdType") == "doi" and place.get("ValidYN", "Y") == "Y" and place.text:
            return place.text
    for kind in ("PubmedData", "PubmedBookData"):
        for name in element.iterfind(f"{kind}/ArticleIdList/ArticleId"):
            if name.get("IdType") == "doi" and name.text:
                return name.text
    return None


def keywords(citation: Element) -> list[str]:
    """The authors' keywords."""
    return [text_of(each) for each in citation.iterfind("KeywordList/Keyword")]


def headings(subjects: Element | None) -> list[str]:
    """MeSH headings without their qualifiers."""
    return [] if subjects is None else [text_of(each[0]) for each in subjects if len(each)]


def retraction(notes: Element | None, kinds: Element | None) -> str | None:
    """Where the notice of a retraction stands, or that the article is one that was retracted."""
    for note in [] if notes is None else notes:
        if note.get("RefType") in RETRACTION:
            source = text_of(note.find("RefSource"))
            return f"Retraction in: {source}" if source else "retracted"
    flagged = kinds is not None and any(kind.text == RETRACTED for kind in kinds)
    return "retracted" if flagged else None


FORMAT = Format("PubMed XML", (), recognises, read, xml=True)
