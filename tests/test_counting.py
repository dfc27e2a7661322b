"""Questions about the shelf itself are counted in the catalogue, not guessed from a ranking."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.answer import ask, prompt
from rag.counting.request import read_request
from rag.library import Library
from rag.types import Answer, Filters, Question
from tests.shelf import fill, open_shelf, write_lines

TOPICS = ("coffee", "tea", "sleep")
PAPERS = [
    {
        "id": f"p{n}",
        "title": f"Study {n} of {TOPICS[n % 3]}",
        "abstract": f"We give {TOPICS[n % 3]} to {n + 20} volunteers. Their reaction times [1] were measured daily.",
        "authors": ["Jane Li"] if n % 2 else ["Bo Smith", "Ann Lee"],
        "year": 2000 + n if n < 12 else None,
        "keywords": ["drinks"] if n % 3 < 2 else [],
    }
    for n in range(15)
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("counting")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    shelf = open_shelf(folder / "home")
    yield shelf
    shelf.close()


def answer(library: Library, text: str, filters: Filters = Filters()) -> Answer:
    return ask(library, Question(text, filters=filters))


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("How many papers are there?", "There are 15 abstracts on this shelf."),
        ("How many abstracts do you have about coffee?", "5 of the 15 abstracts fit: words “coffee”."),
        ("how many papers mention coffe", "5 of the 15 abstracts fit: words “coffee”."),
        ("How many papers are by Li?", "7 of the 15 abstracts fit: author “Li”."),
        ("How many papers did Smith write since 2006?", "3 of the 15 abstracts fit: year 2006-; author “Smith”."),
        ("Which papers were published between 2003 and 2005?", "3 of the 15 abstracts fit: year 2003-2005."),
        ("Count the papers with the keyword drinks", "10 of the 15 abstracts fit: keyword “drinks”."),
        ("List all papers by Jane Li about tea", "3 of the 15 abstracts fit: words “tea”; author “Jane Li”."),
    ],
)
def test_what_is_counted_is_said_with_its_conditions(
    library: Library, question: str, start: str
) -> None:  # pipeshub PR#2988
    assert answer(library, question).answer.startswith(start)


def test_the_first_ten_are_listed_newest_first_and_cited(library: Library) -> None:
    found = answer(library, "List all the papers with the keyword drinks")
    assert [citation.year for citation in found.citations] == [
        2010,
        2009,
        2007,
        2006,
        2004,
        2003,
        2001,
        2000,
        None,
        None,
    ]
    assert [citation.number for citation in found.citations] == list(range(1, 11))
    assert "- Study 10 of tea (Bo Smith, Ann Lee, 2010) [1]" in found.answer
    assert [hit.id for hit in found.hits] == [citation.id for citation in found.citations]
    assert all(hit.sent and hit.score is None for hit in found.hits)


def test_more_than_ten_are_counted_on(library: Library) -> None:
    found = answer(library, "List all papers")
    assert len(found.citations) == 10
    assert found.answer.endswith("And 5 more.")


def test_a_line_carries_the_sentence_that_holds_the_words(library: Library) -> None:
    found = answer(library, "Which papers are by Li?", Filters())
    assert all(not sentence.evidence for sentence in found.sentences)
    [line] = answer(library, "How many papers are about coffee from 2003?").sentences[1:]
    assert [evidence.quote for evidence in line.evidence] == ["We give coffee to 23 volunteers."]
    assert line.verdict == "supported"


def test_years_are_counted_and_the_unknown_ones_said(library: Library) -> None:
    found = answer(library, "Which years do the papers cover?")
    assert "By year: 2011 (1), 2010 (1)," in found.answer
    assert "3 without a year." in found.answer


def test_those_that_might_fit_are_not_hidden(library: Library) -> None:
    """promptfoo and others count a missing field as no match; the reader cannot know."""
    assert (
        "1 more may fit, but their year is not known."
        in answer(library, "How many papers on coffee since 2001?").answer
    )


def test_filters_beside_the_question_hold_too(library: Library) -> None:
    found = answer(library, "How many papers are about coffee?", Filters(year="2000-2005"))
    assert found.answer.startswith("2 of the 15 abstracts fit: words “coffee”; year 2000-2005.")


def test_nothing_that_fits_is_not_found_and_says_what_was_looked_for(library: Library) -> None:
    found = answer(library, "How many papers are by Okafor?")
    assert (found.status, found.reason) == ("not_found", "nothing_relevant")
    assert found.answer == "0 of the 15 abstracts fit: author “Okafor”."
    assert found.citations == ()


def test_no_model_is_asked(library: Library) -> None:
    assert prompt(library, Question("How many papers are there?")) is None


@pytest.mark.parametrize(
    "question",
    [
        "How many studies were included in the meta-analysis?",
        "How many papers did the survey review?",
        "How many abstracts are in the training set of Heron?",
        "How many documents does the index of RAGBench contain?",
        "Which papers study sleep?",
        "List the limitations of Heron.",
        "How many volunteers drank coffee?",
        "Who wrote the poem?",
        "How many papers on caffeine did the review include?",
        "",
    ],
)
def test_a_question_about_what_papers_say_is_left_to_retrieval(question: str) -> None:
    assert read_request(question) is None
