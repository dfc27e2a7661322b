"""Before the first question: what this is, what to ask; or why nothing can be asked yet, and what to do."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from rag.catalogue import FILE_NAME
from rag.config import OPENAI_HOST, Settings
from rag.errors import FootnoteError
from rag.reach import recipients
from rag.ui import banners, markdown, places
from rag.ui.actions import Wanted, want
from rag.ui.frame import notice
from rag.ui.shelf import Shelf, trouble


def begin(shelf: Shelf) -> None:
    """The shelf can answer: how it will, and questions to begin with."""
    count = f"{shelf.abstracts:,} abstract{'' if shelf.abstracts == 1 else 's'}"
    with st.container(key="welcome"):
        st.header(f"Ask {count} a question", anchor=False)
        st.markdown("Every sentence of the answer carries a footnote to the abstract it comes from.")
        if problem := trouble(shelf):
            notice(banners.of_trouble(problem))
        else:
            st.caption(mode(shelf.settings))
            abroad(shelf.settings)
        with st.container(key="examples"):
            for number, question in enumerate(shelf.questions(), 1):
                label = markdown.line(question)
                st.button(label, key=f"example-{number}", on_click=want, args=(Wanted(question),), width="stretch")


def mode(settings: Settings) -> str:
    """How answers are made, and who gets to read the question, as markdown."""
    if not settings.llm_model:
        return (
            "Answers are sentences quoted word for word from the abstracts. "
            "To have a language model write them, set `FOOTNOTE_LLM_MODEL`."
        )
    host = urlsplit(settings.openai_base_url or OPENAI_HOST).hostname or ""
    return (
        f"Answers are written by {markdown.line(settings.llm_model)} at {markdown.line(host)}, which is sent the "
        "question and the abstracts that fit it; then each sentence is checked against them."
    )


def abroad(settings: Settings) -> None:
    """Say which hosts outside this machine are sent what."""
    for one in recipients(settings):
        st.info(f"**{markdown.line(one.host)}** will be sent {one.sent}.", icon=":material/public:")


def empty(home: Path) -> None:
    """The shelf is there and holds nothing."""
    _explain(
        f"The shelf in {home} is empty.",
        "Add files on the page Library, or fill it with your abstracts and look again:",
        "python -m ingest FILE",
    )
    _add_files()


def cannot_answer(error: FootnoteError, home: Path | None) -> None:
    """The shelf in `home` cannot be asked; the error says why."""
    _explain(error.message, error.fix, "")
    if home is not None and not (home / FILE_NAME).is_file():
        _add_files()


def _add_files() -> None:
    places.link("library", "Add files", view="Add files")


def _explain(message: str, fix: str, command: str) -> None:
    with st.container(key="welcome"):
        st.warning(f"**{markdown.line(message)}**  \n{markdown.line(fix)}", icon=":material/inventory_2:")
        if command:
            st.code(command, language="shell")
        st.button("Look again", icon=":material/refresh:")
