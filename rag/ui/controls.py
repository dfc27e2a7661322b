"""How the next question is to be answered: which abstracts, how many, how long, by which model."""

from __future__ import annotations

from typing import cast

import streamlit as st

from rag.chats.values import Wish
from rag.types import Filters, Style
from rag.ui import markdown
from rag.ui.frame import count
from rag.ui.shelf import Shelf, models, trouble

USUAL = "usual"
"""The style of the settings: Streamlit shows None as nothing chosen."""
STYLES: dict[str, str] = {
    USUAL: "A few sentences",
    "concise": "Concise",
    "detailed": "Detailed",
    "quotes": "Quotes only",
}
MOST = 30
"""Abstracts that an answer may be made to draw on from the page."""


def wish(shelf: Shelf) -> Wish:
    """Draw the controls; what they say. Untouched they say nothing, and the settings hold."""
    with st.popover("Options", icon=":material/tune:", type="tertiary", key="options"):
        filters = Filters(year=_years(shelf), source=_files(shelf))
        settings = shelf.settings
        top_k = st.number_input("Abstracts an answer may draw on", 1, MOST, min(settings.top_k, MOST), key="wish-top")
        style: Style | None = "quotes" if trouble(shelf) else _style() if settings.llm_model else None
        model = _model(shelf) if settings.llm_model and style != "quotes" else None
    return Wish(filters, None if top_k == settings.top_k else int(top_k), style, model)


def _years(shelf: Shelf) -> str | None:
    span = shelf.years()
    if span is None:
        return None
    chosen = cast("tuple[int, int]", st.slider("Years", *span, span, key=f"wish-years-{span[0]}-{span[1]}"))
    return None if chosen == span else f"{chosen[0]}-{chosen[1]}"


def _files(shelf: Shelf) -> tuple[str, ...]:
    counts = {one.name: one.abstracts for one in shelf.files()}
    if len(counts) < 2:
        return ()
    chosen = st.multiselect(
        "Only from these files",
        list(counts),
        format_func=lambda name: f"{name} ({counts.get(name, 0):,})",
        placeholder="All files",
        key="wish-files",
    )
    return tuple(chosen)


def _style() -> Style | None:
    chosen = st.selectbox("Answer", list(STYLES), format_func=lambda style: STYLES[style], key="wish-style")
    return None if chosen == USUAL else cast("Style", chosen)


def _model(shelf: Shelf) -> str | None:
    configured = shelf.settings.llm_model or ""
    offered = [configured, *(name for name in models(shelf) if name != configured)]
    chosen = st.selectbox("Model", offered, key="wish-model")
    return None if chosen == configured else chosen


def described(wish: Wish) -> str:
    """A wish in words, as markdown; empty where it says nothing."""
    year = wish.filters.year
    parts = [
        year.replace("-", "–") if year else "",
        ", ".join(wish.filters.source),
        f"from {count(wish.top_k, 'abstract')}" if wish.top_k else "",
        STYLES[wish.style].lower() if wish.style else "",
        wish.model or "",
    ]
    return " · ".join(markdown.line(part) for part in parts if part)
