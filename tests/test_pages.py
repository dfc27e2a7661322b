"""Markdown and saved web pages: each paper once, nothing of what stands around the papers."""

from __future__ import annotations

import pytest

from ingest.normalise import normalise
from ingest.parsing.front_matter import parsed
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

ONE = (
    "We show that windows of sentences help a dense index of abstracts, and that they cost little more than before. "
    * 2
)
TWO = (
    "Abstract data types are studied here, with proofs and with programs that run on machines of every usual size. " * 2
)
ONE, TWO = ONE.strip(), TWO.strip()


def found(text: str | bytes, name: str) -> list[RawRecord | Rejected]:
    """What a file of this name holds."""
    return list(read(Source(name, data=text.encode() if isinstance(text, str) else text)))


def kept(text: str | bytes, name: str) -> list[Abstract]:
    """Its abstracts."""
    results = [normalise(each) for each in found(text, name) if isinstance(each, RawRecord)]
    return [each for each in results if isinstance(each, Abstract)]


def papers(text: str | bytes, name: str) -> list[tuple[str | None, tuple[str, ...], str]]:
    """Title, authors and text of its abstracts."""
    return [(each.title, each.authors, each.text) for each in kept(text, name)]


TWO_PAPERS = [("On windows", ("Jane Doe", "Richard Roe"), ONE), ("On types", ("Edgar Poe",), TWO)]


def test_front_matter_is_a_record_each() -> None:
    post = (
        f"---\ntitle: 'On windows: a study'\nabstract: |\n  {ONE}\nauthor:\n- given: Jane\n  family: Doe\n"
        "date: 2019-10-15\nkeywords: [a, b]\npdf: https://example.org/a.pdf\n---\n\nBody.\n\n---\n\nMore.\n\n"
    )
    first, second = kept(post + post.replace("We show", "They show"), "posts.md")
    assert (first.title, first.text, first.authors) == ("On windows: a study", ONE, ("Jane Doe",))
    assert (first.year, first.keywords, first.url) == (2019, ("a", "b"), "https://example.org/a.pdf")
    assert second.text.startswith("They show")


def test_front_matter_that_is_no_yaml_is_read_by_its_lines() -> None:
    assert parsed("title: Windows: a study\nabstract: One\n  two: three.") == {
        "title": "Windows: a study",
        "abstract": "One two: three.",
    }


def test_yaml_aliases_are_not_expanded() -> None:
    assert parsed("a: &x [1, 1]\nabstract: *x") == {"a": "&x [1, 1]", "abstract": "*x"}


@pytest.mark.parametrize(
    "text",
    [
        f"# Papers\n\nA list.\n\n## On windows\n\n*Jane Doe, Richard Roe*\n\n{ONE}\n\n"
        f"## On types\n\nEdgar Poe\n\n{TWO}\n",
        f"## On windows\n**Authors:** Jane Doe; Richard Roe\n**Abstract:** {ONE}\n\n"
        f"## On types\n**Authors:** Edgar Poe\n**Abstract:** {TWO}\n",
        f"# On windows\n- Authors: Jane Doe; Richard Roe\n\n## Abstract\n\n{ONE}\n\n"
        f"# On types\n- Authors: Edgar Poe\n\n## Abstract\n\n{TWO}\n",
        f"| Title | Authors | Abstract |\n|---|---|---|\n| On windows | Jane Doe; Richard Roe | {ONE} |\n"
        f"| On types | Edgar Poe | {TWO} |\n",
    ],
)
def test_markdown_listings_hold_their_papers(text: str) -> None:
    assert papers(text, "papers.md") == TWO_PAPERS
    assert papers(text.replace("\n", "\r\n"), "papers.md") == TWO_PAPERS


def test_markdown_bullets_that_begin_with_a_title_are_papers() -> None:
    bullets = (f"[On windows](https://arxiv.org/abs/2101.00001): {ONE}", f"**On types**. {TWO}", "Bye.")
    text = "Papers of the week\n\n" + "".join(f"- {each}\n" for each in bullets)
    first, second = kept(text, "week.md")
    assert (first.title, first.text, first.id) == ("On windows", ONE, "arxiv:2101.00001")
    assert (second.title, second.text) == ("On types", TWO)


def test_markdown_without_headings_is_a_paragraph_an_abstract() -> None:
    assert [each.text for each in kept(f"{ONE}\n\n{TWO}\n", "notes.md")] == [ONE, TWO]


