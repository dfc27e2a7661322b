"""Several shelves: which there are, and making and choosing one."""

from __future__ import annotations

import streamlit as st

from rag import shelves
from rag.errors import FootnoteError
from rag.ui import banners, markdown, places
from rag.ui.frame import count, notice
from rag.ui.shelf import chosen, root_settings


def draw() -> None:
    """The list, and a field for another one."""
    root = root_settings().home
    current = chosen()
    for one in shelves.shelves(root):
        with st.container(key=f"shelf-{one.name or 'main'}", horizontal=True, vertical_alignment="center"):
            holds = "empty" if not one.abstracts else count(one.abstracts, "abstract")
            st.markdown(f"**{title(one.name)}** · {holds}  \n{markdown.line(str(one.home))}")
            if one.name == current:
                st.caption("In use")
            elif st.button("Use", key=f"use-{one.name or 'main'}"):
                choose(one.name)
    with st.form("make-shelf", border=False, clear_on_submit=True):
        name = st.text_input("New shelf", placeholder="Its name")
        if st.form_submit_button("Make it") and name:
            try:
                choose(shelves.make(root, name).name)
            except FootnoteError as error:
                notice(banners.of_error(error))


def title(name: str) -> str:
    """A shelf's name as markdown."""
    return markdown.line(name) if name else "Main shelf"


def choose(name: str) -> None:
    """Go on with another shelf."""
    places.forget()
    if name:
        st.query_params[places.SHELF] = name
    else:
        places.forget(places.SHELF)
    st.session_state[places.SHELF] = name
    st.rerun()
