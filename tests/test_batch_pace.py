"""All workers slow down together when the server wants it, and become fast again."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.batch import run
from rag.batch.limiter import OUTAGES, REFUSALS, Limiter, NotAsked
from rag.batch.speed import LONGEST_ASKED, LONGEST_PAUSE, Spacing, Speed
from rag.batch.workers import work
from rag.llms.errors import Failure
from rag.llms.pace import Message
from rag.types import Question
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines

ASK = [Message("user", "Is it so?")]
REFUSED = Failure("rate_limited", "slow down", retryable=True, status=429)
AWAY = Failure("no_server", "nothing answers")


def test_a_refusal_halves_the_speed_and_successes_bring_it_back() -> None:
    speed = Speed(16)
    speed.refused(started=0.0, now=1.0, retry_after=None)
    slow = speed.at_once
    for n in range(200):
        speed.succeeded(started=2.0 + n)

    assert (slow, speed.at_once) == (8.0, 16.0)


def test_refusals_of_one_moment_slow_down_once() -> None:
    speed = Speed(16)
    for _ in range(16):
        speed.refused(started=0.0, now=1.0, retry_after=None)

    assert (speed.at_once, speed.setbacks, speed.resume) == (8.0, 1, 1.5)


def test_the_longest_time_that_was_asked_for_is_waited() -> None:
    speed = Speed(4)
    for seconds in (7.0, 3.0, 5.0):
        speed.refused(started=0.0, now=1.0, retry_after=seconds)

    assert speed.resume == 8.0


def test_pauses_grow_until_something_succeeds() -> None:
    speed, now, pauses = Speed(4), 0.0, []
    for _ in range(9):
        speed.refused(started=now, now=now, retry_after=None)
        pauses.append(speed.resume - now)
        now = speed.resume
    speed.succeeded(started=now)
    speed.refused(started=now, now=now, retry_after=None)

    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_PAUSE, LONGEST_PAUSE]
    assert speed.resume - now == 0.5


@settings(deadline=None, max_examples=60)
@given(events=st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60))
def test_the_speed_stays_between_one_and_all_workers(events: list[tuple[bool, float]]) -> None:
    speed, now = Speed(8), 0.0
    for good, seconds in events:
        started, now = now, now + seconds
        if good:
            speed.succeeded(started)
        else:
            speed.refused(started, now, None)
        assert 1.0 <= speed.at_once <= 8.0
        assert speed.resume <= now + LONGEST_PAUSE


@settings(deadline=None, max_examples=60)
@given(amounts=st.lists(st.integers(1, 50), min_size=2, max_size=40), limit=st.integers(1, 200))
def test_no_minute_has_more_than_the_limit_and_one(amounts: list[int], limit: int) -> None:
    spacing, now, starts = Spacing(limit), 0.0, []
    for amount in amounts:
        now += spacing.delay(now)
        spacing.take(now, amount)
        starts.append((now, amount))

    for start, _ in starts:
        within = [amount for at, amount in starts if start <= at < start + 60]
        assert sum(within) - within[-1] <= limit + 1e-6


def test_a_request_waits_for_a_slot_until_the_answer_before_it_is_written() -> None:
    limiter = Limiter(1)
    entered = threading.Event()

    def second() -> None:
        with limiter.turn(ASK):
            entered.set()

    with limiter.turn(ASK):
        pass
    thread = threading.Thread(target=second)
    thread.start()
    early = entered.wait(0.05)
    limiter.release(int(limiter.keeps()))
    thread.join(5)

    assert (early, entered.is_set()) == (False, True)


def test_a_thread_keeps_its_slot_for_the_second_request_of_a_question() -> None:
    limiter = Limiter(1)
    for _ in range(3):
        with limiter.turn(ASK):
            pass

    assert (limiter.keeps(), limiter.keeps()) == (True, False)


def test_a_failed_request_gives_its_slot_back() -> None:
    limiter = Limiter(1)
    for _ in range(3):
        with pytest.raises(RuntimeError), limiter.turn(ASK):
            raise RuntimeError

    assert not limiter.keeps()


def test_whoever_waits_when_the_run_ends_is_not_asked() -> None:
    limiter = Limiter(1)
    limiter.end("interrupted")

    with pytest.raises(NotAsked, match="interrupted"), limiter.turn(ASK):
        pass


def failed(limiter: Limiter, failure: Failure, attempt: int) -> float | None:
    with pytest.raises(RuntimeError), limiter.turn(ASK):
        raise RuntimeError
    return limiter.wait(failure, attempt)


def answered(limiter: Limiter) -> Limiter:
    with limiter.turn(ASK):
        limiter.release(1)
    return limiter


@pytest.mark.parametrize("kind", ["bad_key", "quota"])
def test_what_all_questions_would_meet_ends_the_run(kind: str) -> None:
    limiter = answered(Limiter(4))

    assert failed(limiter, Failure(kind, "no more", retryable=False, status=429), 1) is None
    assert limiter.ended == "no more"


def test_refusals_are_repeated_a_bounded_number_of_times() -> None:
    limiter = Limiter(4, speed=Speed(4, first_pause=0.0))

    assert failed(limiter, REFUSED, REFUSALS - 1) == 0.0
    assert failed(limiter, REFUSED, REFUSALS) is None
    assert failed(limiter, Failure("rate_limited", "", True, LONGEST_ASKED + 1, 429), 1) is None
    assert limiter.ended is None


def test_a_server_that_went_away_is_waited_for_and_one_that_never_was_there_is_not() -> None:
    never, gone = Limiter(4), answered(Limiter(4, speed=Speed(4, first_pause=0.0)))

    assert (failed(never, AWAY, 1), never.ended) == (None, AWAY.message)
    assert (failed(gone, AWAY, OUTAGES - 1), gone.ended) == (0.0, None)
    assert (failed(gone, AWAY, OUTAGES), gone.ended) == (None, AWAY.message)


def test_one_page_instead_of_a_reply_ends_nothing() -> None:
    limiter = Limiter(4)

    assert failed(limiter, Failure("no_server", "a page", status=200), 1) is None
    assert limiter.ended is None


def test_work_starts_no_more_than_it_may_and_gives_every_result() -> None:
    most, now, lock = 0, 0, threading.Lock()

    def square(n: int) -> int:
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        with lock:
            now -= 1
        return n * n

    found = [n for some in work(square, range(1, 200), 5, lambda _: True) for n in some]

    assert sorted(found) == [n * n for n in range(1, 200)]
    assert most <= 5


def test_work_raises_what_its_function_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        list(work(lambda n: 1 // n, [1, 0], 2, lambda _: True))


def test_work_ends_when_nothing_more_may_start() -> None:
    started: list[int] = []
    for some in work(int, range(1, 9), 1, lambda _: len(started) < 3):
        started.extend(some)

    assert started == [1, 2, 3]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pace")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.mark.parametrize(
    "refusal",
    [
        Fail(429, error("Rate limit reached"), {"Retry-After": "0"}),
        Fail(503, error("overloaded"), {"retry-after-ms": "5"}),
        Fail(529, error("overloaded"), {"retry-after-ms": "5"}),
    ],
)
def test_every_question_is_answered_by_a_server_that_refuses_every_third_call(
    home: Path, tmp_path: Path, refusal: Fail
) -> None:  # llama_index#8881
    asked = [Question(f"By how much did IL-6 rise without sleep? ({n})", id=f"q{n}") for n in range(30)]
    unlucky = {question.text for question in asked[::2]}  # by question: by number, one could be hit again and again
    lock = threading.Lock()

    def third(body: dict[str, Any]) -> Fail | Say:
        said = body["messages"][-1]["content"]
        with lock:
            refused = {text for text in unlucky if text in said}
            unlucky.difference_update(refused)
        return refusal if refused else Say("It rose by 31% [1].")

    with FakeLLM(otherwise=third) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        outcome = run(library, asked, tmp_path / "a.jsonl", workers=6)
        assert library.llm is not None
        library.llm.close()
        library.close()

    assert not unlucky
    assert (outcome.asked, outcome.errors, outcome.left) == (30, 0, 0)
    assert len(fake.asked) == 30 + len(fake.asked) // 3
