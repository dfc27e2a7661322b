"""The library: look through the abstracts, see them on a map, add and remove some, choose the shelf."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rag.errors import FootnoteError
from rag.ui import banners, frame
from rag.ui.library import abstracts, adding, charts, paper, shelves
from rag.ui.shelf import Shelf, open_shelf

VIEWS: dict[str, Callable[[Shelf], None]] = {"Abstracts": abstracts.draw, "Map": charts.draw}
ADD = "Add files"
SHELVES = "Shelves"


def page() -> None:
    """Draw the page."""
    frame.begin("Library")
    opened = st.query_params.get("paper")
    shelf = _opened()
    if opened and shelf is not None:
        paper.draw(shelf, opened)
        return
    names = [*(VIEWS if shelf is not None else []), ADD, SHELVES]
    wished = st.query_params.get("view", "")
    view = st.segmented_control(
        "View",
        names,
        default=wished if wished in names else names[0],
        label_visibility="collapsed",
        key="view",
        required=True,
    )
    st.query_params["view"] = view or names[0]
    with st.container(key="view-body"):
        if view == ADD:
            adding.draw()
        elif view == SHELVES:
            shelves.draw()
        elif shelf is not None and view is not None:
            VIEWS[view](shelf)


def _opened() -> Shelf | None:
    try:
        shelf = open_shelf()
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return None
    return shelf if shelf.abstracts else None
