"""Conversations are kept: through restarts, kills, stops, second thoughts and other processes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag.chats import document, feedback
from rag.chats.database import FILE_NAME
from rag.chats.listing import period
from rag.chats.values import ChatTurn, Opinion, Wish
from rag.conversations import KEPT_DELETED, Conversations
from rag.library import Library
from rag.types import Filters
from rag.ui.worker import Worker
from tests.conftest import REPOSITORY
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines
from tests.waiting import wait_until

PATIENCE = 60.0
QUESTION = "How much of the accuracy does Heron keep?"
SPOKEN = "Heron keeps 98.2% of the accuracy with 40% of the heads [1]."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shelf")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Conversations]:
    store = Conversations(tmp_path)
    yield store
    store.close()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker(threads=3)
    yield worker
    worker.close()


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


class Watched(Library):
    """Counts what its vector store is asked."""

    looked = 0

    def nearest(self, *asked: Any) -> list[tuple[str, float]]:
        found = super().nearest(*asked)
        self.looked += 1
        return found


def test_both_stores_are_open_before_the_first_question(home: Path, worker: Worker) -> None:
    """llama_index#15201: the first retrieval took a minute, the next none."""
    with closing(Watched(settings_at(home), HashingEmbedder())) as library:
        worker.warm_up(library)
        wait_until(lambda: library.looked > 0, "the warm-up")
        assert library.looked == 1


def answered(worker: Worker, store: Conversations, turn: int) -> ChatTurn:
    """The turn once its reply is final."""
    assert worker.wait(turn, PATIENCE)
    found = store.turn(turn)
    assert found is not None
    assert found.done
    return found


def until_running(store: Conversations, turn: int, text: str = "") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = store.turn(turn)
        if found and found.state != "waiting" and text in found.text:
            return
        time.sleep(0.01)
    raise AssertionError("the turn did not begin")


def test_a_conversation_is_the_same_after_a_restart(tmp_path: Path, worker: Worker, library: Library) -> None:
    first = Conversations(tmp_path)
    chat = first.begin()
    turn = answered(worker, first, worker.ask(library, first, chat, QUESTION, Wish(Filters(year="2020-2022"), 5)))
    assert turn.answer is not None
    assert turn.answer.citations
    first.close()

    second = Conversations(tmp_path)
    assert second.turns(chat) == [turn]
    assert [one.title for one in second.chats()] == [QUESTION]
    second.close()


def test_a_model_s_answer_is_kept_while_it_is_written(tmp_path: Path, worker: Worker, home: Path) -> None:
    with FakeLLM(Say(f"{SPOKEN} " * 8, pause=0.02)) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        writing, reading = Conversations(tmp_path), Conversations(tmp_path)
        chat = writing.begin()
        turn = worker.ask(library, writing, chat, QUESTION)
        until_running(reading, turn, "Heron")
        whole = answered(worker, reading, turn)
        assert whole.answer is not None
        assert whole.answer.answer.count("[1]") == 8
        for open_one in (writing, reading, library):
            open_one.close()


def test_stop_keeps_what_came(store: Conversations, worker: Worker, home: Path) -> None:
    with FakeLLM(Say("", pieces=("Heron keeps ", "98.2%", " of it [1]. ", *["More [1]. "] * 200), pause=0.05)) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        turn = worker.ask(library, store, store.begin(), QUESTION)
        until_running(store, turn, "98.2%")
        store.stop(turn)
        answer = answered(worker, store, turn).answer
        library.close()
    assert answer is not None
    assert (answer.status, answer.reason) == ("partial", "stopped")
    assert answer.answer.startswith("Heron keeps 98.2%")
    assert answer.answer.count("More") < 200


def test_a_silent_model_can_be_stopped(store: Conversations, worker: Worker, home: Path) -> None:
    with FakeLLM(Say(SPOKEN, before=2.0)) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        turn = worker.ask(library, store, store.begin(), QUESTION)
        until_running(store, turn)
        store.stop(turn)
        answer = answered(worker, store, turn).answer
        library.close()
    assert answer is not None
    assert (answer.status, answer.reason, answer.answer) == ("partial", "stopped", "")


def test_a_failed_turn_shifts_nothing(store: Conversations, worker: Worker, home: Path) -> None:
    """ragflow#12252: sources of the wrong turn after a failure."""
    with FakeLLM(Fail(401, error("Incorrect API key provided")), otherwise=Say(SPOKEN)) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        chat = store.begin()
        asked = [worker.ask(library, store, chat, text) for text in (QUESTION, "why " * 2500, QUESTION)]
        turns = [answered(worker, store, turn) for turn in asked]
        library.close()
    first, second, third = turns
    assert first.answer is not None
    assert (first.answer.mode, first.answer.reason) == ("quotes", "bad_key")
    assert second.answer is None
    assert second.failure is not None
    assert "characters" in second.failure.message
    assert third.answer is not None
    assert [citation.id for citation in third.answer.citations] == ["doi:10.1000/heron"]
    assert store.turns(chat) == turns


KILLED = """
import os, sys, time
from pathlib import Path
from rag.conversations import Conversations
store = Conversations(Path(sys.argv[1]))
chat = store.begin()
turn = store.ask(chat, "why?")
store.ask(chat, "and then?")
store.claim(chat)
store.write(turn, "Because of")
print(chat, flush=True)
sys.stdin.readline()
os._exit(9)
"""


