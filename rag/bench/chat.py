"""The page: how long a conversation takes to be drawn again, and what closed sessions leave behind."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.answer import ask
from rag.bench.served import REPOSITORY, STARTED, served
from rag.config import Settings
from rag.conversations import Conversations
from rag.errors import InputError
from rag.library import Library
from rag.types import Question
from rag.ui.examples import examples
from rag.ui.worker import named

SETTLED = 10
"""Sessions before the memory is first looked at: what is loaded once is loaded by then."""
REDRAWS = 15


@dataclass(frozen=True, slots=True)
class Drawn:
    """Seconds of the page's script over a conversation of `turns`; `shown` of them are on the page."""

    turns: int
    shown: int
    first: float
    median: float

    def as_text(self) -> str:
        """One line."""
        return (
            f"{self.turns} turns, {self.shown} on the page: drawn first in {1000 * self.first:.0f} ms, "
            f"again in {1000 * self.median:.0f} ms (median of {REDRAWS})"
        )


@dataclass(frozen=True, slots=True)
class Left:
    """Memory of the server in MB, after SETTLED sessions and after `sessions` more, each closed."""

    sessions: int
    before: float
    after: float

    @property
    def each(self) -> float:
        """MB that a closed session leaves behind."""
        return (self.after - self.before) / self.sessions

    def as_text(self) -> str:
        """One line."""
        return (
            f"{self.sessions} sessions opened and closed: {self.before:.0f} -> {self.after:.0f} MB, "
            f"{self.each:.2f} MB each"
        )


@contextmanager
def talk(settings: Settings, turns: int) -> Iterator[tuple[Path, str]]:
    """A copy of the shelf with a conversation of as many turns; its folder and the conversation's name."""
    with tempfile.TemporaryDirectory(prefix="footnote-chat-") as folder:
        home = Path(folder) / "home"
        shutil.copytree(settings.home, home, ignore=shutil.ignore_patterns("conversations.*", "chats.running"))
        library = Library(settings.model_copy(update={"home": home, "llm_model": None}))
        store = Conversations(home)
        name = store.begin()
        questions = examples(library.catalogue)
        answers = [ask(library, Question(question)) for question in questions]
        for number in range(turns):
            turn = store.ask(name, questions[number % len(questions)])
            store.claim(name)
            answer = answers[number % len(answers)]
            store.finish(turn, answer, named(library, answer))
        store.close()
        library.close()
        yield home, name


def redraw(home: Path, name: str, turns: int) -> Drawn:
    """Time the page's script, without a browser."""
    from streamlit.testing.v1 import AppTest

    os.environ["FOOTNOTE_HOME"] = str(home)
    os.environ.pop("FOOTNOTE_LLM_MODEL", None)
    page = AppTest.from_file(str(REPOSITORY / "app.py"), default_timeout=STARTED)
    page.query_params["chat"] = name
    seconds = []
    for _ in range(REDRAWS + 2):
        started = time.perf_counter()
        page.run()
        seconds.append(time.perf_counter() - started)
    return Drawn(turns, len(page.chat_message) // 2, seconds[1], statistics.median(seconds[2:]))


def sessions(home: Path, name: str, count: int) -> Left:
    """Open and close the conversation in a browser again and again. Raises InputError where there is no chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise InputError("There is no chromium on this machine.", "Debian and Ubuntu: apt install chromium.")
    from playwright.sync_api import sync_playwright

    clean = {name: value for name, value in os.environ.items() if name != "FOOTNOTE_LLM_MODEL"}
    with served(home, clean) as (address, process), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        before = 0.0
        for number in range(SETTLED + count):
            if number == SETTLED:
                before = _memory(process)
            _visit(browser, f"{address}/?chat={name}")
        after = _memory(process)
        browser.close()
    return Left(count, before, after)


def _visit(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("[class*='st-key-card-']", timeout=STARTED * 1000)
    page.close()


def _memory(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
