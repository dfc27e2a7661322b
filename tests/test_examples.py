"""The sample shelf and its questions hold what the README and the other tests rely on."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord
from rag.types import Abstract

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAPER_FIELDS = {"title", "authors", "year", "venue", "url", "keywords", "abstract"}
CASE_FIELDS = {"id", "type", "question", "history", "gold", "answer", "facts", "quote"}
WITHOUT_ANSWER = {"unanswerable", "offtopic"}


def objects(name: str) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file of the examples."""
    return [json.loads(line) for line in (EXAMPLES / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def papers() -> list[dict[str, Any]]:
    return objects("papers.jsonl")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return objects("questions.jsonl")


@pytest.fixture(scope="module")
def shelf() -> dict[str, Abstract]:
    """The papers as ingest sees them, by id."""
    path = EXAMPLES / "papers.jsonl"
    records = list(read(Source(path.name, path)))
    abstracts = [normalise(record) for record in records if isinstance(record, RawRecord)]
    kept = {abstract.id: abstract for abstract in abstracts if isinstance(abstract, Abstract)}
    assert len(kept) == len(records)
    return kept


def test_there_are_enough_papers(papers: list[dict[str, Any]]) -> None:
    assert len(papers) >= 48


def test_every_paper_has_all_fields(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert set(paper) - {"doi", "arxiv_id"} == PAPER_FIELDS
        assert all(paper.values()), paper["title"]


def test_authors_and_keywords_are_lists_of_names(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        names = [*paper["authors"], *paper["keywords"]]
        assert all(name == name.strip() != "" for name in names)
        assert 3 <= len(paper["keywords"]) <= 5
        assert len(set(paper["authors"])) == len(paper["authors"])


def test_summaries_are_as_long_as_abstracts(papers: list[dict[str, Any]]) -> None:
    for paper in papers:
        assert 80 <= len(paper["abstract"].split()) <= 200, paper["title"]


@pytest.mark.parametrize("field", ["title", "url", "abstract", "doi", "arxiv_id"])
def test_no_two_papers_share(papers: list[dict[str, Any]], field: str) -> None:
    values = [paper[field].lower() for paper in papers if field in paper]
    assert len(values) == len(set(values))


def test_ingest_keeps_every_paper_under_its_own_id(papers: list[dict[str, Any]], shelf: dict[str, Abstract]) -> None:
    assert len(shelf) == len(papers)
    names = [name for abstract in shelf.values() for name in (abstract.id, *abstract.aliases)]
    assert len(names) == len(set(names))


def test_ingest_keeps_the_fields_of_every_paper(papers: list[dict[str, Any]], shelf: dict[str, Abstract]) -> None:
    for paper, abstract in zip(papers, shelf.values(), strict=True):
        assert abstract.title == paper["title"]
        assert abstract.authors == tuple(paper["authors"])
        assert abstract.year == paper["year"]
        assert abstract.venue == paper["venue"]
        assert abstract.url == paper["url"]
        assert abstract.keywords == tuple(paper["keywords"])


def test_cleaning_leaves_the_summaries_alone(shelf: dict[str, Abstract]) -> None:
    for abstract in shelf.values():
        assert abstract.text == abstract.raw


def test_every_case_has_the_evaluation_format(cases: list[dict[str, Any]]) -> None:
    assert len(cases) >= 24
    assert len({case["id"] for case in cases}) == len(cases)
    for case in cases:
        assert set(case) == CASE_FIELDS
        assert all(set(turn) == {"role", "content"} for turn in case["history"])


def test_the_usual_kinds_of_question_occur(cases: list[dict[str, Any]]) -> None:
    kinds = {case["type"] for case in cases}
    assert kinds == {"fact", "method", "multi", "paraphrase", "acronym", "typo", "followup"} | WITHOUT_ANSWER


def test_several_questions_have_no_answer_here(cases: list[dict[str, Any]]) -> None:
    assert sum(case["type"] in WITHOUT_ANSWER for case in cases) >= 3
    for case in cases:
        assert (case["type"] in WITHOUT_ANSWER) == (case["gold"] == [])


def test_follow_ups_come_with_the_turns_before(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        assert (case["type"] == "followup") == bool(case["history"])


def test_gold_papers_are_on_the_shelf(cases: list[dict[str, Any]], shelf: dict[str, Abstract]) -> None:
    assert {name for case in cases for name in case["gold"]} <= set(shelf)


def test_comparisons_need_more_than_one_paper(cases: list[dict[str, Any]]) -> None:
    assert all(len(case["gold"]) >= 2 for case in cases if case["type"] == "multi")


def test_quotes_are_verbatim_and_cover_every_gold_paper(
    cases: list[dict[str, Any]], shelf: dict[str, Abstract]
) -> None:
    for case in cases:
        texts = [shelf[name].text for name in case["gold"]]
        assert all(any(quote in text for text in texts) for quote in case["quote"]), case["id"]
        assert all(any(quote in text for quote in case["quote"]) for text in texts), case["id"]


def test_questions_do_not_repeat_the_sentences(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        asked = case["question"].lower().split()
        runs = {" ".join(asked[start : start + 6]) for start in range(len(asked) - 5)}
        assert not any(run in quote.lower() for run in runs for quote in case["quote"]), case["id"]


def test_the_table_of_questions_has_columns_of_its_own() -> None:
    with (EXAMPLES / "questions.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, strict=True))
    assert len(rows) == 12
    assert all(set(row) == {"question", "topic", "asked_by_team"} and all(row.values()) for row in rows)
    assert any('"' in row["question"] for row in rows)
    assert sum("," in row["question"] for row in rows) >= 2
