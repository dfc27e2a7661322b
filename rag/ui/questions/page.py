"""Files of questions: a list of runs, and one of them opened."""

from __future__ import annotations

import streamlit as st

from rag import runs
from rag.errors import FootnoteError
from rag.ui import banners, frame, markdown, places
from rag.ui.questions import opened
from rag.ui.shelf import Shelf, open_shelf


def page() -> None:
    """Draw the page."""
    frame.begin("Questions")
    try:
        shelf = open_shelf()
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    name = st.query_params.get("run")
    if name:
        opened.draw(shelf, name)
        return
    st.markdown("A file of questions becomes a file of cited answers; a run can be paused and goes on where it was.")
    _upload(shelf)
    for known in runs.names(shelf.settings.home):
        with st.container(key=f"row-run-{known}"):
            if st.button(markdown.line(known), key=f"run-{known}", type="tertiary"):
                places.go("questions", run=known)


def _upload(shelf: Shelf) -> None:
    generation = st.session_state.setdefault("question-files", 0)
    dropped = st.file_uploader(
        "Drop a file of questions here",
        type=["txt", "csv", "tsv", "xlsx", "jsonl", "json"],
        help="One question a line, or a column or key named question.",
        key=f"questions-{generation}",
    )
    if dropped is None:
        return
    try:
        name = runs.keep(shelf.settings.home, dropped.name, dropped.getvalue())
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    st.session_state["question-files"] = generation + 1
    places.go("questions", run=name)
