"""Each format gives every record it holds, each with its place, past the ones that are broken."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.normalise import normalise
from ingest.parsing.paths import expand
from ingest.parsing.source import Source
from ingest.readers import formats, read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

LONG = "We study retrieval over abstracts and show that windows of sentences help a dense index. " * 3
WORD = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
WORDS = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff", exclude_categories=["Cc"]), max_size=30)
CELLS = st.lists(st.tuples(CELL, CELL.map(lambda text: f'x{text}\ny, "{text}"')), min_size=1, max_size=8)


def found(data: str | bytes, name: str, *, titles: bool = False) -> list[RawRecord | Rejected]:
    """What a file of this name holds."""
    return list(read(Source(name, data=data.encode() if isinstance(data, str) else data), titles=titles))


def texts(data: str | bytes, name: str) -> list[str]:
    """The abstracts of a file in which nothing is broken."""
    abstracts = [normalise(record) for record in found(data, name) if isinstance(record, RawRecord)]
    return [abstract.raw for abstract in abstracts if isinstance(abstract, Abstract)]


def test_every_reader_has_a_name_and_extensions_of_its_own() -> None:
    names = [each.name for each in formats()]
    assert len(names) == len(set(names))
    extensions = [extension for each in formats() for extension in each.extensions]
    assert len(extensions) == len(set(extensions))


def test_the_seed_dumps_hold_572_records_of_524_abstracts(shared_data: Path) -> None:
    sources = [source for source in expand([f"{shared_data}/seeds/*.txt"]) if isinstance(source, Source)]
    abstracts = [normalise(record) for source in sources for record in read(source) if isinstance(record, RawRecord)]
    assert len(abstracts) == 572
    assert len({abstract.id for abstract in abstracts if isinstance(abstract, Abstract)}) == 524


@pytest.mark.parametrize(
    ("file", "records", "abstracts"),
    [
        ("csv/abstrackr.csv", 11, 8),
        ("csv/cinahl.csv", 10, 10),
        ("csv/covidence.csv", 10, 8),
        ("csv/duplicate_records.csv", 14, 10),
        ("csv/missing_values.csv", 4, 2),
        ("csv/ml_papers_of_week.csv", 420, 414),
        ("csv/no_title_column.csv", 6, 6),
        ("csv/rayyan.csv", 10, 8),
        ("csv/scopus.csv", 10, 10),
        ("csv/tab_in_csv.csv", 2, 2),
        ("tsv/baseline.tsv", 100, 98),
        ("conference/emnlp2020_findings.csv", 447, 447),
        ("conference/emnlp2020_workshops.csv", 814, 760),
        ("conference/sigdial2023_papers.csv", 117, 100),
        ("json/asreview_demo.json", 100, 99),
        ("json/eric_api.json", 1, 1),
        ("jsonl/scifact_goldctx.jsonl", 100, 100),
        ("arxiv_kaggle/made_from_atom_100.jsonl", 100, 100),
        ("huggingface/daily_papers.json", 1, 1),
        ("semantic_scholar/single_paper.json", 1, 1),
        ("semantic_scholar/batch_with_nulls.json", 4, 3),
    ],
)
def test_exports_hold_what_they_truly_hold(shared_data: Path, file: str, records: int, abstracts: int) -> None:
    results = list(read(Source(file, shared_data / "inputs" / file)))
    kept = [normalise(each) for each in results if isinstance(each, RawRecord)]
    assert (len(results), sum(isinstance(each, Abstract) for each in kept)) == (records, abstracts)


@pytest.mark.parametrize(("file", "rows"), [("csv/no_abstract_column.csv", 6), ("csv/pubmed_summary.csv", 10)])
def test_every_row_of_a_table_without_abstracts_is_rejected_with_its_line(
    shared_data: Path, file: str, rows: int
) -> None:
    rejected = list(read(Source(file, shared_data / "inputs" / file)))
    assert [each.where for each in rejected] == [f"{file}:{number}" for number in range(2, rows + 2)]
    assert all(isinstance(each, Rejected) and "the table's columns are" in each.reason for each in rejected)


# Plain text


def test_a_short_first_paragraph_without_full_stop_is_a_header() -> None:
    assert found("Daily Papers\n\nOne abstract.\n\nAnother.\n", "a.txt") == [
        RawRecord({"abstract": "One abstract."}, "a.txt:3"),
        RawRecord({"abstract": "Another."}, "a.txt:5"),
    ]


@pytest.mark.parametrize("first", ["We win.", "one two three four five six seven eight", "本文提出了一种新的方法。"])
def test_a_first_paragraph_with_a_full_stop_or_8_words_is_an_abstract(first: str) -> None:
    assert texts(f"{first}\n\nAnother abstract.", "a.txt") == [first, "Another abstract."]


def test_wrapped_lines_are_joined_and_blank_lines_may_hold_spaces() -> None:
    text = "\n\nAn abstract that\r\n  is wrapped\r\nover lines.\r\n \t \r\n\r\nThe next.\r\n"
    assert [(each.where) for each in found(text, "a.txt")] == ["a.txt:3", "a.txt:8"]
    assert texts(text, "a.txt") == ["An abstract that is wrapped over lines.", "The next."]


def test_long_lines_without_blank_lines_are_an_abstract_each() -> None:
    assert texts(f"{LONG}\n" * 4, "a.txt") == [LONG.strip()] * 4
    assert texts(f"Daily Papers\n{LONG}\n{LONG}\n{LONG}", "a.txt")[-1] == LONG.strip()


def test_text_of_a_tagged_format_is_not_taken_for_paragraphs() -> None:
    for text in ("TY  - JOUR\nAB  - Some abstract.\n", "PMID- 1\nAB  - Some abstract.\n"):
        assert texts(text, "a.txt") == ["Some abstract."]


def test_an_unknown_extension_is_not_taken_for_paragraphs() -> None:
    [rejected] = found("import os\n\nprint(os.getcwd())", "a.py")
    assert isinstance(rejected, Rejected)


def test_an_empty_file_is_one_line() -> None:
    assert found("", "a.txt") == [Rejected("a.txt", "is empty")]
    assert found("  \n\n", "a.csv") == [Rejected("a.csv", "is empty")]


@settings(deadline=None, max_examples=100)
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_text_gives_as_many_records_as_paragraphs(paragraphs: list[str]) -> None:
    body = "\n\n".join(f"P. {paragraph}" for paragraph in paragraphs)
    assert texts(body, "a.txt") == [f"P. {paragraph}" for paragraph in paragraphs]


# JSON Lines


def test_a_bad_line_is_rejected_with_its_number_and_the_rest_is_read() -> None:
    # Azure-Samples/azure-search-openai-demo#1394
    lines = [json.dumps({"abstract": f"Abstract {number}."}) for number in range(1000)]
    lines[499] = lines[499][:-3]
    results = found("\n".join(lines), "a.jsonl")
    rejected = [each for each in results if isinstance(each, Rejected)]
    assert len(results) == 1000
    assert [each.where for each in rejected] == ["a.jsonl:500"]
    assert rejected[0].reason.startswith("not valid JSON: Unterminated string")


@pytest.mark.parametrize("line", ["[1, 2]", "7", "null", '"text"', "true", "{", "[" * 100_000, "1" * 5000, "nonsense"])
def test_a_line_that_is_no_object_is_rejected(line: str) -> None:
    good = '{"abstract": "Fine."}'
    results = found(f"{good}\n{line}\n{good}", "a.jsonl")
    assert [isinstance(each, Rejected) for each in results] == [False, True, False]
    assert results[1].where == "a.jsonl:2"


def test_json_lines_may_be_called_json_and_a_list_may_be_called_jsonl() -> None:
    records = [{"abstract": "One."}, {"abstract": "Two."}]
    assert texts("\n".join(map(json.dumps, records)), "a.json") == ["One.", "Two."]
    assert texts(json.dumps(records, indent=2), "a.jsonl") == ["One.", "Two."]
    assert texts(json.dumps(records), "a") == ["One.", "Two."]


def test_records_of_a_list_know_their_line() -> None:
    results = found(
        '[\n {"abstract": "One."},\n {"abstract":\n "Two."},\n 3,\n {"abstract": "Four."},\n {"abs', "a.json"
    )
    assert [each.where for each in results] == [f"a.json:{line}" for line in (2, 3, 5, 6, 7)]
    assert [isinstance(each, Rejected) for each in results] == [False, False, True, False, True]


def test_a_single_object_over_several_lines_is_a_record() -> None:
    assert texts(json.dumps({"title": "T", "abstract": "One."}, indent=2), "a.json") == ["One."]


def test_references_inside_a_paper_are_not_papers() -> None:
    paper = {"title": "T", "references": [{"title": "Other", "abstract": "Not this one."}]}
    assert texts(json.dumps(paper), "a.jsonl") == []


@settings(deadline=None, max_examples=100)
@given(st.lists(st.dictionaries(st.text(), st.none() | st.floats() | CELL | st.lists(CELL)), min_size=1), st.booleans())
def test_json_lines_come_back_as_they_were(records: list[dict[str, object]], ascii_only: bool) -> None:
    whole = [{"abstract": "x", **record} for record in records]
    body = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in whole)
    results = found(body.encode("utf-8", "replace"), "a.jsonl")
    assert [f"a.jsonl:{line}" for line in range(1, len(whole) + 1)] == [each.where for each in results]
    if ascii_only:
        assert json.dumps(whole) == json.dumps([dict(each.fields) for each in results if isinstance(each, RawRecord)])


# Tables


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a"])
def test_the_delimiter_is_found_whatever_the_name(delimiter: str, name: str) -> None:
    table = [("Title", "Abstract Note", "Year"), ("A; B, C", "One | two, three; four\tfive.", "2021")]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(table)
    [record] = found(stream.getvalue(), name)
    assert record == RawRecord(dict(zip(*table, strict=True)), f"{name}:2")


def test_a_row_knows_the_line_it_begins_on() -> None:
    results = found('title,abstract\n\nA,"One\nin two lines."\nB,Two.\n', "a.csv")
    assert [each.where for each in results] == ["a.csv:3", "a.csv:5"]


def test_a_table_without_abstracts_names_its_columns_and_the_accepted_ones() -> None:
    for rejected in found("title,year\nA,2020\nB,2021\n", "a.csv"):
        assert isinstance(rejected, Rejected)
        assert "columns are title, year; accepted names are abstract, " in rejected.reason


def test_a_table_without_abstracts_is_read_for_its_titles_when_asked() -> None:
    assert len(found("title,year\nA,2020\nB,2021\n", "a.csv", titles=True)) == 2


def test_a_quote_that_never_closes_costs_one_row() -> None:
    rows = "".join(f'T{number},"Abstract {number}."\n' for number in range(50))
    results = found("title,abstract\n" + rows.replace('"Abstract 7."', '"Abstract 7.'), "a.csv")
    assert len(results) == 50
    assert [each.where for each in results if isinstance(each, Rejected)] == ["a.csv:9"]


def test_a_row_with_too_many_cells_is_rejected() -> None:
    results = found("title,abstract\nA,One, two\nB,Three.\n", "a.csv")
    assert [each.where for each in results if isinstance(each, Rejected)] == ["a.csv:2"]


def test_backslash_quotes_and_bare_quotes_are_read() -> None:
    escaped = 'title,abstract\nA,"He said \\"hi\\", twice."\nB,"Then \\"bye\\", once."\n'
    bare = 'title\tabstract\nA\t"Quoted start, no end.\nB\tTwo.\nC\t"Another one.\n'
    assert texts(escaped, "a.csv") == ['He said "hi", twice.', 'Then "bye", once.']
    assert texts(bare, "a.tsv") == ['"Quoted start, no end.', "Two.", '"Another one.']


def test_a_spreadsheet_s_separator_line_is_no_header() -> None:
    assert texts("sep=;\r\ntitle;abstract\r\nA;One, two.\r\n", "a.csv") == ["One, two."]


def test_a_single_column_may_hold_commas() -> None:
    assert texts("abstract\nOne, two.\nThree.\n", "a.csv") == ["One, two.", "Three."]


def test_empty_rows_hold_nothing() -> None:
    assert len(found("title,abstract\nA,One.\n,,,\n\n , \n", "a.csv")) == 1


def test_an_abstract_of_3_mb_is_a_record() -> None:
    [record] = found(f'title,abstract\nA,"{"word " * 600_000}"\n', "a.csv")
    assert isinstance(record, RawRecord)


@settings(deadline=None, max_examples=100)
@given(CELLS, st.sampled_from([",", "\t", ";"]), st.sampled_from(["\n", "\r\n"]))
def test_tables_come_back_as_they_were(cells: list[tuple[str, str]], delimiter: str, end: str) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(
        [("T", "abstract"), *cells]
    )
    results = found(stream.getvalue(), "a.csv")
    assert [{"T": title, "abstract": abstract} for title, abstract in cells] == [
        each.fields for each in results if isinstance(each, RawRecord)
    ]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8-sig", "utf-16", "gbk", "latin-1"])
def test_a_table_is_read_in_any_encoding(encoding: str) -> None:
    cell = "检索增强生成方法，用于中文问答任务" if encoding == "gbk" else "Modèles naïfs évalués à Zürich, « où »"
    assert texts(f'title,abstract\nA,"{cell}."\nB,"{cell}!"\n'.encode(encoding), "a.csv") == [f"{cell}.", f"{cell}!"]


@pytest.mark.parametrize(
    "text",
    [
        "TY  - JOUR\nTI  - A\nAB  - One.\nER  - \n",
        "PMID- 1\nTI  - A\nAB  - One.\n",
        "FN Clarivate\nVR 1.0\nPT J\nTI A\nAB One.\nER\n\nEF\n",
        "%0 Journal Article\n%T A\n%X One.\n",
        ".I 1\n.T\nA\n.W\nOne.\n",
        "@article{a,\n  title = {A},\n  abstract = {One.}\n}\n",
        "---\ntitle: A\nabstract: One.\n---\n",
        "TITLE: A\nABSTRACT: One.\n\nTITLE: B\nABSTRACT: Two.\n",
        'title,abstract\nA,"One."\n',
    ],
)
def test_line_ends_of_any_system_are_read(text: str) -> None:
    names = ("a.txt", "export")
    expected = texts(text, names[0])
    assert expected[0] == "One."
    for name in names:
        assert texts(text.replace("\n", "\r"), name) == texts(text.replace("\n", "\r\n"), name) == expected