def page(body: str, head: str = "") -> str:
    """A web page."""
    return f"<!DOCTYPE html><html><head><style>p {{}}</style>{head}</head><body><nav>Menu</nav>{body}</body></html>"


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><th>Title</th><th>Authors</th><th>Abstract</th></tr>"
        f"<tr><td>On windows</td><td>Jane Doe; Richard Roe</td><td>{ONE}</td></tr>"
        f"<tr><td>On types</td><td>Edgar Poe</td><td>{TWO}</td></tr></table>",
        "<p class='item'><strong><a class='title' href='/1'>On windows</a></strong><span class='authors'>"
        f"<a>Jane Doe</a>, <a>Richard Roe</a></span></p><div class='card abstract-collapse'><b>Abstract</b> {ONE}</div>"
        "<p class='item'><strong><a class='title' href='/2'>On types</a></strong><span class='authors'>Edgar Poe</span>"
        f"</p><div class='card abstract-collapse'>{TWO}</div>",
        f"<h1>Papers</h1><h2>On windows</h2><p>Jane Doe, Richard Roe</p><p>{ONE}</p>"
        f"<h2>On types</h2><p>Edgar Poe</p><p>{TWO}</p>",
        f"<dl><dt>On windows</dt><dd>Jane Doe and Richard Roe</dd><dd>{ONE}</dd><dt>On types</dt><dd>Edgar Poe</dd>"
        f"<dd>{TWO}</dd></dl>",
    ],
)
def test_pages_hold_their_papers(body: str) -> None:
    assert papers(page(body), "page.html") == TWO_PAPERS
    assert papers(page(body).encode("utf-16"), "page") == TWO_PAPERS


def test_the_page_of_one_paper_is_one_record() -> None:
    head = (
        "<meta name='citation_title' content='On windows'><meta name='citation_author' content='Doe, Jane'>"
        "<meta name='citation_author' content='Roe, Richard'><meta name='citation_doi' content='10.1000/x'>"
        "<meta name='citation_publication_date' content='2021/03/01'>"
    )
    body = f"<h1>On windows</h1><h2>Abstract</h2><p>{ONE}</p><h2>References</h2><p>{TWO}</p>"
    [abstract] = kept(page(body, head), "paper.html")
    assert (abstract.title, abstract.text, abstract.id, abstract.year) == ("On windows", ONE, "doi:10.1000/x", 2021)
    assert abstract.authors == ("Doe, Jane", "Roe, Richard")


def test_inline_markup_of_a_page_keeps_its_text() -> None:
    text = ONE + " At 10<sup>3</sup> <i>E. coli</i> cells, H<sub>2</sub>O &amp; more."
    [abstract] = kept(page(f"<h3>On water</h3><div class='abstract'>{text}</div>"), "a.html")
    assert abstract.text.endswith("At 10^3 E. coli cells, H2O & more.")


def test_a_page_without_papers_says_so_and_a_programme_rejects_its_rows() -> None:
    [rejected] = found(page("<p>Hello</p>"), "a.html")
    assert isinstance(rejected, Rejected)
    rows = found(
        page("<table><tr><td>12</td><td>A title</td></tr><tr><td>13</td><td>Other</td></tr></table>"), "a.html"
    )
    assert all(isinstance(each, Rejected) and each.reason.startswith("no abstract") for each in rows)
    assert len(rows) == 2


def test_a_charset_that_the_page_declares_is_used() -> None:
    body = page(f"<h3>Über Fenster</h3><div class='abstract'>Größe. {ONE}</div>", "<meta charset='iso-8859-1'>")
    assert kept(body.encode("latin-1"), "a.html")[0].title == "Über Fenster"


def test_a_short_abstract_among_long_ones_is_a_record_too() -> None:
    long = "Herons wade in shallow water. We measured 64 birds over five nights in two lakes, and all of them waded."
    entries = "".join(
        f"<div><h3>{title}</h3><p class='abstract'>{text}</p></div>"
        for title, text in (("Herons", long), ("Soil", "Soil governs drought."), ("Ice", long[:90]))
    )
    found = list(read(Source("list.html", data=f"<html><body>{entries}</body></html>".encode())))

    assert [each.fields["title"] for each in found if isinstance(each, RawRecord)] == ["Herons", "Soil", "Ice"]
