"""The pages besides the chat, run without a browser on a real shelf with the bundled embedder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from ingest.pipeline import ingest
from rag import runs
from rag.answer import ask
from rag.batch import Standing
from rag.batch import run as run_batch
from rag.batch.standing import Unwatched
from rag.config import environment_names
from rag.conversations import Conversations
from rag.embedding import make_embedder
from rag.errors import InputError
from rag.library import open_library
from rag.types import Question
from tests.conftest import REPOSITORY
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, settings_at, write_lines
from tests.test_app import PATIENCE, Start

ODD = {
    "title": "CYP2D6*4 :warning: a_b_c [x](javascript:alert(1)) # 1",
    "abstract": "Quetzal lowers the cost from $5 to $10 per sample with $\\alpha < 2$. See BigVul[1] for details.",
    "retracted": True,
}
HERON = "doi:10.1000/heron"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    settings = settings_at(folder / "home")
    ingest([str(write_lines(folder / "papers.jsonl", [*PAPERS, ODD]))], settings, make_embedder(settings))
    return folder / "home"


def script(first: str) -> None:
    import app  # the page's script runs as a text of its own

    app.run(first)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    """Open a page on a shelf, with settings by their names in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(REPOSITORY))
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)

    def open_page(home: Path, page: str, query: Mapping[str, str] | None = None, **values: str) -> AppTest:
        for name, value in {"FOOTNOTE_HOME": str(home), **values}.items():
            monkeypatch.setenv(name, value)
        opened = AppTest.from_function(script, default_timeout=PATIENCE, args=(page,))
        for name, value in (query or {}).items():
            opened.query_params[name] = value
        return opened.run()

    return open_page


def text_of(page: AppTest) -> str:
    """All text of the page as markdown, without the invisible signs that keep shortcodes apart."""
    parts = [*page.markdown, *page.caption, *page.header, *page.subheader, *page.success, *page.error, *page.warning]
    return "\n".join(part.value for part in parts).replace("\u2060", "")


def button(page: AppTest, label: str) -> Button:
    return next(button for button in page.button if button.label == label)


def labels(page: AppTest) -> list[str]:
    return [button.label.replace("\u2060", "") for button in page.button]


def until_done(page: AppTest, sign: str) -> AppTest:
    """Look again, as the page does by itself in a browser, until a sign is there."""
    deadline = time.monotonic() + PATIENCE
    while sign not in text_of(page):
        assert time.monotonic() < deadline, f"{sign!r} did not come"
        time.sleep(0.05)
        page.run()
    assert not page.exception
    return page


def test_the_library_lists_what_is_on_the_shelf(start: Start, home: Path) -> None:
    page = start(home, "library")
    assert "Heron\\: pruning retrieval heads" in labels(page)
    assert "4 abstracts" in text_of(page)
    assert "**Retracted**" in text_of(page)


def test_the_library_is_searched(start: Start, home: Path) -> None:
    page = start(home, "library")
    page.text_input(key="look-for").set_value("radar").run()
    assert "1 of 4 abstracts" in text_of(page)
    assert "Heron\\: pruning retrieval heads" not in labels(page)


def test_signs_of_data_stand_for_themselves(start: Start, home: Path) -> None:
    """streamlit#8726: shortcodes, links and underscores in titles."""
    page = start(home, "library")
    assert r"CYP2D6\*4 \:warning\: a\_b\_c \[x\](javascript\:alert(1)) \# 1" in labels(page)


def test_an_opened_paper_shows_its_text_passages_and_citations(start: Start, home: Path) -> None:
    store, library = Conversations(home), open_library(settings_at(home))
    chat = store.begin()
    store.ask(chat, "How much of the accuracy does Heron keep?")
    turn = store.claim(chat)
    assert turn is not None
    store.finish(turn.id, ask(library, Question(turn.question)), {})
    library.close()
    page = start(home, "library", {"paper": HERON})
    shown = text_of(page)
    assert "Heron keeps 98.2% of the accuracy with 40% of the heads" in shown
    assert "Cited in 1 answer" in shown
    store.delete(chat)
    store.close()


