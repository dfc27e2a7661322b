"""Unsupported sentences are sent back once: what may take an answer's place, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag.answer import ask, stream
from rag.types import Answer, Delta, Question, Reset
from tests.contract import keeps_the_contract
from tests.fake_llm import MODEL, Fail, FakeLLM, Raw, Reply, Say, content, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines

ASKED = Question("By how much did IL-6 rise without sleep?")
RIGHT = "IL-6 rose by 31% and fell back after one night of rest [1]."
WRONG = "Blood pressure rose by 77% [1]."
BOTH = f"{RIGHT} {WRONG}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repair")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


def asking(home: Path, fake: FakeLLM, *replies: Reply, **values: Any) -> tuple[Answer, list[Delta | Reset]]:
    """The answer when the model gives these replies, and what its stream showed."""
    fake.will(*replies)
    library = open_shelf(home, **{"llm_model": MODEL, "openai_base_url": fake.url, "repair": "on", **values})
    try:
        answering = stream(library, ASKED)
        shown = list(answering)
    finally:
        if library.llm:
            library.llm.close()
        library.close()
    assert keeps_the_contract(answering.answer)
    assert as_read(shown) == answering.answer.answer
    return answering.answer, shown


def as_read(shown: list[Delta | Reset]) -> str:
    """What a reader ends up with; a stream may reset once."""
    resets = [n for n, piece in enumerate(shown) if isinstance(piece, Reset)]
    assert len(resets) <= 1
    rest = shown[resets[-1] + 1 :] if resets else shown
    return "".join(piece.text for piece in rest if isinstance(piece, Delta))


def verdicts(answer: Answer) -> list[str]:
    return [sentence.verdict for sentence in answer.sentences]


def test_without_the_setting_an_unsupported_sentence_is_marked_and_nothing_is_asked_again(
    home: Path, fake: FakeLLM
) -> None:
    answer, shown = asking(home, fake, Say(BOTH), repair="off")
    assert (answer.status, answer.answer, answer.repaired) == ("partial", BOTH, False)
    assert len(fake.asked) == 1
    assert not any(isinstance(piece, Reset) for piece in shown)


def test_a_supported_answer_is_not_sent_back(home: Path, fake: FakeLLM) -> None:
    answer, _ = asking(home, fake, Say(RIGHT))
    assert (answer.status, answer.repaired, len(fake.asked)) == ("answered", False, 1)


def test_a_repaired_answer_takes_the_place_of_the_first_and_says_so(home: Path, fake: FakeLLM) -> None:
    answer, shown = asking(home, fake, Say(BOTH), Say(f"{RIGHT} Blood pressure did not change [1]."))
    assert (answer.status, answer.repaired) == ("answered", True)
    assert verdicts(answer) == ["supported", "supported"]
    assert [piece for piece in shown if isinstance(piece, Reset)] == [Reset("repair")]


def test_the_model_is_told_which_sentences_and_what_the_abstract_says(home: Path, fake: FakeLLM) -> None:
    asking(
        home, fake, Say("IL-6 rose by 77% [2]. IL-6 rose by 31% and fell back after one night of rest [2]."), Say("x")
    )
    first, second = fake.bodies
    *before, reply, order = second["messages"]
    assert before == first["messages"]
    assert reply == {
        "role": "assistant",
        "content": "IL-6 rose by 77% [2]. IL-6 rose by 31% and fell back after one night of rest [2].",
    }
    assert "- IL-6 rose by 77%. [2]" in order["content"]
    number = next(n for n in "123" if f'number="{n}">\nInterleukin 6' in first["messages"][1]["content"])
    assert f"It may be stated by [{number}]." in order["content"]


@pytest.mark.parametrize(
    "reply",
    [
        Say(BOTH),
        Say("Blood pressure rose by 78% [1]."),
        Say("Blood pressure did not change [1]. Heads are pruned by 77% [1]. Blood pressure rose by 77% [1]."),
        Say("", usage=None),
        Say("<think>hm</think>"),
        Say("Blood pressure did", finish="length"),
        Fail(500),
        Fail(401, error("no", code="invalid_api_key")),
        Fail(400, error("This model's maximum context length is 8 tokens", code="context_length_exceeded")),
        Raw(content("IL-6 ro"), end="cut"),
        Raw((b"<html>",), content_type="text/html"),
    ],
)
def test_a_second_attempt_that_is_no_better_or_fails_leaves_the_first_visible_and_marked(
    home: Path, fake: FakeLLM, reply: Reply
) -> None:
    answer, shown = asking(home, fake, Say(BOTH), *[reply] * 5)
    assert (answer.status, answer.mode, answer.answer, answer.repaired) == ("partial", "llm", BOTH, False)
    assert verdicts(answer)[0] == "supported"
    assert verdicts(answer)[1] in ("unsupported", "contradicted")
    assert not any(isinstance(piece, Reset) for piece in shown)


def test_what_stays_unsupported_after_the_repair_is_shown_and_marked(home: Path, fake: FakeLLM) -> None:
    twice = f"{RIGHT} {WRONG} Heart rate fell by 12 beats [1]."
    answer, _ = asking(home, fake, Say(twice), Say(BOTH))
    assert (answer.status, answer.answer, answer.repaired) == ("partial", BOTH, True)
    assert verdicts(answer)[1] in ("unsupported", "contradicted")
    assert len(fake.asked) == 2


def test_when_nothing_can_be_kept_the_answer_becomes_that_it_is_not_stated(home: Path, fake: FakeLLM) -> None:
    answer, _ = asking(home, fake, Say(WRONG), Say("NOT STATED: IL-6 rose by 31% [1]."))
    assert (answer.status, answer.reason, answer.repaired) == ("not_found", "not_stated", True)


def test_supported_sentences_are_not_given_up_for_a_repair(home: Path, fake: FakeLLM) -> None:
    answer, _ = asking(home, fake, Say(BOTH), Say("NOT STATED: nothing of this."))
    assert (answer.answer, answer.repaired) == (BOTH, False)


@pytest.mark.parametrize(
    ("reply", "prompt_tokens", "completion_tokens"),
    [
        (Say(RIGHT, usage=(100, 20)), 111, 27),
        (Say(WRONG, usage=(100, 20)), 111, 27),
        (Say(RIGHT, usage=None), None, None),
        (Fail(401, error("no", code="invalid_api_key")), 11, 7),
        (Raw(content("IL-6 ro"), end="cut"), None, None),
    ],
)
def test_both_attempts_are_counted_and_an_unknown_count_is_unknown(
    home: Path, fake: FakeLLM, reply: Reply, prompt_tokens: int | None, completion_tokens: int | None
) -> None:
    answer, _ = asking(home, fake, Say(WRONG), *[reply] * 5, prices=f"{MODEL}=1/1")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (prompt_tokens, completion_tokens)
    assert (answer.usage.cost_usd is None) == (prompt_tokens is None)


def test_no_repair_is_asked_where_the_window_has_no_room_for_it(home: Path, fake: FakeLLM) -> None:
    long = " ".join([WRONG] * 40)
    answer, _ = asking(home, fake, Say(long), llm_context_window=2048, llm_max_tokens=600)
    assert (len(fake.asked), answer.repaired, answer.status) == (1, False, "partial")


def test_a_reply_that_was_cut_is_not_sent_back(home: Path, fake: FakeLLM) -> None:
    answer, _ = asking(home, fake, Say(WRONG, finish="length"))
    assert (len(fake.asked), answer.status, answer.reason) == (1, "partial", "length")


def test_a_stop_during_the_repair_keeps_the_first_answer(home: Path, fake: FakeLLM) -> None:
    fake.will(Say(BOTH), Say(RIGHT + " word" * 300, pause=0.01))
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, repair="on")
    answering = stream(library, ASKED)
    shown = []
    for piece in answering:
        shown.append(piece)
        if as_read(shown) == BOTH:
            answering.stop()
    if library.llm:
        library.llm.close()
    library.close()
    assert (answering.answer.answer, answering.answer.repaired) == (BOTH, False)


def test_after_thinking_aloud_the_answer_and_its_repair_take_one_reset(home: Path, fake: FakeLLM) -> None:
    answer, shown = asking(home, fake, Say(f"Which one?\n</think>\n\n{BOTH}"), Say(RIGHT))
    assert (answer.answer, answer.repaired) == (RIGHT, True)
    assert [piece for piece in shown if isinstance(piece, Reset)] == [Reset("thinking")]


def test_a_connection_that_dies_after_thinking_aloud_takes_one_reset(home: Path, fake: FakeLLM) -> None:
    dying = Raw(content("Which one?\n", "</think>\n\n", "IL-6 ro"), end="cut")
    answer, shown = asking(home, fake, *[dying] * 5)
    assert (answer.mode, answer.reason) == ("quotes", "broken_stream")
    assert sum(isinstance(piece, Reset) for piece in shown) == 1


def test_rewriting_and_second_opinions_are_counted_too(home: Path, fake: FakeLLM) -> None:
    from rag.types import Turn

    history = (
        Turn("user", "Which attention heads does Heron remove?"),
        Turn("assistant", "Those that do not retrieve."),
    )
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, verify="llm")
    fake.will(Say("How long does training take when Heron removes attention heads?"), Say("Two hours [1]."))
    fake.will(*[Say("SUPPORTED")] * 3)
    answer = ask(library, Question("and how long does its training take?", history=history))
    if library.llm:
        library.llm.close()
    library.close()
    assert answer.usage.prompt_tokens == 11 * len(fake.asked) >= 22
