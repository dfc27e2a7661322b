"""Where abstracts disagree an answer shows both sides, each cited; one that does not says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.answer import ask
from rag.prompts import ANSWER_RULES
from rag.types import Answer, Question
from rag.ui.banners import banner
from tests.contract import keeps_the_contract
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import PAPERS, fill, open_shelf, write_lines

SIDES = (
    (
        "Does coffee improve memory in students?",
        "Coffee improves memory in students. We asked 90 students to learn lists of words.",
        "Coffee does not improve memory in students. Lists were forgotten as quickly as with water.",
    ),
    (
        "Do hedges increase the yield of barley?",
        "Hedges increase the yield of barley. Yields were weighed on forty farms.",
        "Hedges reduce the yield of barley. Shade explains most of the loss on the farms.",
    ),
    (
        "Does pruning harm calibration of networks?",
        "Pruning harms calibration of networks. Pruned networks were too sure of themselves.",
        "Pruning does not harm calibration of networks. Temperature was fitted after each step.",
    ),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disagreement")
    both = [text for _, first, second in SIDES for text in (first, second)]
    records: list[dict[str, Any]] = [{"title": text.partition(".")[0], "abstract": text} for text in both]
    fill(folder / "home", write_lines(folder / "papers.jsonl", [*PAPERS, *records]))
    return folder / "home"


@pytest.mark.parametrize(("question", "first", "second"), SIDES)
def test_quotes_show_both_sides(home: Path, question: str, first: str, second: str) -> None:
    library = open_shelf(home)
    answer = ask(library, Question(question))
    library.close()
    assert keeps_the_contract(answer)
    assert {first.partition(".")[0], second.partition(".")[0]} <= {s.text.rstrip(".") for s in answer.sentences}
    assert len(answer.citations) >= 2


def replied(home: Path, question: str, reply: Callable[[dict[str, Any]], Say], **values: Any) -> Answer:
    """The answer of a model that replies like this."""
    with FakeLLM(otherwise=reply) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, **values)
        answer = ask(library, Question(question))
        if library.llm:
            library.llm.close()
        library.close()
    assert keeps_the_contract(answer)
    return answer


def citing(body: dict[str, Any], *texts: str) -> Say:
    """The first sentence of each of these abstracts, with the number it has in the prompt."""
    prompt = body["messages"][1]["content"]
    numbers = [next(n for n in range(1, 9) if text in _block(prompt, n)) for text in texts]
    return Say(" ".join(f"{t.partition('.')[0]} [{n}]." for t, n in zip(texts, numbers, strict=True)))


def _block(prompt: str, number: int) -> str:
    return prompt.partition(f'<abstract number="{number}">')[2].partition("</abstract>")[0]


@pytest.mark.parametrize(("question", "first", "second"), SIDES)
def test_a_model_that_tells_one_side_is_partial_and_the_other_is_named(
    home: Path, question: str, first: str, second: str
) -> None:
    answer = replied(home, question, lambda body: citing(body, first))
    (sentence,) = answer.sentences
    other = next(hit.id for hit in answer.hits if hit.title == second.partition(".")[0])
    assert (answer.status, sentence.verdict, sentence.opposed) == ("partial", "supported", (other,))
    shown = banner(answer)
    assert shown is not None
    assert "the other side" in shown.text


@pytest.mark.parametrize(("question", "first", "second"), SIDES)
def test_a_model_that_tells_both_sides_has_answered(home: Path, question: str, first: str, second: str) -> None:
    answer = replied(home, question, lambda body: citing(body, first, second))
    assert (answer.status, len(answer.citations)) == ("answered", 2)
    assert not any(sentence.opposed for sentence in answer.sentences)


def test_a_one_sided_answer_can_be_repaired(home: Path) -> None:
    question, first, second = SIDES[0]

    def reply(body: dict[str, Any]) -> Say:
        if len(body["messages"]) == 2:
            return citing(body, first)
        assert "says otherwise: keep it and state that side too" in body["messages"][-1]["content"]
        return citing(body, first, second)

    answer = replied(home, question, reply, repair="on")
    assert (answer.status, answer.repaired, len(answer.citations)) == ("answered", True, 2)


def test_the_rules_ask_for_each_side() -> None:
    assert "If abstracts disagree, state each side with its own citation" in ANSWER_RULES