def test_an_abstract_is_removed_and_brought_back(start: Start, home: Path) -> None:
    page = start(home, "library", {"paper": "arxiv:1901.00001"})
    button(page, "Remove from the shelf").click().run()
    assert "Removed: Soil moisture" in text_of(page)
    button(page, "Undo").click().run()
    assert "Soil moisture governs drought" in text_of(page)
    assert not page.exception


def test_another_shelf_is_made_and_used(start: Start, home: Path) -> None:
    page = start(home, "library", {"view": "Shelves"})
    page.text_input[0].set_value("Second")
    button(page, "Make it").click().run()
    assert page.query_params["shelf"] in ("Second", ["Second"])
    assert (home / "shelves" / "Second").is_dir()
    assert not page.exception


def test_settings_are_shown_without_secrets(start: Start, home: Path) -> None:
    key = "sk-0123456789abcdef0123"
    page = start(home, "settings", FOOTNOTE_LLM_MODEL="m", OPENAI_API_KEY=key)
    assert "…0123" in text_of(page)
    assert key not in text_of(page)
    assert any("api.openai.com" in info.value for info in page.info)


def test_the_connection_is_tested(start: Start, home: Path) -> None:
    wrong = Fail(401, error("Incorrect API key provided"))
    with FakeLLM(Say("OK"), wrong) as fake:
        page = start(home, "settings", FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        button(page, "Test the connection").click().run()
        until_done(page, "answered\\:")
        button(page, "Test the connection").click().run()
        until_done(page, "key")
        assert page.error


def test_files_can_be_added_where_there_is_no_shelf_yet(start: Start, tmp_path: Path) -> None:
    page = start(tmp_path / "nothing", "library")
    assert any("There is no index" in warning.value for warning in [*page.warning, *page.error])
    assert "Add files" in page.segmented_control[0].options if page.segmented_control else True
    assert not page.exception


def test_a_file_of_questions_is_run_paused_and_continued(start: Start, home: Path) -> None:
    name = runs.keep(home, "my questions.txt", b"How much of the accuracy does Heron keep?\n" + b"What is soil?\n" * 2)
    slow = Say("Heron keeps 98.2% of the accuracy with 40% of the heads [1].", before=0.5)
    with FakeLLM(otherwise=slow) as fake:
        page = start(home, "questions", {"run": name}, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        button(page, "Estimate").click().run()
        until_info(page, "3 questions to ask")
        page.number_input(key="workers").set_value(1)
        button(page, "Run").click().run()
        if any(one.label == "Pause" for one in page.button):
            button(page, "Pause").click().run()
        until_done(page, "answered now")
        for label in ("Continue", "Run"):
            if any(one.label == label for one in page.button):
                button(page, label).click().run()
        until_done(page, "3 of 3 questions answered")
    assert len(page.expander) == 3


def until_info(page: AppTest, sign: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not any(sign in info.value for info in page.info):
        assert time.monotonic() < deadline, f"{sign!r} did not come"
        time.sleep(0.05)
        page.run()


def test_a_pause_ends_a_run_which_goes_on_later(home: Path, tmp_path: Path) -> None:
    library = open_library(settings_at(home))
    questions = [Question(f"What is soil {number}?", id=str(number)) for number in range(6)]
    written: list[int] = []

    class Counting(Unwatched):
        def moved(self, standing: Standing, new: Sequence[Mapping[str, Any]]) -> None:
            written.append(standing.done)

    out = tmp_path / "answers.jsonl"
    outcome = run_batch(library, questions, out, watcher=Counting(), pausing=lambda: bool(written and written[-1] >= 2))
    assert (outcome.stopped, outcome.failed) == ("paused", False)
    assert 2 <= outcome.asked < 6
    assert run_batch(library, questions, out).left == 0
    library.close()


def test_what_is_no_file_of_questions_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        runs.keep(tmp_path, "../../evil.txt", b"")
    assert runs.names(tmp_path) == []
    assert runs.keep(tmp_path, "../../evil.txt", b"Why?") == "evil"
    assert (tmp_path / "questions" / "evil" / "evil.txt").is_file()
    assert runs.keep(tmp_path, "answers.jsonl", b'{"question": "Why?"}') == "questions-answers"
