"""The abstracts of a shelf, searched and narrowed, a page at a time."""

from __future__ import annotations

from typing import cast

import streamlit as st

from rag import browse
from rag.types import Abstract, Filters
from rag.ui import markdown, places, sources
from rag.ui.frame import count
from rag.ui.library import counts
from rag.ui.shelf import Shelf, worker

PAGE = 25
"""Abstracts on a page."""


def draw(shelf: Shelf) -> None:
    """The search, the filters, and the abstracts that pass."""
    words = st.text_input(
        "Search",
        key="look-for",
        placeholder="Words in title, abstract or keywords",
        label_visibility="collapsed",
        icon=":material/search:",
    )
    chosen, only = _narrowed(shelf)
    signature = (words, chosen, only is None)
    if st.session_state.get("looked-for") != signature:
        st.session_state["looked-for"], st.session_state["look-page"] = signature, 0
    first = st.session_state["look-page"] * PAGE
    catalogue = shelf.library.catalogue
    found = worker().read(lambda: browse.look(catalogue, words or "", chosen, first, PAGE, only=only))
    st.caption(_standing(found.total, shelf.abstracts))
    for abstract in found.abstracts:
        _row(abstract)
    _turning(found.total)


def _narrowed(shelf: Shelf) -> tuple[Filters, list[str] | None]:
    with st.expander("Filters, years and files"):
        span = shelf.years()
        years = None
        if span is not None:
            low, high = cast("tuple[int, int]", st.slider("Years", *span, span, key=f"look-years-{span[0]}-{span[1]}"))
            years = None if (low, high) == span else f"{low}-{high}"
        names = [one.name for one in shelf.files()]
        files = st.multiselect("Files", names, placeholder="All files", key="look-files") if len(names) > 1 else []
        author = st.text_input("Author", key="look-author", placeholder="Part of a name")
        retracted = worker().read(lambda: browse.retracted(shelf.library.catalogue))
        only = (
            retracted if retracted and st.checkbox(f"Retracted only ({len(retracted)})", key="look-retracted") else None
        )
        counts.draw(shelf)
    return Filters(year=years, author=(author.strip(),) if author and author.strip() else (), source=tuple(files)), only


def _standing(found: int, total: int) -> str:
    if found == total:
        return count(total, "abstract")
    return f"{found:,} of {count(total, 'abstract')}"


def _row(abstract: Abstract) -> None:
    with st.container(key=f"row-{abstract.id}"):
        if st.button(markdown.line(abstract.label), key=f"paper-{abstract.id}", type="tertiary"):
            places.go("library", paper=abstract.id)
        st.caption(sources.about(abstract))


def _turning(total: int) -> None:
    last = max(0, (total - 1) // PAGE)
    if not last:
        return
    page: int = st.session_state["look-page"]
    with st.container(key="turning", horizontal=True, vertical_alignment="center"):
        st.button("Previous", key="look-back", disabled=page == 0, on_click=_turn, args=(page - 1,))
        st.caption(f"Page {page + 1:,} of {last + 1:,}")
        st.button("Next", key="look-on", disabled=page >= last, on_click=_turn, args=(page + 1,))


def _turn(page: int) -> None:
    st.session_state["look-page"] = page
