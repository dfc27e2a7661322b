from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from rag.batch import Limits, Standing, estimate_of, read_answers, run
from rag.batch.watch import Events, Lines
from rag.errors import InputError, SettingsError
from rag.library import Library
from rag.llms.tokens import MESSAGE_TOKENS, count
from rag.questions import read_questions
from rag.types import Question
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def questions(*texts: str) -> list[Question]:
    return [Question(text, id=f"q{n}") for n, text in enumerate(texts, 1)]


@contextmanager
def shelf(home: Path, fake: FakeLLM, **values: Any) -> Iterator[Library]:
    """The shelf with the fake as its model."""
    library = open_shelf(home, **{"llm_model": MODEL, "openai_base_url": fake.url, **values})
    yield library
    assert library.llm is not None
    library.llm.close()
    library.close()


RISE = "By how much did IL-6 rise without sleep?"
ASKED = questions(
    RISE,
    "How is soil moisture estimated from satellite radar?",
    "Which attention heads does Heron remove?",
)


def test_every_question_is_answered_once_and_running_again_asks_nothing(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    first, again = run(library, ASKED, out, workers=2), run(library, ASKED, out, workers=2)

    assert (first.asked, first.kept, again.asked, again.kept) == (3, 0, 0, 3)
    assert sorted(read_answers(out)) == ["q1", "q2", "q3"]
    assert len(out.read_text().splitlines()) == 3


def test_a_half_line_at_the_end_is_cut_off_and_asked_again(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    run(library, ASKED, out)
    whole = out.read_bytes()
    out.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 40])

    assert run(library, ASKED, out).asked == 1
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["q1", "q2", "q3"]


