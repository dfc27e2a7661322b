from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from openpyxl import load_workbook

from rag.errors import InputError, SettingsError
from rag.export import export
from rag.export.markdown import escape
from rag.export.table import safe
from rag.types import Answer, Citation, Evidence, Sentence, Usage

HOSTILE = [
    '<img src="http://attacker.example/x" onerror=alert(1)>',
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![](http://attacker.example/?q=1)",
    '"><svg onload=alert(1)>',
    "{{ 7*7 }}{% for x in y %}",
    "<!-- --> </title></style></article>",
    '```[1]"onclick=alert(1)\ncode\n```',
    "[1]: http://attacker.example",
    "javascript:alert(1)",
]

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(*answers: Mapping[str, Any]) -> Path:
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
        return path

    return to_file


def answer(identity: str = "q1", **fields: Any) -> dict[str, Any]:
    """An answer of a model with one footnote, as a line of a file of answers."""
    position = fields.pop("position", 0)
    citation = Citation(
        1,
        "doi:10.1/x",
        "Sleep and IL-6",
        ("Ada Lum", "Wei Chen"),
        2023,
        "https://doi.org/10.1/x",
        "a.bib:3",
        (),
        "Sleep",
    )
    evidence = Evidence("doi:10.1/x", 0, 10, "IL-6 rose by 31%.", "abc")
    values: dict[str, Any] = {
        "id": identity,
        "question": "By how much did IL-6 rise?",
        "standalone_question": "By how much did IL-6 rise?",
        "status": "answered",
        "mode": "llm",
        "model": "m",
        "answer": "It rose by **31%** [1].",
        "sentences": (Sentence("It rose by 31%.", (1,), "supported", 0.9, (evidence,)),),
        "citations": (citation,),
        "usage": Usage(10, 5, 0.01),
    }
    line = json.loads(json.dumps(Answer(**{**values, **fields}).to_dict()))
    return {**line, "position": position}


def hostile(text: str, **fields: Any) -> dict[str, Any]:
    """An answer that says `text` wherever something comes from data."""
    citation = Citation(1, text, text, (text,), 2023, text, text, (), text)
    evidence = Evidence(text, 0, 1, text, "abc")
    return answer(
        question=text,
        answer=f"{text} [1].",
        input={text: text, "note": text},
        citations=(citation,),
        sentences=(Sentence(text, (1,), "unsupported", 0.1, (evidence,)),),
        **fields,
    )


def table(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def cells(path: Path, sheet: str = "Answers") -> list[list[Any]]:
    return [list(row) for row in load_workbook(path)[sheet].iter_rows(values_only=True)]


def test_a_table_has_own_columns_between_the_question_and_its_answer(write: Write) -> None:
    path = write(answer(input={"team": "blue", "status": "new"}), answer("q2", input={"team": None, "weight": 2}))
    header, first, second = table(export(path, "csv").path)

    assert header[:7] == ["id", "question", "team", "input: status", "weight", "status", "reason"]
    assert first[:6] == ["q1", "By how much did IL-6 rise?", "blue", "new", "", "answered"]
    assert second[:5] == ["q2", "By how much did IL-6 rise?", "", "", "2"]
    row = dict(zip(header, first, strict=True))
    assert row["sources"] == "[1] Sleep and IL-6 (Ada Lum et al., 2023) https://doi.org/10.1/x"
    assert (row["cost_usd"], row["checked"]) == ("0.01", "1 of 1 sentences supported")


def test_a_workbook_holds_what_the_table_holds_and_the_sources(write: Write) -> None:
    path = write(answer(input={"team": "blue"}), answer("q2"))
    book = export(path, "xlsx").path
    as_text = [["" if cell is None else str(cell) for cell in row] for row in cells(book)]

    assert as_text == table(export(path, "csv").path)
    assert cells(book, "Sources")[1][:4] == ["q1", 1, "Sleep and IL-6 (Ada Lum et al., 2023)", "https://doi.org/10.1/x"]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\uff1d1+1",
        '=HYPERLINK("http://x")',
    ],
)
def test_formulas_are_neutralised_in_every_cell(write: Write, text: str) -> None:
    path = write({**hostile(text), "id": text})
    shown = table(export(path, "csv").path)
    book = export(path, "xlsx").path

    for row in [*shown, *cells(book), *cells(book, "Sources")]:
        assert not [c for c in row if isinstance(c, str) and re.match(r"[\s]*[=+\-@\uff1d]", c)]
    sheets = load_workbook(book).worksheets
    assert {cell.data_type for sheet in sheets for row in sheet.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}


@pytest.mark.parametrize("value", [3, -2.5, None, True, "-5", "+4.5%", "plain", "a=b"])
def test_what_is_no_formula_stays_as_it_is(value: Any) -> None:
    assert safe(value) == value


def test_a_workbook_takes_any_text(write: Write) -> None:
    path = write(
        answer(answer="a\x00\x0bb\ud800" + "x" * 40_000, citations=(), sentences=()), answer("q2", question="#N/A")
    )
    rows = cells(export(path, "xlsx").path)

    assert len(rows[1][rows[0].index("answer")]) == 32_767
    assert rows[2][1] == "#N/A"


