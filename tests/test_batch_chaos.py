"""Whatever a server does, a question ends answered or with a status that says why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rag.batch import Outcome, read_answers, run
from rag.types import Question
from tests.fake_llm import DONE, MODEL, Fail, FakeLLM, Raw, Reply, Say, content, error, event
from tests.shelf import PAPERS, fill, open_shelf, write_lines

HERON = "Which attention heads does Heron remove?"
GOOD = Say("It rose by 31% [1].")
LIMITED = Fail(429, error("Rate limit reached"), {"retry-after-ms": "1"})
PAGE = "<html><body>It rose by 31% [1]. Sign in</body></html>"
CUT = Raw((*content("It rose", " by 3"),), end="cut")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chaos")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


def asked(number: int) -> list[Question]:
    return [Question("By how much did IL-6 rise without sleep?", id=f"q{n}") for n in range(number)]


def answers(home: Path, out: Path, fake: FakeLLM, number: int, workers: int = 4) -> tuple[Outcome, dict[str, Any]]:
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, llm_timeout=0.3)
    outcome = run(library, asked(number), out, workers=workers)
    assert library.llm is not None
    library.llm.close()
    library.close()
    return outcome, read_answers(out)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Fail(500, error("boom")), "no_server"),
        (Fail(404, PAGE), "no_server"),
        (Raw((PAGE.encode(),), "text/html"), "no_server"),
        (
            Raw((b'{"error": {"message": "It rose by 31% [1]. Overloaded", "code": 500}}',), "application/json"),
            "no_server",
        ),
        (Raw((b'{"detail": "It rose by 31% [1]."}',), "application/json"), "no_server"),
        (Raw((event(error={"message": "It rose by 31% [1]."}), DONE)), "broken_stream"),
        (CUT, "broken_stream"),
        (Raw((*content("It rose"),), end="reset"), "broken_stream"),
        (Say("", pieces=("",)), "empty_reply"),
        (Say("It rose by 31% [1].", before=1.0), "timeout"),
        (Fail(400, error("maximum context length is 99 tokens", code="context_length_exceeded")), "context"),
        (Fail(429, error("Rate limit reached, It rose by 31% [1]."), {"retry-after-ms": "1"}), "rate_limited"),
    ],
)
def test_what_is_no_answer_is_never_counted_as_one(
    home: Path, tmp_path: Path, reply: Reply, reason: str
) -> None:  # promptfoo#1970, #1612
    third = "q2"

    def behave(body: dict[str, Any]) -> Reply:
        return reply if HERON in body["messages"][-1]["content"] else GOOD

    with FakeLLM(otherwise=behave) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, llm_timeout=0.3)
        questions = [*asked(2), Question(HERON, id=third), *asked(5)[3:]]
        outcome = run(library, questions, tmp_path / "a.jsonl", workers=1)
        assert library.llm is not None
        library.llm.close()
        library.close()
    found = read_answers(tmp_path / "a.jsonl")

    assert (outcome.asked, outcome.errors, outcome.left, outcome.failed) == (5, 1, 0, False)
    assert (found[third]["status"], found[third]["reason"], found[third]["answer"]) == ("error", reason, "")
    assert found[third]["detail"]
    assert {found[i]["answer"] for i in found if i != third} == {"It rose by 31% [1]."}


def test_a_server_that_does_all_of_it_leaves_answers_and_reasons(home: Path, tmp_path: Path) -> None:
    disturbances = (
        LIMITED,
        Say("late", before=1.0),
        LIMITED,
        CUT,
        LIMITED,
        Raw((PAGE.encode(),), "text/html"),
        LIMITED,
    )
    replies = [disturbances[n // 3 % 7] if n % 3 == 0 else GOOD for n in range(63)]
    with FakeLLM(*replies, otherwise=GOOD) as fake:
        outcome, found = answers(home, tmp_path / "a.jsonl", fake, 40)
    statuses = Counter((answer["status"], answer["reason"]) for answer in found.values())

    assert (outcome.asked, outcome.left, len(found)) == (40, 0, 40)
    assert statuses.keys() <= {
        ("answered", None),
        ("error", "no_server"),
        ("error", "timeout"),
        ("error", "broken_stream"),
    }
    assert statuses["error", "no_server"] >= 2
    assert all(answer["answer"] == GOOD.text for answer in found.values() if answer["status"] == "answered")


def test_an_answer_that_broke_off_is_asked_for_once_more(home: Path, tmp_path: Path) -> None:
    with FakeLLM(CUT, otherwise=GOOD) as fake:
        outcome, _ = answers(home, tmp_path / "a.jsonl", fake, 1)

    assert (outcome.errors, len(fake.asked)) == (0, 2)
