"""One abstract: all that is known of it, its passages, and where the conversations cite it."""

from __future__ import annotations

import streamlit as st

from rag import browse
from rag.chats import citing
from rag.types import Abstract
from rag.ui import markdown, places, sources
from rag.ui.frame import count
from rag.ui.library import removing
from rag.ui.shelf import Shelf, conversations, worker

CITED = 20
"""Answers that are listed."""


def draw(shelf: Shelf, name: str) -> None:
    """The abstract with this id or alias."""
    st.button(
        "All abstracts",
        key="back",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=places.forget,
        args=("paper",),
    )
    found = worker().read(lambda: browse.paper(shelf.library.catalogue, name))
    if found is None:
        removing.gone(shelf, name)
        return
    abstract = found.abstract
    with st.container(key="paper"):
        st.header(markdown.line(abstract.label), anchor=False)
        st.caption(sources.about(abstract))
        if abstract.retracted:
            st.error(f"**Retracted.** {markdown.line(abstract.retracted)}", icon=":material/error:")
        with st.container(key="opened-text"):
            st.markdown(markdown.literal(abstract.text))
        _known(abstract)
        with st.expander(f"Passages ({len(found.passages)})"):
            st.caption("What is searched: the whole abstract, and each of its sentences in its context.")
            for passage in found.passages[1:]:
                st.markdown(f"{passage.number}\\. {markdown.line(abstract.text[passage.start : passage.end])}")
        _cited(shelf, abstract)
        removing.offer(shelf, abstract)


def _known(abstract: Abstract) -> None:
    address = sources.web_address(abstract.url)
    rows = [
        ("Identifiers", ", ".join(markdown.line(name) for name in (abstract.id, *abstract.aliases))),
        ("Keywords", ", ".join(markdown.line(word) for word in abstract.keywords)),
        ("Address", f"<{address}>" if address else ""),
        ("Read from", ", ".join(sources.file_name(place) for place in abstract.sources)),
    ]
    st.markdown("  \n".join(f"**{label}:** {text}" for label, text in rows if text))


def _cited(shelf: Shelf, abstract: Abstract) -> None:
    store = conversations(shelf.settings.home)
    found = citing.answers(store.database, abstract.id, CITED) if store is not None else []
    if found:
        st.subheader(f"Cited in {count(len(found), 'answer')} of your conversations", anchor=False)
    for one in found:
        places.link("ask", markdown.line(one.question), chat=one.chat)
