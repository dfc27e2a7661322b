"""The pages by name, and the ways from one to another."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

PAGES = "pages"
"""Where the session keeps the pages by name."""
SHELF = "shelf"
"""The parameter that names the shelf, where it is not the one of the settings."""


def go(page: str, **query: str) -> NoReturn:
    """Show another page; the shelf stays the same."""
    st.switch_page(st.session_state[PAGES][page], query_params={**_kept(), **query})


def link(page: str, label: str, **query: str) -> None:
    """Draw a link to another page; `label` is markdown."""
    st.page_link(st.session_state[PAGES][page], label=label, query_params={**_kept(), **query})


def forget(*names: str) -> None:
    """Drop parameters of the address, all but the shelf where none is named."""
    for name in names or [name for name in st.query_params if name != SHELF]:
        if name in st.query_params:
            del st.query_params[name]


def _kept() -> dict[str, str]:
    return {SHELF: st.query_params[SHELF]} if SHELF in st.query_params else {}
