"""A run that is killed, interrupted or raced loses no answer, and the next one continues it."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import pytest

from rag.batch import Estimate, read_answers, run
from rag.batch.standing import Unwatched
from rag.errors import InputError
from rag.export import export
from rag.questions import read_questions
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import PAPERS, fill, open_shelf, write_lines
from tests.waiting import PATIENCE, wait_until

QUESTIONS, WORKERS, KILLS = 60, 8, 6
PRELOADED = [
    *("chromadb", "openai.resources.chat.completions", "rag.batch.run", "rag.llms.http", "rag.text.sentences"),
    *("rag.verify", "rag.writer", "tests.shelf", "tiktoken"),
]


class Begun(Unwatched):
    """Sets an event when the estimate is made and the questions are about to be asked."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def estimated(self, estimate: Estimate) -> None:
        self._event.set()


def batch(home: Path, url: str, questions: Path, out: Path, begun: Event, interruptible: bool = True) -> None:
    """What a process of its own runs; its exit status is 130 when it was interrupted."""
    # What a script starts with `&` ignores SIGINT, and passes that on to its children.
    signal.signal(signal.SIGINT, signal.default_int_handler if interruptible else signal.SIG_IGN)
    library = open_shelf(home, llm_model=MODEL, openai_base_url=url)
    try:
        run(library, read_questions(str(questions)), out, workers=WORKERS, watcher=Begun(begun))
    except KeyboardInterrupt:
        sys.exit(130)
    except InputError:
        sys.exit(1)


@pytest.fixture(scope="module")
def processes() -> ForkServerContext:
    """Processes that are forked from one that has loaded the libraries, which takes most of the time of a start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    about = ("By how much did IL-6 rise without sleep?", "How many heads does Heron keep?")
    rows = [{"id": f"q{n}", "question": about[n % 2], "n": n} for n in range(QUESTIONS)]
    return write_lines(tmp_path_factory.mktemp("asked") / "questions.jsonl", rows)


def reply(body: dict[str, Any]) -> Say:
    about = "sleep" if "without sleep?" in str(body) else "heads"  # a killed client may have sent no body at all
    return Say(f"This is about {about} [1].", before=0.05)


class Start(Protocol):
    """Starts a run in a process of its own and comes back when it begins to ask (or has ended)."""

    def __call__(self, fake: FakeLLM, out: Path, interruptible: bool = True) -> ForkServerProcess: ...


@pytest.fixture
def start(processes: ForkServerContext, home: Path, asked: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    # A new process runs the main module's file first, and Streamlit's tests leave their page's script in its place.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    started: list[ForkServerProcess] = []

    def begin(fake: FakeLLM, out: Path, interruptible: bool = True) -> ForkServerProcess:
        begun = processes.Event()
        process = processes.Process(target=batch, args=(home, fake.url, asked, out, begun, interruptible))
        process.start()
        started.append(process)
        wait_until(lambda: begun.wait(0.05) or not process.is_alive(), "a run has begun")
        return process

    yield begin
    for process in started:
        process.kill()
        ended(process).close()


def ended(process: ForkServerProcess) -> ForkServerProcess:
    process.join(PATIENCE)
    assert process.exitcode is not None, "the run does not end"
    return process


def test_a_run_killed_at_random_moments_ends_with_every_answer_once(
    tmp_path: Path, start: Start
) -> None:  # AutoRAG#372, paper-qa#381
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    chance = random.Random(7)
    with FakeLLM(otherwise=reply) as fake:
        ended(start(fake, whole))
        undisturbed = len(fake.asked)
        landed = 0
        for _ in range(KILLS):
            until = len(fake.asked) + chance.randrange(16)
            process = start(fake, killed)
            wait_until(lambda: len(fake.asked) >= until or not process.is_alive(), "it asks")  # noqa: B023 - used at once
            time.sleep(chance.random() * 0.1)
            landed += process.is_alive()
            process.kill()
            ended(process)
        ended(start(fake, killed))
        calls = len(fake.asked) - undisturbed

    lines = [json.loads(line) for line in killed.read_bytes().splitlines()]
    assert landed  # a fast machine is through before the last of them
    assert undisturbed == QUESTIONS
    assert sorted(line["id"] for line in lines) == sorted(f"q{n}" for n in range(QUESTIONS))
    assert calls <= QUESTIONS + KILLS * WORKERS
    for to in ("csv", "md", "html"):
        assert timeless(export(killed, to).path) == timeless(export(whole, to).path)


def timeless(path: Path) -> list[str]:
    """The lines of an export without what differs between two runs: the seconds at the end of a table's row."""
    text = path.read_text()
    return [line.rpartition(",")[0] for line in text.splitlines()] if path.suffix == ".csv" else text.splitlines()


def interrupt(process: ForkServerProcess) -> None:
    assert process.pid is not None
    if process.is_alive():
        os.kill(process.pid, signal.SIGINT)


def test_the_first_interrupt_finishes_what_is_in_flight(tmp_path: Path, start: Start) -> None:
    out = tmp_path / "a.jsonl"
    with FakeLLM(otherwise=reply) as fake:
        process = start(fake, out)
        wait_until(lambda: bool(fake.asked), "a question is asked")
        interrupt(process)

        assert ended(process).exitcode == 130
        assert 0 < len(fake.asked) < QUESTIONS
        assert len(read_answers(out)) == len(fake.asked)


def test_the_second_interrupt_does_not_wait(tmp_path: Path, start: Start) -> None:
    out = tmp_path / "a.jsonl"
    with FakeLLM(otherwise=Say("Late [1].", before=30.0)) as fake:
        process = start(fake, out)
        wait_until(lambda: len(fake.asked) == WORKERS, "all workers ask")
        interrupt(process)

        def stops() -> bool:  # two signals at once are one
            process.join(0.5)
            interrupt(process)
            return process.exitcode is not None

        wait_until(stops, "it stops")
        assert process.exitcode == 130
        assert read_answers(out) == {}


def test_a_run_in_the_background_of_a_script_is_not_interrupted(tmp_path: Path, start: Start) -> None:
    out = tmp_path / "a.jsonl"
    with FakeLLM(otherwise=reply) as fake:
        process = start(fake, out, interruptible=False)
        wait_until(lambda: bool(fake.asked), "a question is asked")
        interrupt(process)

        assert ended(process).exitcode == 0
        assert len(read_answers(out)) == QUESTIONS


def test_the_second_of_two_runs_on_one_file_ends(tmp_path: Path, start: Start, asked: Path) -> None:
    out = tmp_path / "a.jsonl"
    refused = threading.Event()

    def reply_later(body: dict[str, Any]) -> Say:
        refused.wait(PATIENCE)  # the first run goes on for as long as the second needs to notice it
        return reply(body)

    with FakeLLM(otherwise=reply_later) as fake:
        first, second = start(fake, out), start(fake, out)
        assert ended(second).exitcode == 1
        refused.set()
        assert ended(first).exitcode == 0
        assert len(read_answers(out)) == len(read_questions(str(asked))) == len(fake.asked)
