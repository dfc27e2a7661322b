from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from rag.errors import InputError
from rag.questions import question_id, read_questions
from rag.types import Filters, Question, Turn

Write = Callable[[str, str | bytes], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(name: str, content: str | bytes) -> str:
        (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
        return str(tmp_path / name)

    return to_file


def texts(path: str, **options: Any) -> list[str]:
    return [question.text for question in read_questions(path, **options)]


def workbook(*sheets: Sequence[Sequence[Any]]) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(list(row))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.txt", "# note\nOne?\n\n  Two?  \n"),
        ("q.txt", "One?\r\nTwo?"),
        ("q.csv", "Question;team\nOne?;a\nTwo?;b\n"),
        ("q.csv", "sep=;\r\nquestion;team\r\nOne?;a\r\nTwo?;b\r\n"),
        ("q.csv", "team|question\na|One?\nb|Two?\n;;\n".replace(";;", "|")),
        ("q.tsv", "id\tquestion\n7\tOne?\n8\tTwo?\n"),
        ("q.jsonl", '{"question": "One?", "gold": ["x"]}\n\n{"question": "Two?"}\n'),
        ("q.json", '["One?", {"question": "Two?"}]'),
        ("q.json", '\n[ {"question": "One?"},\n\n{"question": "Two?"} ]\n'),
        ("no_name_that_says_it", "One?\nTwo?\n"),
        ("no_name_that_says_it", "team,question\na,One?\nb,Two?\n"),
        ("no_name_that_says_it", '{"question": "One?"}\n{"question": "Two?"}'),
    ],
)
def test_each_format_gives_its_questions(write: Write, name: str, text: str) -> None:
    assert texts(write(name, b"\xef\xbb\xbf" + text.encode())) == ["One?", "Two?"]


