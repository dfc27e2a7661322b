"""Before the first question: what this is, what to ask; or why nothing can be asked yet, and what to do."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from rag.config import OPENAI_HOST, Settings
from rag.errors import FootnoteError
from rag.ui import markdown
from rag.ui.actions import Wanted, want
from rag.ui.shelf import Shelf


def begin(shelf: Shelf) -> None:
    """The shelf can answer: how it will, and questions to begin with."""
    count = f"{shelf.abstracts:,} abstract{'' if shelf.abstracts == 1 else 's'}"
    with st.container(key="welcome"):
        st.header(f"Ask {count} a question", anchor=False)
        st.markdown("Every sentence of the answer carries a footnote to the abstract it comes from.")
        st.caption(mode(shelf.settings))
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


def empty(home: Path) -> None:
    """The shelf is there and holds nothing."""
    _explain(f"The shelf in {home} is empty.", "Fill it with your abstracts, then look again:", "python -m ingest FILE")


def cannot_answer(error: FootnoteError) -> None:
    """The shelf cannot be asked; the error says why."""
    _explain(error.message, error.fix, "")


def _explain(message: str, fix: str, command: str) -> None:
    with st.container(key="welcome"):
        st.warning(f"**{markdown.line(message)}**  \n{markdown.line(fix)}", icon=":material/inventory_2:")
        if command:
            st.code(command, language="shell")
        st.button("Look again", icon=":material/refresh:")
