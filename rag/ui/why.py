"""Why these sources: what was found for a question, by meaning and by words, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from rag.chats.values import ChatTurn
from rag.types import Abstract, Answer, AnswerHit
from rag.ui import markdown


@st.dialog("Why these sources", width="medium")
def panel(turn: ChatTurn) -> None:
    """A table of the abstracts found, in the order of the ranking."""
    answer = turn.answer
    if answer is None:
        return
    if answer.standalone_question != answer.question:
        st.caption(f"Searched as: {markdown.line(answer.standalone_question)}")
    st.markdown(table(answer, turn.abstracts))
    st.caption(
        "Places in the ranking by meaning (vectors) and by words (full text); “–”: not among the candidates. "
        "Both are weighed together, paper by paper."
    )


def table(answer: Answer, abstracts: Mapping[str, Abstract]) -> str:
    """The hits as a markdown table."""
    rows = ["| Place | Abstract | By meaning | By words | Use |", "|--:|---|--:|--:|---|"]
    for place, hit in enumerate(answer.hits, 1):
        abstract = abstracts.get(hit.id)
        label = abstract.label if abstract else hit.title or hit.id
        dense, lexical = (str(rank) if rank else "–" for rank in (hit.ranks.dense, hit.ranks.lexical))
        rows.append(f"| {place} | {markdown.line(label)} | {dense} | {lexical} | {became(answer, hit)} |")
    return "\n".join(rows)


def became(answer: Answer, hit: AnswerHit) -> str:
    """What an answer did with a hit, in words."""
    number = next((citation.number for citation in answer.citations if citation.id == hit.id), None)
    if number is not None:
        return f"cited as {number}"
    if hit.id in answer.left_out:
        return "left out: no room"
    return "read, not cited" if hit.sent else "not read: further down"
