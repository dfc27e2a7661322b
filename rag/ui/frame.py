"""What pages other than the chat have in common: their head, notices, and going on when something is missing."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rag.ui.banners import Banner

STYLE = Path(__file__).with_name("style.css")


def begin(title: str) -> None:
    """Draw the head of a page."""
    st.html(STYLE)
    with st.container(key="masthead"):
        st.title(title, anchor=False)


def notice(banner: Banner) -> None:
    """Draw a banner."""
    if banner.kind == "error":
        st.error(banner.text, icon=":material/error:")
    else:
        st.warning(banner.text, icon=":material/info:")


def count(number: int, noun: str) -> str:
    """`1 abstract`, `1,200 abstracts`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
