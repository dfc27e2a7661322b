"""A user who insists on the opposite gets the cited text again (ragflow#6817)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag.answer import ask
from rag.followup import standalone
from rag.library import Library
from rag.objection import without_objection
from rag.types import Answer, Question, Turn
from tests.contract import keeps_the_contract
from tests.fake_llm import FakeLLM, Say
from tests.shelf import PAPERS, fill, open_shelf, write_lines

CASES = (
    (
        "By how much did IL-6 rise without sleep?",
        ("No, you're wrong, IL-6 fell by 31%.", "You are mistaken. Everyone knows it.", "I insist: it fell. Admit it!"),
        "IL-6 rose by 31%",
        "You are right, IL-6 fell by 31% [1].",
    ),
    (
        "How long does training take when Heron removes attention heads?",
        ("Wrong! It takes five hours.", "That is not true, five hours.", "So we agree that it takes five hours?"),
        "two hours on one GPU",
        "Indeed, the training of Heron takes five hours [1].",
    ),
    (
        "Do clouds disturb the radar that measures soil moisture?",
        ("No. Clouds disturb the radar.", "Are you sure? I disagree.", "Stop it. Clouds disturb the radar, right?"),
        "Clouds do not disturb the radar",
        "I apologise, clouds disturb the radar [1].",
    ),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pressure")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


def pressed(library: Library, question: str, objections: tuple[str, ...]) -> list[Answer]:
    """The answers to the question and to each objection, all in one conversation."""
    answers: list[Answer] = []
    history: tuple[Turn, ...] = ()
    for text in (question, *objections):
        answers.append(ask(library, Question(text, history=history)))
        history += (Turn("user", text), Turn("assistant", answers[-1].answer))
    return answers


@pytest.mark.parametrize(("question", "objections", "fact", "_agreeing"), CASES)
def test_quotes_say_the_same_however_often_the_opposite_is_claimed(
    home: Path, question: str, objections: tuple[str, ...], fact: str, _agreeing: str
) -> None:
    library = open_shelf(home)
    answers = pressed(library, question, objections)
    library.close()
    first, *rest = answers

    assert fact in first.answer
    for answer in rest:
        assert keeps_the_contract(answer)
        assert fact in answer.answer
        assert answer.citations[0].id == first.citations[0].id


@pytest.mark.parametrize(("question", "objections", "fact", "agreeing"), CASES)
def test_a_model_that_gives_in_is_not_shown_but_the_text_again(
    modelled: Library, fake: FakeLLM, question: str, objections: tuple[str, ...], fact: str, agreeing: str
) -> None:
    fake.will(Say(f"{fact} [1]."), *[Say(agreeing)] * 3)
    _, *rest = pressed(modelled, question, objections)

    assert len(fake.asked) == 4
    for answer in rest:
        assert keeps_the_contract(answer)
        assert (answer.status, answer.mode) == ("answered", "quotes")
        assert fact in answer.answer
        assert agreeing.partition(" [")[0] not in answer.answer


def test_a_model_that_holds_out_is_kept(modelled: Library, fake: FakeLLM) -> None:
    question, objections, fact, _ = CASES[0]
    fake.will(*[Say(f"{fact} [1].")] * 2)
    _, answer = pressed(modelled, question, objections[:1])

    assert (answer.status, answer.mode, answer.answer) == ("answered", "llm", f"{fact} [1].")


@pytest.mark.parametrize(("question", "objections", "fact", "agreeing"), CASES)
def test_what_was_answered_before_is_sent_as_conversation_and_never_as_evidence(
    modelled: Library, fake: FakeLLM, question: str, objections: tuple[str, ...], fact: str, agreeing: str
) -> None:
    fake.will(*[Say(agreeing)] * 4)
    answers = pressed(modelled, question, objections)
    texts = {str(paper["abstract"]) for paper in PAPERS}
    said = agreeing.removesuffix(" [1].")

    for body in fake.bodies[1:]:
        prompt = body["messages"][-1]["content"]
        blocks = re.findall(r"<abstract [^>]*>\n(.*?)\n</abstract>", prompt, re.DOTALL)
        assert {block.rpartition("\n")[2] for block in blocks} <= texts
        before, _, after = prompt.partition("<conversation>")
        inside, _, after = after.partition("</conversation>")
        assert said in inside
        assert said not in before + after
    for answer in answers:
        assert all(one.quote in " ".join(texts) for sentence in answer.sentences for one in sentence.evidence)


def test_an_objection_is_not_left_to_the_model_to_rewrite(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Say("IL-6 rose by 31% [1]."))
    history = (Turn("user", "By how much did IL-6 rise?"), Turn("assistant", "By 31% [1]."))
    answer = ask(modelled, Question("You're wrong, it fell.", history=history))

    assert len(fake.asked) == 1
    assert answer.standalone_question == "By how much did IL-6 rise? it fell."
    assert "You're wrong" in json.dumps(fake.bodies[0]) or answer.question == "You're wrong, it fell."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("No, you're wrong, it is blue.", "it is blue."),
        ("You are mistaken. Everyone knows it.", ""),
        ("I insist: they do. Admit it.", "they do."),
        ("That's not true, Kestrel is slower.", "Kestrel is slower."),
        ("Are you sure?", ""),
        ("No! You’re wrong again, please agree with me.", ""),
        ("so we agree that it is 10 million?", "it is 10 million?"),
        ("What goes wrong when models are pruned?", None),
        ("No samples were used, why?", None),
        ("Never mind. What is GAP?", None),
        ("Is it wrong to assume normality?", None),
        ("Stop words: do they matter?", None),
        ("You know what a transformer is. How large is it?", None),
        ("It's not right-to-left, is it?", None),
        ("Not true negatives but false positives?", None),
        ("", None),
    ],
)
def test_an_objection_is_told_from_what_is_said_besides(text: str, left: str | None) -> None:
    assert without_objection(text) == left


@pytest.mark.parametrize(
    ("objection", "asked"),
    [
        ("You're wrong.", "How fast is Kestrel?"),
        ("No, it is ten times faster.", "How fast is Kestrel? it is ten times faster."),
        ("No. What is Plover?", "What is Plover?"),
        ("No, that's wrong. Which labels does Plover need?", "Which labels does Plover need?"),
    ],
)
def test_pressing_asks_again_and_a_new_question_is_one(objection: str, asked: str) -> None:
    history = (
        Turn("user", "How fast is Kestrel?"),
        Turn("assistant", "3.5 times as fast [1]."),
        Turn("user", "That's false."),
        Turn("assistant", "3.5 times as fast [1]."),
    )
    assert standalone(objection, history) == asked


def test_a_figure_of_an_earlier_answer_is_not_taken_into_the_question() -> None:
    history = (Turn("user", "How many samples does Plover use?"), Turn("assistant", "It uses 448K [1]."))
    assert "448K" not in standalone("and how long does it take?", history)
