"""An answer outside a conversation: its text, what checking says of it, and its sources with links to them."""

from __future__ import annotations

import streamlit as st

from rag.types import Answer
from rag.ui import banners, footnotes, frame, places, sources
from rag.ui.cards import anchor


def draw(answer: Answer, place: int) -> None:
    """The answer as the `place`-th of its page, from 1, which makes its footnotes lead to its own sources."""
    banner = banners.banner(answer)
    if banner is not None:
        frame.notice(banner)
    if answer.answer:
        with st.container(key=f"body-{place}"):
            st.html(anchor(footnotes.turn_anchor(place)))
            st.markdown(footnotes.text(answer, place))
    if checked := footnotes.checked(answer):
        st.html(anchor(footnotes.checks_anchor(place)))
        st.caption(checked)
    for citation in answer.citations:
        with st.container(key=f"title-{place}-{citation.number}"):
            st.html(anchor(footnotes.card_anchor(place, citation.number)))
            back = f'[{citation.number}](#{footnotes.turn_anchor(place)} "Back to the answer")'
            st.markdown(f"{back} {sources.heading(citation, citation.label)}")
            st.caption(sources.details(citation, None))
            places.link("library", "Open in the library", paper=citation.id)
