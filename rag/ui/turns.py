"""One turn of a conversation: the question, and the answer as far as it has come."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from rag.chats.values import ChatTurn
from rag.conversations import Conversations
from rag.types import Answer
from rag.ui import banners, controls, footnotes, markdown, sources
from rag.ui.actions import Actions
from rag.ui.cards import anchor, card
from rag.ui.frame import notice

POLL = 0.3
"""Seconds between two looks at a running reply."""


def draw(place: int, turn: ChatTurn, store: Conversations, actions: Actions, model: str, *, can_ask: bool) -> None:
    """Draw a turn, the `place`-th of its conversation; `model` writes where it names one."""
    with st.chat_message("user", avatar=":material/person:"), st.container(key=f"question-{place}"):
        st.html(anchor(footnotes.question_anchor(place)))
        st.markdown(markdown.literal(turn.question))
        if wish := controls.described(turn.wish):
            st.caption(wish)
    with st.chat_message("assistant", avatar=":material/menu_book:"):
        if turn.done:
            _reply(place, turn, actions)
            actions.below(turn, can_ask=can_ask)
        else:
            _running(place, turn.id, store, _writer(turn, model))


def _writer(turn: ChatTurn, model: str) -> str:
    return "" if turn.wish.style == "quotes" else turn.wish.model or model


@st.fragment(run_every=POLL)
def _running(place: int, number: int, store: Conversations, model: str) -> None:
    """What has come so far, looked at again and again; the page is drawn anew when the reply is final."""
    turn = store.turn(number)
    if turn is None or turn.done:
        st.rerun()
    with st.container(key=f"body-{place}"):
        if turn.text:
            st.markdown(footnotes.running_text(turn.text, place, verbatim=not model))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_standing(turn, store, model))
        if model and not store.is_stopped(number):
            st.button("Stop", key=f"stop-{number}", icon=":material/stop_circle:", on_click=store.stop, args=(number,))


def _standing(turn: ChatTurn, store: Conversations, model: str) -> str:
    if store.is_stopped(turn.id):
        return "Stopping …"
    if turn.state == "waiting":
        return "Waits for the answer before it …"
    return f"{markdown.line(model)} is writing …" if model and turn.text else "Looking through the abstracts …"


def _reply(place: int, turn: ChatTurn, actions: Actions) -> None:
    if turn.answer is not None:
        _answer(place, turn, turn.answer, actions)
        return
    notice(banners.of_failure(turn.failure) if turn.failure else banners.INTERRUPTED)
    if turn.text:
        with st.container(key=f"body-{place}"):
            st.markdown(footnotes.running_text(turn.text, place, verbatim=False))


def _answer(place: int, turn: ChatTurn, answer: Answer, actions: Actions) -> None:
    st.html(anchor(footnotes.turn_anchor(place)))
    banner = banners.banner(answer)
    if banner is not None:
        notice(banner)
    if answer.answer and not banners.says_it_all(answer):
        with st.container(key=f"body-{place}"):
            st.markdown(footnotes.text(answer, place))
    if checked := footnotes.checked(answer):
        st.html(anchor(footnotes.checks_anchor(place)))
        st.caption(checked)
    judge: Callable[..., None] = actions.of_citation
    for citation in answer.citations:
        card(place, turn, citation, answer, judge)
    if answer.status in ("not_found", "error") and not answer.citations and answer.hits:
        with st.container(key=f"closest-{place}", gap="xsmall"):
            st.caption("Closest titles on this shelf")
            st.markdown(sources.closest(answer.hits, turn.abstracts))
