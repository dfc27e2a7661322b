"""Cards of the sources below an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from rag.chats.values import ChatTurn
from rag.types import Abstract, Answer, Citation, Span
from rag.ui import footnotes, sources

Judge = Callable[[ChatTurn, Citation], None]
"""Draws what a reader can say of a citation."""


def card(place: int, turn: ChatTurn, citation: Citation, answer: Answer, judge: Judge) -> None:
    """One source with the sentences that the answer rests on; `place` is the turn's in its conversation."""
    name = f"{place}-{citation.number}"
    abstract = turn.abstracts.get(citation.id)
    with st.container(key=f"card-{name}", border=True):
        st.html(anchor(footnotes.card_anchor(place, citation.number)))
        label = citation.title or (abstract.label if abstract else citation.id)
        with st.container(key=f"title-{name}"):
            back = f'[{citation.number}](#{footnotes.turn_anchor(place)} "Back to the answer")'
            st.markdown(f"{back} {sources.heading(citation, label)}")
            st.caption(sources.details(citation, abstract.venue if abstract else None))
        with st.container(key=f"abstract-{name}"):
            if abstract is None:
                st.caption("This abstract is no longer on the shelf.")
            else:
                _abstract(abstract, sources.evidence_spans(answer, abstract))
        judge(turn, citation)


def _abstract(abstract: Abstract, evidence: Sequence[Span]) -> None:
    st.markdown(sources.parts(abstract, evidence))
    if not sources.is_shown_whole(abstract, evidence):
        with st.expander("Whole abstract"):
            st.markdown(sources.whole(abstract, evidence))


def anchor(name: str) -> str:
    """A place that links lead to; `name` is made of this program's own words and numbers."""
    return f'<span class="footnote-anchor" id="{name}"></span>'
