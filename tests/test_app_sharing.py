"""What sessions share: an index and its models are loaded once in a process; keys stay where they are."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ingest.pipeline import ingest
from rag import runs
from rag.embedding import make_embedder
from tests.fake_llm import MODEL, Fail, FakeLLM, error
from tests.shelf import PAPERS, settings_at, write_lines
from tests.test_app import PATIENCE, Start
from tests.test_app_pages import button, home, start, text_of, until_done

__all__ = ["home", "start"]  # fixtures

KEY = "sk-proj-0123456789abcdefghij0123"


def opened() -> None:
    import streamlit as st  # a page's script runs as a text of its own

    from rag.ui.shelf import open_shelf

    library = open_shelf().library
    library.embedder.embed_query("What is loaded?")
    st.text(" ".join(str(id(part)) for part in (library, library.snapshot, library.embedder, library.verifier)))


def test_two_sessions_share_the_index_and_the_models_and_two_shelves_the_embedder(
    start: Start, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """streamlit#12506: what each session loads anew stays in memory."""
    settings = settings_at(tmp_path / "other")
    ingest([str(write_lines(tmp_path / "papers.jsonl", PAPERS))], settings, make_embedder(settings))
    monkeypatch.setenv("FOOTNOTE_HOME", str(home))
    first, second = (AppTest.from_function(opened, default_timeout=PATIENCE).run().text[0].value for _ in range(2))
    assert first == second
    monkeypatch.setenv("FOOTNOTE_HOME", str(tmp_path / "other"))
    other = AppTest.from_function(opened, default_timeout=PATIENCE).run().text[0].value
    assert other.split()[0] != first.split()[0]
    assert other.split()[2] == first.split()[2]


def test_a_key_that_the_server_repeats_is_shown_and_kept_nowhere(
    start: Start, home: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)
    name = runs.keep(home, "keys.txt", b"How much of the accuracy does Heron keep?\n")
    shown = ""
    with FakeLLM(otherwise=Fail(401, error(f"Incorrect API key provided: {KEY}"))) as fake:
        values = {"FOOTNOTE_LLM_MODEL": MODEL, "OPENAI_BASE_URL": fake.url, "OPENAI_API_KEY": KEY}
        page = start(home, "settings", **values)
        button(page, "Test the connection").click().run()
        shown += text_of(until_done(page, "Check OPENAI"))
        page = start(home, "questions", {"run": name}, **values)
        button(page, "Run").click().run()
        shown += text_of(until_done(page, "1 of 1 question answered"))
        page = start(home, "evaluation", **values)
        shown += text_of(page)
        page = start(home, "library", **values)
        shown += text_of(page)
        assert any(KEY in str(asked.headers) for asked in fake.asked)
    assert KEY not in shown
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())
    assert [str(path) for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