def test_paragraphs_are_questions_separated_by_blank_lines(write: Write) -> None:
    path = write("q.txt", "Which of these\nholds?\n# a note\n\n \nWhy?\n")

    assert texts(path, blocks=True) == ["Which of these\nholds?", "Why?"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_spreadsheets_encodings_and_delimiters_are_found(write: Write, encoding: str, delimiter: str) -> None:
    rows = [("question", "asked by"), ('What is "naïveté", if anything?', "Zoë; Jürgen"), ("Why?", "René, Åsa")]
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    path = write("q.csv", "\r\n".join(quoted).encode(encoding))

    assert [(q.text, q.input["asked by"]) for q in read_questions(path)] == rows[1:]


def test_a_question_with_commas_in_a_column_of_its_own_needs_no_quotes(write: Write) -> None:
    assert texts(write("q.csv", "question\nWhich, if any, holds?\nWhy?\n")) == ["Which, if any, holds?", "Why?"]


def test_cells_may_hold_line_breaks_and_separators_of_other_systems(write: Write) -> None:
    path = write("q.csv", 'question,note\n"Is it\nso?",a\u2028b\nWhy?,c\n')

    assert [(q.text, q.input["note"]) for q in read_questions(path)] == [("Is it\nso?", "a\u2028b"), ("Why?", "c")]


def test_a_workbook_gives_the_first_sheet_with_questions_and_its_numbers(write: Write) -> None:
    data = workbook(
        [["about", "us"], ["x", "y"]],
        [[], ["ID", "Question ", "weight", "day"], [7, "One?", 0.5, None], [], [8.0, "Two?", 2.0, True]],
    )
    found = read_questions(write("q.xlsx", data))

    assert [(q.id, q.text) for q in found] == [("7", "One?"), ("8", "Two?")]
    assert [dict(q.input) for q in found] == [{"weight": 0.5, "day": None}, {"weight": 2, "day": True}]


def test_the_column_can_be_named(write: Write) -> None:
    table = write("q.csv", "question,query\nold,One?\n")
    lines = write("q.jsonl", '{"question": "old", "query": "One?"}\n')

    assert [texts(path, column="query") for path in (table, lines)] == [["One?"], ["One?"]]
    assert read_questions(table, column="query")[0].input == {"question (2)": "old"}


def test_a_row_brings_its_history_filters_and_top_k(write: Write) -> None:
    history = [{"role": "user", "content": "Is it so?"}, {"role": "assistant", "content": "It is."}]
    row = {"id": 5, "question": "Why?", "history": history, "filters": {"year": "2019-"}, "top_k": 3, "type": "x"}
    cells = {name: json.dumps(v) if isinstance(v, list | dict) else v for name, v in row.items()}
    (asked,) = read_questions(write("q.jsonl", json.dumps(row)))
    (from_table,) = read_questions(write("q.xlsx", workbook([list(cells), list(cells.values())])))

    assert asked == Question(
        "Why?",
        "5",
        (Turn("user", "Is it so?"), Turn("assistant", "It is.")),
        Filters(year="2019-"),
        3,
        {"type": "x"},
    )
    assert from_table == asked


def test_a_row_without_filters_gets_the_commands(write: Write) -> None:
    path = write("q.jsonl", '{"question": "a?", "filters": {"author": "Lum"}}\n{"question": "b?"}')

    assert [q.filters for q in read_questions(path, Filters(year="2020"))] == [
        Filters(author=("Lum",)),
        Filters(year="2020"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("q.csv", "query\nOne?\n", "no column named question (it has query)"),
        ("q.csv", 'id,question\n1,One?\n1,"Two?"\n', "q.csv:3: the id 1 stands already at"),
        ("q.csv", "id,question,a\n1,One, two?,b\n2,Two?,\n", "q.csv:2 has 4 cells"),
        ("q.csv", 'id,question\n1,"One?\n', "q.csv:2: quotes do not match"),
        ("q.csv", "", "no column named question"),
        ("q.jsonl", '{"question": "One?"}\n{broken\n', "q.jsonl:2 is not JSON"),
        ("q.jsonl", '["One?"]\n', "q.jsonl:1 is not a JSON object"),
        ("q.jsonl", '{"id": 1, "question": "One?"}\n{"id": "1", "question": "Two?"}\n', "q.jsonl:2: the id 1 stands"),
        ("q.jsonl", '{"question": " "}\n', "q.jsonl:1 has no question"),
        ("q.jsonl", '{"question": "One?", "history": "hello"}\n', "q.jsonl:1: history"),
        ("q.jsonl", '{"question": "One?", "top_k": 0}\n', "q.jsonl:1: top_k"),
        ("q.jsonl", '{"question": "One?", "filters": {"yaer": 1}}\n', "q.jsonl:1: Unknown filter yaer"),
        ("q.json", '[\n"One?",\n{"a": 1}\n]', "q.json:3 has no question"),
        ("q.json", '[\n"One?",\n"Two?"\n"Three?"]', "q.json:4 is not JSON"),
        ("q.json", '[\n"One?",\n', "q.json:3 is not JSON"),
        ("q.json", '{"question": "One?"}', "q.json is not a JSON list"),
        ("q.txt", "# nothing\n", "holds no questions"),
        ("q.txt", b"%PDF-1.7 \x00\x01", "is not text"),
        ("q.xlsx", b"PK\x03\x04 broken", "is no readable workbook"),
        ("q.xlsx", workbook([["query"], ["One?"]]), "no sheet with a column named question"),
        ("q.xlsx", workbook([["id", "question"], [1, "One?"], [1, "Two?"]]), "q.xlsx:3: the id 1 stands"),
        ("q.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "Save it as .xlsx"),
    ],
)
def test_a_file_that_cannot_be_asked_says_where_in_one_line(
    write: Write, name: str, content: str | bytes, says: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_questions(write(name, content))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_id_does_not_depend_on_the_position_and_repeats_are_counted(write: Write) -> None:
    one = [q.id for q in read_questions(write("one.txt", "Is  it so?\nWhy?\nIs it so?\n"))]
    two = [q.id for q in read_questions(write("two.txt", "Why?\nIs it so?\n"))]

    assert one == [two[1], two[0], f"{two[1]}-2"]
    assert all(identity.startswith("q-") for identity in one)


def test_an_id_made_for_a_repeat_is_never_one_that_was_given(write: Write) -> None:
    made = question_id(Question("Why?"))
    path = write("q.csv", f"id,question\n,Why?\n,Why?\n{made}-2,How?\n")

    assert [q.id for q in read_questions(path)] == [made, f"{made}-3", f"{made}-2"]


def test_history_and_filters_are_a_part_of_the_id() -> None:
    asked = [
        Question("Why?"),
        Question("Why?", history=(Turn("user", "Is it so?"),)),
        Question("Why?", filters=Filters(year="2020")),
    ]

    assert len({question_id(question) for question in asked}) == 3


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20).map(str.strip)


@settings(deadline=None, max_examples=40)
@given(rows=st.lists(st.fixed_dictionaries({"question": CELLS.filter(bool), "note": CELLS}), min_size=1, max_size=6))
def test_what_is_written_as_json_lines_is_what_is_asked(
    rows: list[Mapping[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("q") / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_questions(str(path))

    assert [{"question": q.text, **q.input} for q in found] == rows
    assert len({q.id for q in found}) == len(rows)