def test_a_server_killed_in_an_answer_leaves_turns_that_say_so(tmp_path: Path, store: Conversations) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        chat = other.stdout.readline().strip()
        assert [turn.state for turn in store.turns(chat)] == ["running", "waiting"]
        mine = store.ask(chat, "and I?")
        assert store.claim(chat) is None  # the other one's turns come first

        other.communicate("die\n", timeout=PATIENCE)
    assert [turn.state for turn in store.turns(chat)] == ["interrupted", "interrupted", "waiting"]
    assert store.turns(chat)[0].text == "Because of"
    claimed = store.claim(chat)
    assert claimed is not None
    assert claimed.id == mine


def test_conversations_are_found_by_their_words(store: Conversations) -> None:
    first, second = store.begin(), store.begin()
    store.ask(first, "What is KOLIBRI?")
    store.ask(second, "How warm is 100% of the sea?")
    assert [chat.id for chat in store.chats("kolibri")] == [first]
    assert [chat.id for chat in store.chats("100%")] == [second]
    store.rename(first, "  Small\nbirds ")
    assert [chat.title for chat in store.chats("SMALL B")] == ["Small birds"]
    store.begin()
    assert len(store.chats()) == 2  # one in which nothing was asked is not listed


def test_what_is_deleted_can_be_brought_back_for_a_day(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    store = Conversations(tmp_path, lambda: clock[0])
    chat = store.begin()
    store.ask(chat, QUESTION)
    store.delete(chat)
    assert store.chat(chat) is None
    assert store.chats() == []
    store.restore(chat)
    assert [one.id for one in store.chats()] == [chat]

    store.delete(chat)
    store.close()
    clock[0] += KEPT_DELETED + 1
    store = Conversations(tmp_path, lambda: clock[0])
    store.restore(chat)
    assert store.chats() == []
    store.close()


def test_asking_again_sets_aside_and_can_be_undone(store: Conversations, worker: Worker, library: Library) -> None:
    chat = store.begin()
    asked = [worker.ask(library, store, chat, text) for text in (QUESTION, "By how much did IL-6 rise?", "Why?")]
    before = [answered(worker, store, turn) for turn in asked]
    new = worker.ask_again(library, store, before[1], "How long is a night of rest?", Wish())
    answered(worker, store, new)
    assert [turn.id for turn in store.turns(chat)] == [asked[0], new]
    assert store.set_aside(new) == 2
    store.put_back(new)
    assert store.turns(chat) == before


def test_opinions_become_evaluation_cases(store: Conversations, worker: Worker, library: Library) -> None:
    chat = store.begin()
    asked = [
        worker.ask(library, store, chat, text)
        for text in (QUESTION, "By how much did IL-6 rise after one night of rest?", "Why?")
    ]
    good, bad, _ = [answered(worker, store, turn) for turn in asked]
    assert good.answer is not None
    assert bad.answer is not None
    feedback.say(store.database, Opinion(good.id, None, True))
    feedback.say(store.database, Opinion(bad.id, None, False, "It was 13%."))
    feedback.say(store.database, Opinion(bad.id, bad.answer.citations[0].id, False))
    first, second = feedback.cases(store)
    assert first["type"] == second["type"] == "feedback"
    assert first["gold"] == ["doi:10.1000/heron"]
    assert first["answer"] == good.answer.answer
    assert "gold" not in second
    assert second["wrong"] == [bad.answer.citations[0].id]
    assert (second["rating"], second["comment"]) == ("bad", "It was 13%.")
    assert [said["role"] for said in second["history"]] == ["user", "assistant"]

    feedback.say(store.database, Opinion(good.id, None, None))
    assert [case["question"] for case in feedback.cases(store)] == [bad.question]


def test_a_conversation_is_saved_as_markdown_and_json(store: Conversations, worker: Worker, library: Library) -> None:
    chat = store.begin()
    answered(worker, store, worker.ask(library, store, chat, QUESTION))
    answered(worker, store, worker.ask(library, store, chat, "why " * 2500))
    store.rename(chat, "Heads *and* [tails]")
    found = store.chat(chat)
    assert found is not None
    text = document.as_markdown(found, store.turns(chat))
    assert text.startswith("# Heads \\*and\\* \\[tails\\]\n")
    assert "98.2% of the accuracy with 40% of the heads[^1-1]" in text.replace(" [^", "[^")
    assert "[^1-1]: Heron: pruning retrieval heads (Ada Lum et al., 2021)." in text
    assert "The question has" in text

    value = json.loads(document.as_json(found, store.turns(chat)))
    assert value["turns"][0]["answer"]["citations"][0]["id"] == "doi:10.1000/heron"
    assert value["turns"][0]["abstracts"][0]["text"] == PAPERS[0]["abstract"]
    assert value["turns"][1]["answer"] is None


def test_periods_are_those_a_reader_looks_for() -> None:
    today = date(2026, 3, 2)
    assert [period(day, today) for day in (today, date(2026, 3, 1), date(2026, 2, 25), date(2026, 2, 20))] == [
        "Today",
        "Yesterday",
        "Last 7 days",
        "February 2026",
    ]


def test_conversations_of_the_first_version_keep_their_citations(tmp_path: Path) -> None:
    """open-webui#7333, #20435: what a first version stored, written down once and never again."""
    with sqlite3.connect(tmp_path / FILE_NAME) as database:
        database.executescript((REPOSITORY / "tests" / "conversations-1.sql").read_text(encoding="utf-8"))
    database.close()
    store = Conversations(tmp_path)
    [chat] = store.chats()
    [turn] = store.turns(chat.id)
    store.close()

    assert turn.answer is not None
    assert [(one.number, one.id) for one in turn.answer.citations] == [(1, "pmid:3300001")]
    assert turn.text == turn.answer.answer
    assert turn.abstracts["pmid:3300001"].title == "Interleukin 6 and sleep"
    [evidence] = turn.answer.sentences[0].evidence
    assert turn.abstracts[evidence.id].text[evidence.start : evidence.end] == evidence.quote
