"""Tables of abstracts: any dialect, any spreadsheet, banners above the header, lists written as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from ingest.text.reprs import unrepresented
from rag.types import Abstract

BANNER = "Dimensions export\nCriteria: 'windows' in full data; Exported on Nov 30, 2026\n\n"
ROWS = '"On windows","Windows, of sentences\nhelp.","Doe, Jane; Roe, R.",2021\nOther,"More ""words"".","Poe, E.",1999\n'


def found(data: bytes | str, name: str) -> list[RawRecord | Rejected]:
    """What a file of this name holds."""
    return list(read(Source(name, data=data.encode() if isinstance(data, str) else data)))


def kept(data: bytes | str, name: str) -> list[Abstract]:
    """Its abstracts."""
    results = [normalise(each) for each in found(data, name) if isinstance(each, RawRecord)]
    return [each for each in results if isinstance(each, Abstract)]


def workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Source:
    """A workbook with these sheets."""
    book = Workbook()
    for number, (title, rows) in enumerate(sheets.items()):
        sheet = book.active if number == 0 else book.create_sheet()
        assert sheet is not None
        sheet.title = title
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return Source("book.xlsx", path)


@pytest.mark.parametrize(
    "text",
    [
        "Title,Abstract,Authors,PubYear\n" + ROWS,
        BANNER + "Title,Abstract,Authors,PubYear\n" + ROWS,
        "\ufeffsep=,\r\nTitle,Abstract,Authors,PubYear\r\n" + ROWS.replace("\n", "\r\n"),
        "Titel,Zusammenfassung,Autoren,Jahr\n" + ROWS,
        "titre,résumé,auteurs,année\n" + ROWS,
        "标题,摘要,作者,年份\n" + ROWS,
        '"TITLE","ABSTRACT","AUTHOR NAMES","PUBLICATION YEAR"\n' + ROWS,
    ],
)
def test_tables_hold_the_same_abstracts_under_any_header(text: str) -> None:
    first, second = kept(text, "export.csv")
    assert (first.title, first.text, first.year) == ("On windows", "Windows, of sentences help.", 2021)
    assert first.authors == ("Doe, Jane", "Roe, R.")
    assert (second.text, second.year) == ('More "words".', 1999)
    assert len(found(text, "export.csv")) == 2


def test_the_tags_of_web_of_science_are_columns_too() -> None:
    header = "PT AU TI SO DE ID AB PY UT".replace(" ", "\t")
    row = "J\tDoe, J; Roe, R\tOn windows\tSEARCH\ta; b\tC\tWindows help.\t2020\tWOS:1"
    [abstract] = kept(f"{header}\n{row}\n", "savedrecs.txt")
    assert (abstract.title, abstract.text, abstract.venue) == ("On windows", "Windows help.", "SEARCH")
    assert (abstract.keywords, abstract.aliases) == (("a", "b"), ("file:WOS:1",))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("['A', 'B']", ["A", "B"]),
        ('["A", "B"]', ["A", "B"]),
        ("['A' \"B's\"]", ["A", "B's"]),
        ("['A' 'B'\n 'C' ... 'Z']", ["A", "B", "C", "Z"]),
        ("array(['A', 'B'], dtype=object)", ["A", "B"]),
        ("array(['A' 'B'], dtype='<U1')", ["A", "B"]),
        ("[]", []),
        ("[12] shows that", "[12] shows that"),
        ("[We show] that ['it'] works", "[We show] that ['it'] works"),
        ("['broken", "['broken"),
    ],
)
def test_lists_written_as_text_are_read_as_lists(text: str, members: object) -> None:
    assert unrepresented(text) == members


def test_an_abstract_written_as_a_list_of_sentences_is_one_text() -> None:
    [abstract] = kept("title,abstract\nA,\"['One.' 'Two.']\"\n", "a.csv")
    assert abstract.text == "One. Two."


def test_an_abstract_that_numpy_shortened_is_rejected() -> None:
    [rejected] = found("title,abstract\nA,\"['One.' 'Two.' ... 'Nine.']\"\n", "a.csv")
    assert isinstance(rejected, Rejected)
    assert "shortened" in rejected.reason


def test_a_workbook_is_read_below_its_banner_with_its_rows(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["Library"],
        [],
        ["Title", "Abstract", "Year", "PMID"],
        ["On windows", "They help.", 2021.0, 123],
        [],
        ["B"],
    ]
    source = workbook(tmp_path / "b.xlsx", {"Sheet": rows})
    first, second = read(source)
    abstract = normalise(first) if isinstance(first, RawRecord) else first
    assert isinstance(abstract, Abstract)
    assert (abstract.text, abstract.year, abstract.id) == ("They help.", 2021, "pmid:123")
    assert (first.where, second.where) == ("book.xlsx:4", "book.xlsx:6")


def test_every_sheet_of_a_workbook_is_read(tmp_path: Path) -> None:
    table: list[list[Any]] = [["Title", "Abstract"], ["A", "One."]]
    notes: list[list[Any]] = [["Only a remark"]]
    source = workbook(tmp_path / "b.xlsx", {"One": table, "Notes": notes, "Two": table})
    assert [each.where for each in read(source)] == ["book.xlsx:One:2", "book.xlsx:Notes:1", "book.xlsx:Two:2"]


def test_a_damaged_workbook_is_one_line(tmp_path: Path) -> None:
    whole = workbook(tmp_path / "b.xlsx", {"Sheet": [["Title", "Abstract"], ["A", "One."]]})
    assert whole.path is not None
    for cut in (40, 200, 1000, 3000):
        [rejected] = read(Source("book.xlsx", data=whole.path.read_bytes()[:cut]))
        assert isinstance(rejected, Rejected)


def test_the_first_row_of_a_table_without_names_is_no_less_a_row() -> None:
    assert [each.where for each in found("On windows,They help.\nOther,More.\n", "a.csv")] == ["a.csv:1", "a.csv:2"]
