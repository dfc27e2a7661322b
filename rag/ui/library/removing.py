"""Taking an abstract off the shelf, and bringing it back."""

from __future__ import annotations

import streamlit as st

from rag.errors import FootnoteError
from rag.types import Abstract
from rag.ui import banners, markdown
from rag.ui.frame import notice
from rag.ui.shelf import Shelf

REMOVED = "removed"
"""Where the session keeps the label of what was removed last."""
FAILED = "removing-failed"


def offer(shelf: Shelf, abstract: Abstract) -> None:
    """The button that removes."""
    st.button("Remove from the shelf", key="remove", icon=":material/delete:", on_click=_remove, args=(shelf, abstract))
    _failure()


def gone(shelf: Shelf, name: str) -> None:
    """An abstract that is not there: removed just now, or never here."""
    removed = st.session_state.get(REMOVED)
    if removed is None or removed[0] != name:
        st.caption("There is no such abstract on this shelf.")
        return
    with st.container(key="undo-removal", horizontal=True, vertical_alignment="center"):
        st.markdown(f"Removed: {markdown.line(removed[1])}")
        st.button("Undo", key="undo-remove", on_click=_bring_back, args=(shelf,))
    _failure()


def _remove(shelf: Shelf, abstract: Abstract) -> None:
    from ingest.weeding import weed

    try:
        weed(shelf.settings, shelf.library.embedder, [abstract.id], [], lambda *_: True)
    except FootnoteError as error:
        st.session_state[FAILED] = error
    else:
        st.session_state[REMOVED] = (abstract.id, abstract.label)


def _bring_back(shelf: Shelf) -> None:
    from ingest.weeding import undo

    try:
        undo(shelf.settings, shelf.library.embedder)
    except FootnoteError as error:
        st.session_state[FAILED] = error
    else:
        st.session_state.pop(REMOVED, None)


def _failure() -> None:
    error = st.session_state.pop(FAILED, None)
    if error is not None:
        notice(banners.of_error(error))
