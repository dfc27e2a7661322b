"""Which turns of a long conversation are on the page: a browser that is to draw hundreds of them stands still."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from rag.chats.values import Chat
from rag.ui import footnotes

SHOWN = 20
"""Turns on the page; earlier and later ones have to be asked for."""
STAND = "stretch"
"""Where the session keeps the conversation drawn last, its last turn on the page, and the turn to be brought up."""


class Stretch(NamedTuple):
    """Turns `first` to `last` of a conversation, counted from 1; `skipped` come after them."""

    first: int
    last: int
    skipped: int


def current(chat: Chat, *, asked: bool) -> Stretch:
    """The turns to draw: the newest where one was asked or the conversation was opened, else those chosen."""
    name, last, _ = st.session_state.get(STAND, ("", 0, 0))
    if asked or name != chat.id:
        last = 0
        _stand(chat, 0, chat.turns)
    last = min(last or chat.turns, chat.turns)
    return Stretch(max(1, last - SHOWN + 1), last, chat.turns - last)


def earlier(chat: Chat, shown: Stretch) -> None:
    """The way to the turns before, where there are any."""
    count = shown.first - 1
    if count:
        to = (chat, shown.first - 1, shown.first - 1)
        label = f"Earlier turns ({count})"
        st.button(label, key="earlier", type="tertiary", icon=":material/expand_less:", on_click=_stand, args=to)


def later(chat: Chat, shown: Stretch) -> None:
    """The way to the turns after, where there are any."""
    if shown.skipped:
        to = (chat, min(shown.last + SHOWN, chat.turns), shown.last + 1)
        label = f"Later turns ({shown.skipped})"
        st.button(label, key="later", type="tertiary", icon=":material/expand_more:", on_click=_stand, args=to)


def bring_up(*, smoothly: bool) -> None:
    """Scroll to the turn that the reader came for, once."""
    name, last, turn = st.session_state[STAND]
    st.session_state[STAND] = (name, last, 0)
    if turn:
        how = "{behavior: 'smooth'}" if smoothly else "{}"
        place = footnotes.question_anchor(turn)  # a word of this program and a number
        script = f"document.getElementById({place!r})?.scrollIntoView({how})"
        st.html(f"<script>setTimeout(() => {script}, 100)</script>", unsafe_allow_javascript=True)


def _stand(chat: Chat, last: int, turn: int) -> None:
    """Show the turns up to `last` from now on (0: up to the newest), `turn` at the top of the window."""
    st.session_state[STAND] = (chat.id, 0 if last == chat.turns else last, turn)