def test_the_last_line_of_an_id_counts(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    out.write_text('{"id": "a", "status": "error"}\n{"id": "a", "status": "answered"}\n')

    assert read_answers(out)["a"]["status"] == "answered"


def test_own_columns_come_back(library: Library, tmp_path: Path) -> None:
    table = tmp_path / "q.csv"
    table.write_text('question,team,note\n"How much, exactly, did IL-6 rise?",blue,"a, ""b"""\n')
    run(library, read_questions(str(table)), tmp_path / "a.jsonl")
    (answer,) = read_answers(tmp_path / "a.jsonl").values()

    assert answer["input"] == {"team": "blue", "note": 'a, "b"'}
    assert answer["question"] == "How much, exactly, did IL-6 rise?"


def test_answers_of_other_settings_are_not_mixed_unless_told(home: Path, library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    run(library, ASKED[:1], out)
    other = open_shelf(home, top_k=2)

    with pytest.raises(SettingsError, match="--mix"):
        run(other, ASKED, out)
    assert run(other, ASKED, out, mix=True).asked == 2
    other.close()


def test_two_runs_on_one_output_are_refused(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with FileLock(tmp_path / ".answers.jsonl.lock"), pytest.raises(InputError, match="Another run"):
        run(library, ASKED, out)


def test_a_question_that_cannot_be_asked_is_an_error_and_the_others_are_answered(
    library: Library, tmp_path: Path
) -> None:
    outcome = run(library, questions("x" * 10_000, "By how much did IL-6 rise without sleep?"), tmp_path / "a.jsonl")
    answers = read_answers(tmp_path / "a.jsonl")

    assert (outcome.asked, outcome.errors) == (2, 1)
    assert (answers["q1"]["status"], answers["q2"]["status"]) == ("error", "answered")
    assert "10,000 characters" in answers["q1"]["detail"]


def test_a_failing_question_is_asked_again_only_when_told(home: Path, tmp_path: Path) -> None:  # promptfoo#1970
    out = tmp_path / "a.jsonl"
    with FakeLLM(Fail(400, error("no")), otherwise=Say("So it is [1].")) as fake, shelf(home, fake) as library:
        first = run(library, ASKED, out)
        kept = run(library, ASKED, out)
        mended = run(library, ASKED, out, retry_errors=True)

    assert (first.asked, first.errors, kept.asked, kept.errors) == (3, 1, 0, 1)
    assert (mended.asked, mended.kept, mended.errors) == (1, 2, 0)
    assert len(out.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    "failure",
    [
        Fail(401, error("bad key", code="invalid_api_key")),
        Fail(429, error("You exceeded your current quota", code="insufficient_quota"), {"Retry-After": "1"}),
    ],
)
def test_a_bad_key_or_a_spent_quota_stops_the_run_at_once_and_the_next_continues(
    home: Path, tmp_path: Path, failure: Fail
) -> None:  # promptfoo#7727
    out = tmp_path / "a.jsonl"
    many = questions(*[RISE] * 40)
    with FakeLLM(Say("It does [1]."), otherwise=failure) as fake, shelf(home, fake) as library:
        stopped = run(library, many, out, workers=2)
        asked = len(fake.asked)
        fake.will(*[Say("It does [1].")] * 40)
        ended = run(library, many, out, workers=2)

    assert asked <= 4
    assert stopped.failed
    assert (stopped.errors > 0, stopped.left) == (True, 40 - stopped.asked)
    assert (ended.asked, ended.errors, ended.left) == (40 - (stopped.asked - stopped.errors), 0, 0)


def test_nothing_is_asked_of_a_server_that_is_not_there(home: Path, tmp_path: Path) -> None:
    with FakeLLM() as fake:
        pass
    with shelf(home, fake) as library:
        outcome = run(library, questions(*[RISE] * 9), tmp_path / "a.jsonl")

    assert (outcome.asked, outcome.left, outcome.failed) == (1, 8, True)


def test_an_interrupted_retry_leaves_the_old_error(home: Path, tmp_path: Path) -> None:  # promptfoo
    out = tmp_path / "a.jsonl"
    with FakeLLM(Say("Yes [1]."), otherwise=Fail(400, error("no"))) as fake, shelf(home, fake) as library:
        run(library, ASKED, out)
        again = run(library, ASKED, out, retry_errors=True, limits=Limits(max_questions=1))

    assert (again.asked, again.errors, again.left) == (1, 2, 1)
    assert [answer["status"] for answer in read_answers(out).values()].count("error") == 2


def test_a_question_changed_under_its_id_is_asked_again(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    run(library, questions("Did IL-6 rise?", "Which heads does Heron remove?"), out)
    outcome = run(library, questions("Did IL-6  rise?", "What does Heron keep?"), out)

    assert (outcome.asked, outcome.kept) == (1, 1)
    assert read_answers(out)["q2"]["question"] == "What does Heron keep?"


def test_a_limit_of_questions_is_kept_and_no_failure(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    outcome = run(library, ASKED, out, workers=3, limits=Limits(max_questions=2))

    assert (outcome.asked, outcome.left, outcome.failed) == (2, 1, False)
    assert "--max-questions" in str(outcome.stopped)
    assert run(library, ASKED, out).left == 0


def test_costs_are_the_servers_tokens_by_the_price(home: Path, tmp_path: Path) -> None:  # OpenScholar run.py
    out = tmp_path / "a.jsonl"
    reply = Say("睡眠不足で上昇した [1]。", usage=(1_000, 100))
    with FakeLLM(otherwise=reply) as fake, shelf(home, fake, prices=f"{MODEL}=1/10") as library:
        outcome = run(library, ASKED, out, workers=2)

    assert outcome.cost_usd == pytest.approx(3 * 0.002)
    assert [a["usage"] for a in read_answers(out).values()] == [
        {"prompt_tokens": 1_000, "completion_tokens": 100, "cost_usd": pytest.approx(0.002)}
    ] * 3


def test_a_cost_without_a_price_is_unknown(home: Path, tmp_path: Path) -> None:
    with FakeLLM(otherwise=Say("Yes [1].")) as fake, shelf(home, fake) as library:
        assert run(library, ASKED, tmp_path / "a.jsonl").cost_usd is None


def test_no_more_is_spent_than_allowed_over_all_runs_of_a_file(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    many = questions(*[RISE] * 12)
    limits = Limits(max_cost=0.025)
    with (
        FakeLLM(otherwise=Say("Yes [1].", usage=(1_000, 100))) as fake,
        shelf(home, fake, prices=f"{MODEL}=1/10") as library,
    ):
        first = run(library, many, out, workers=3, limits=limits)
        second = run(library, many, out, workers=3, limits=limits)

    spent = sum(answer["usage"]["cost_usd"] for answer in read_answers(out).values())
    assert 0 < first.asked < 12
    assert spent <= 0.025
    assert (second.left, second.failed) == (12 - first.asked - second.asked, False)
    assert "--max-cost" in str(second.stopped)


def test_a_cost_cannot_be_limited_without_a_price(home: Path, tmp_path: Path) -> None:
    with FakeLLM() as fake, shelf(home, fake) as library, pytest.raises(SettingsError, match="FOOTNOTE_PRICES"):
        run(library, ASKED, tmp_path / "a.jsonl", limits=Limits(max_cost=1.0))
    assert fake.asked == []


def test_an_estimate_counts_the_prompts_that_will_be_sent(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl"
    with FakeLLM(otherwise=Say("Yes [1].")) as fake, shelf(home, fake, prices=f"{MODEL}=1/10") as library:
        expected = estimate_of(library, ASKED, None)
        asked = len(fake.asked)
        run(library, ASKED, out)
        rest = estimate_of(library, ASKED, out)
    sent = sum(count(m["content"]) + MESSAGE_TOKENS for body in fake.bodies for m in body["messages"])

    assert asked == 0
    assert (expected.questions, expected.sampled, expected.prompt_tokens) == (3, 3, sent)
    assert expected.least_usd == pytest.approx(sent / 1e6)
    assert expected.most_usd == pytest.approx(sent / 1e6 + 3 * 1024 / 1e5)
    assert (rest.questions, rest.prompt_tokens) == (0, 0)


def test_a_cached_reply_is_not_asked_for_again_and_costs_nothing(home: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with (
        FakeLLM(otherwise=Say("It rose by 31% [1].", usage=(1_000, 100))) as fake,
        shelf(home, fake, prices=f"{MODEL}=1/10") as library,
    ):
        run(library, ASKED, tmp_path / "a.jsonl", cache=cache, workers=2)
        again = run(library, ASKED, tmp_path / "b.jsonl", cache=cache, workers=2)
        asked = len(fake.asked)
        run(library, ASKED, tmp_path / "c.jsonl", workers=2)
    one, two = (read_answers(tmp_path / name) for name in ("a.jsonl", "b.jsonl"))

    assert (asked, len(fake.asked)) == (3, 6)
    assert again.cost_usd == 0.0
    assert [one[i]["answer"] for i in sorted(one)] == [two[i]["answer"] for i in sorted(two)]
    assert [a["usage"]["prompt_tokens"] for a in two.values()] == [1_000] * 3


@pytest.mark.parametrize("changed", [{"llm_max_tokens": 99}, {"llm_model": "another"}, {"top_k": 1}])
def test_what_decides_an_answer_decides_what_the_cache_holds(
    home: Path, tmp_path: Path, changed: dict[str, Any]
) -> None:
    with FakeLLM(otherwise=Say("Yes [1].")) as fake:
        for number, values in enumerate(({}, changed)):
            with shelf(home, fake, **values) as library:
                run(library, ASKED[:1], tmp_path / f"{number}.jsonl", cache=tmp_path / "cache")

    assert len(fake.asked) == 2


def test_the_pace_of_a_run_ends_with_it(home: Path, tmp_path: Path) -> None:
    with FakeLLM(otherwise=Say("Yes [1].")) as fake, shelf(home, fake) as library:
        assert library.llm is not None
        before = library.llm.pace, library.llm.reply
        run(library, ASKED, tmp_path / "a.jsonl", cache=tmp_path / "cache")
        assert (library.llm.pace, library.llm.reply) == before


def test_watchers_hear_of_every_answer_and_where_the_run_stands(library: Library, tmp_path: Path) -> None:
    said: list[str] = []
    run(library, ASKED, tmp_path / "a.jsonl", workers=2, watcher=Events(said.append))
    events = [json.loads(line) for line in said]
    answers = [event for event in events if event["event"] == "answer"]

    assert sorted(event["id"] for event in answers) == ["q1", "q2", "q3"]
    assert (answers[-1]["done"], answers[-1]["total"], answers[-1]["errors"]) == (3, 3, 0)


def test_lines_of_progress_come_now_and_then() -> None:
    said: list[str] = []
    times = iter([0.0, 10.0, 30.0, 31.0, 60.0])
    lines = Lines(said.append, clock=lambda: next(times))
    for done in range(4):
        lines.moved(Standing(5_000, 1_000 + done, done, 2, 3, 1.5, 10.0 * done, 0.0), [])

    assert said == [
        "1,001 of 5,000, 3 not found, 2 errors, 0.1/s, $1.50 spent, 11 h 06 min left",
        "1,003 of 5,000, 3 not found, 2 errors, 0.1/s, $1.50 spent, 11 h 06 min left",
    ]
