"""Text whose records are told by marks of its own: SMART collections, named parts, rulers, PubMed's summaries."""

from __future__ import annotations

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

PUBMED = """1. J Search. 2020 Oct;1(2):3-4. doi: 10.1000/x. Epub 2020 Sep 1.

On windows of
sentences.

Doe J(1), Roe R(1)(2).

Author information:
(1)Institute of Search, Basel.

BACKGROUND: Indexes are large.
METHODS: Windows.

RESULTS: They help.

Copyright 2020 by the authors.

DOI: 10.1000/x
PMID: 123456 [Indexed for MEDLINE]


2. Nature. 2021;5:6.

Another.

Poe E.

PMID: 123457
"""


def kept(text: str, name: str = "a.txt") -> list[Abstract]:
    """The abstracts of a file in which nothing else stands."""
    results = [normalise(each) for each in read(Source(name, data=text.encode())) if isinstance(each, RawRecord)]
    return [each for each in results if isinstance(each, Abstract)]


def test_smart_collections_are_read_with_their_parts() -> None:
    text = ".I 1\n.T\nOn windows\nof text\n.A\ndoe,j.\nroe,r.\n.B\nj. search 25, 1958.\n.W\nWindows help.\n"
    text += ".I 2\n.W\nMore.\n"
    first, second = kept(text)
    assert (first.title, first.text, first.year) == ("On windows of text", "Windows help.", 1958)
    assert (first.authors, first.aliases[0]) == (("doe,j.", "roe,r."), "file:1")
    assert (second.text, second.sources) == ("More.", ("a.txt:12",))


def test_named_parts_make_records_with_and_without_rulers() -> None:
    one = "TITLE: On windows\nAUTHORS: Doe, Jane; Roe, R.\nABSTRACT: Windows\nhelp.\nRESULTS: 5 %.\nKEYWORDS: a; b\n"
    two = "Title: Another\nAbstract: More words.\n\nIn two paragraphs.\n"
    for text in (one + "\n" + two, "=====\n" + one + "=====\n" + two + "=====\n", (one + two).replace("\n", "\r\n")):
        first, second = kept(text)
        assert (first.title, first.text) == ("On windows", "Windows help. RESULTS: 5 %.")
        assert (first.authors, first.keywords) == (("Doe, Jane", "Roe, R."), ("a", "b"))
        assert second.text == "More words. In two paragraphs."


def test_blocks_between_rulers_end_with_their_abstract() -> None:
    words = "We study windows of sentences " * 6
    block = f"Query id: 1\nWhat helps?\n\nBest: 7, Score: 1\n\nBest candidate:\n{words}\n\n==========\n"
    assert [abstract.text for abstract in kept(block * 4)] == [words.strip()] * 4


def test_the_summaries_of_pubmed_are_read_by_their_order() -> None:
    [abstract] = kept(PUBMED)
    assert (abstract.title, abstract.authors) == ("On windows of sentences.", ("Doe J", "Roe R"))
    assert abstract.text == "BACKGROUND: Indexes are large. METHODS: Windows. RESULTS: They help."
    assert (abstract.id, abstract.aliases[0]) == ("doi:10.1000/x", "pmid:123456")
    assert (abstract.venue, abstract.year) == ("J Search", 2020)
    _, second = read(Source("a.txt", data=PUBMED.encode()))
    assert isinstance(second, RawRecord)
    assert normalise(second) == Rejected("a.txt:22", "no abstract")


def test_prose_with_colons_stays_prose() -> None:
    text = "We ask two things: what helps, and why.\n\nResults: windows help.\n\nSummary: they do.\n"
    assert len(kept(text)) == 3


def test_numbers_between_records_and_names_of_no_part_are_no_text() -> None:
    text = (
        "1.\nTitle: On windows\nAuthor(s): Doe, Jane\nSource: J 2021\nAbstract: One.\n\n2.\nTitle: B\nAbstract: Two.\n"
    )
    first, second = kept(text)
    assert (first.title, first.authors, first.text) == ("On windows", ("Doe, Jane",), "One.")
    assert (second.title, second.text) == ("B", "Two.")