def test_exports_follow_the_questions_file_not_the_order_of_completion(write: Write) -> None:
    path = write(answer("c", position=3), answer("a", position=1), answer("old"), answer("b", position=2))

    assert [row[0] for row in table(export(path, "csv").path)[1:]] == ["a", "b", "c", "old"]


def test_the_questions_given_say_which_answers_in_what_order(write: Write) -> None:
    path = write(answer("c"), answer("a"), answer("a", status="not_found"), answer("x"))
    written = export(path, "csv", None, ["a", "b", "c"])

    assert [(row[0], row[2]) for row in table(written.path)[1:]] == [("a", "not_found"), ("c", "answered")]
    assert (written.answers, written.missing) == (2, 1)


def test_an_error_says_what_failed_in_every_format(write: Write) -> None:
    failed = answer(status="error", reason="timeout", detail="It said nothing.", answer="", citations=(), sentences=())
    path = write(failed)

    for to in ("csv", "md", "html"):
        text = export(path, to).path.read_text()
        assert "It said nothing." in text
        assert "timeout" in text


def test_markdown_has_footnotes_that_are_there(write: Write) -> None:
    text = export(write(answer(), answer("q2")), "md").path.read_text()

    assert sorted(re.findall(r"\[\^(\d+-\d+)\](?!:)", text)) == sorted(re.findall(r"^\[\^(\d+-\d+)\]:", text, re.M))
    assert "[^1-1]: Sleep and IL-6 \\(" not in text
    assert "<https://doi.org/10.1/x> “IL-6 rose by 31%.”" in text


@pytest.mark.parametrize("mode", ["llm", "quotes"])
@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_from_data_means_itself(write: Write, text: str, mode: str) -> None:  # open-webui#18387
    source = export(write(hostile(text, mode=mode)), "md").path.read_text()
    html = MarkdownIt("commonmark", {"html": True}).render(source)
    tags = {tag for tag, _ in parsed(html).tags}

    assert tags <= {"h1", "h2", "p", "em", "ul", "li", "br", "ol"}


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    return page


@pytest.mark.parametrize("mode", ["llm", "quotes"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_shows_data_and_does_nothing_it_says(write: Write, text: str, mode: str) -> None:  # LightRAG PR#3437
    page = parsed(export(write(hostile(text, mode=mode)), "html").path.read_text())
    attributes = [(tag, name, value or "") for tag, attrs in page.tags for name, value in attrs.items()]

    assert not {"script", "img", "svg", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert not [name for _, name, _ in attributes if name.startswith("on") or name in ("src", "srcset", "style")]
    links = [value for _, name, value in attributes if name == "href"]
    assert all(re.match(r"#[qs]\d|data:,$", link) for link in links)
    assert " ".join(text.split("`")[0].split()) in " ".join(page.text.split())


def test_a_pages_footnotes_lead_to_its_sources(write: Write) -> None:
    page = parsed(export(write(answer(), answer("q2")), "html").path.read_text())
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    targets = [attrs["href"] for tag, attrs in page.tags if tag == "a"]

    assert len(ids) == len(set(ids))
    assert {f"#{identity}" for identity in ids} >= {t for t in targets if t and t.startswith("#")}
    assert [t for t in targets if t and not t.startswith("#")] == ["https://doi.org/10.1/x"] * 2
    assert ("strong", {}) in page.tags


def test_bracketed_numbers_that_are_no_footnotes_stay_text(write: Write) -> None:
    path = write(answer(answer="See BigVul[\u20601] [1].", mode="quotes"))
    page, text = (export(path, to).path.read_text() for to in ("html", "md"))

    assert "See BigVul[1]<sup>" in page
    assert r"See BigVul\[1\] [^1-1]." in text


@pytest.mark.parametrize("to", ["csv", "xlsx", "md", "html"])
def test_an_empty_file_of_answers_is_an_empty_export(write: Write, to: str) -> None:
    assert export(write(), to).answers == 0


def test_what_cannot_be_exported_is_said(write: Write, tmp_path: Path) -> None:
    path = write(answer())
    with pytest.raises(SettingsError, match="csv, xlsx, md, html"):
        export(path, "pdf")
    with pytest.raises(SettingsError, match="Name another"):
        export(path, "csv", path)
    with pytest.raises(InputError, match="is not there"):
        export(tmp_path / "none.jsonl", "csv")
    with pytest.raises(InputError, match="cannot be written"):
        export(path, "csv", tmp_path / "no" / "folder.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answers.jsonl"]


WRITTEN = st.text(st.sampled_from("ab1 *_`[]()<>#|~$&!\\-+=.:\n"), max_size=30)


@settings(deadline=None, max_examples=150)
@given(text=WRITTEN)
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    shown = parsed(MarkdownIt("commonmark", {"html": True}).render("x " + escape(text.replace("\n", " ")))).text

    assert " ".join(shown.split()) == " ".join(("x " + text).split())


@settings(deadline=None, max_examples=150)
@given(text=WRITTEN)
def test_escaped_lines_make_no_structure(text: str) -> None:
    lines = "\n".join(line.strip() for line in text.splitlines())
    tags = {tag for tag, _ in parsed(MarkdownIt("commonmark", {"html": True}).render(escape(lines))).tags}

    assert tags <= {"p", "br"}
