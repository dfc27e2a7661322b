"""A question is searched for in several wordings where the settings ask for it, and the model writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.answer import ask
from rag.prompts import MAX_REWRITE_CHARACTERS, read_queries
from rag.retrieve import merged, retrieve
from rag.types import Abstract, Hit, Question, Ranks, Span
from tests.fake_llm import MODEL, Fail, FakeLLM, Reply, Say, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("queries")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.mark.parametrize(
    ("reply", "queries"),
    [
        ("a b\nc d\ne f", ["a b", "c d"]),
        ("1. a b\n2) c d", ["a b", "c d"]),
        ('- "a b"\n- a b\n* c d', ["a b", "c d"]),
        ("Here are the queries:\na b", ["a b"]),
        ("<think>x\ny</think>a b", ["a b"]),
        ("The Question?\na b", ["a b"]),
        ("x" * (MAX_REWRITE_CHARACTERS + 1), []),
        ("", []),
    ],
)
def test_queries_are_read_from_what_models_write(reply: str, queries: list[str]) -> None:
    assert read_queries(reply, "the question?", 2) == queries


@given(st.text())
def test_any_reply_gives_at_most_as_many_queries_as_were_asked_for(reply: str) -> None:
    found = read_queries(reply, "q", 3)
    assert len(found) <= 3
    assert all(query.strip() and "\n" not in query for query in found)


def hit(identity: str, score: float) -> Hit:
    return Hit(Abstract(identity, identity, identity), score, Ranks(1, 1), Span(0, 1))


def test_the_question_s_own_scores_count_as_much_as_all_the_others() -> None:
    first, second, third = (
        [hit("a", 4.0), hit("b", 2.0)],
        [hit("b", 5.0), hit("c", 3.0)],
        [hit("b", 5.0), hit("a", 3.0)],
    )
    found = merged([first, second, third])
    assert [(one.abstract.id, one.score) for one in found] == [("b", 3.5), ("a", 3.5), ("c", 2.5)] or [
        (one.abstract.id, one.score) for one in found
    ] == [("a", 3.5), ("b", 3.5), ("c", 2.5)]


def test_another_wording_brings_what_the_question_does_not(home: Path) -> None:
    library = open_shelf(home)
    alone = retrieve(library, "moisture of soil", 3).hits
    both = retrieve(library, "moisture of soil", 3, others=["IL-6 sleep blood pressure", "IL-6 night"]).hits
    library.close()
    assert alone[0].abstract.title == both[0].abstract.title == "Soil moisture from satellite radar"
    assert both[1].abstract.title == "Interleukin 6 and sleep"


def test_the_model_is_asked_for_them_once_and_its_tokens_are_counted(home: Path) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        asks = "queries, one on each line" in body["messages"][-1]["content"]
        return (
            Say("IL-6 sleep loss\ninterleukin-6 nights", usage=(5, 3))
            if asks
            else Say("It rose by 31% [1].", usage=(50, 7))
        )

    with FakeLLM(otherwise=reply) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, queries=3)
        answer = ask(library, Question("By how much did IL-6 rise without sleep?"))
        library.close()
        assert len(fake.asked) == 2
    assert answer.status == "answered"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (55, 10)


def test_a_model_that_writes_none_costs_no_answer(home: Path) -> None:
    def reply(body: dict[str, Any]) -> Reply:
        asks = "queries, one on each line" in body["messages"][-1]["content"]
        return Fail(400, error("no")) if asks else Say("It rose by 31% [1].")

    with FakeLLM(otherwise=reply) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, queries=2)
        answer = ask(library, Question("By how much did IL-6 rise without sleep?"))
        library.close()
    assert answer.answer == "It rose by 31% [1]."
