"""The list of conversations beside the page: found again by date or by words, and brought back when deleted."""

from __future__ import annotations

from datetime import date

import streamlit as st

from rag.chats.listing import by_date
from rag.chats.values import Chat
from rag.conversations import Conversations
from rag.ui import markdown, places

DELETED = "deleted"
"""Where the session keeps the conversation deleted last, so that it can be brought back."""
LONGEST = 60
"""Characters of a title in the list."""


def sidebar(store: Conversations, current: str | None) -> None:
    """Draw the list; a click opens a conversation."""
    with st.sidebar, st.container(key="history"):
        st.button("New conversation", key="new", icon=":material/add:", width="stretch", on_click=places.forget)
        search = st.text_input(
            "Search",
            key="search",
            placeholder="Search conversations",
            label_visibility="collapsed",
            icon=":material/search:",
        )
        _undo(store)
        chats = store.chats(search or "")
        if search and not chats:
            st.caption("No conversation holds these words.")
        for name, group in by_date(chats, date.today()):
            st.caption(name)
            for chat in group:
                _entry(chat, is_current=chat.id == current)


def _entry(chat: Chat, *, is_current: bool) -> None:
    title = chat.title if len(chat.title) <= LONGEST else chat.title[: LONGEST - 1] + "…"
    st.button(
        markdown.line(title),
        key=f"open-{'current-' if is_current else ''}{chat.id}",
        type="tertiary",
        width="stretch",
        on_click=open_chat,
        args=(chat.id,),
    )


def open_chat(name: str) -> None:
    """Show a conversation from now on."""
    st.query_params["chat"] = name


def delete(store: Conversations, chat: Chat) -> None:
    """Delete a conversation, with the way back kept in the session."""
    store.delete(chat.id)
    st.session_state[DELETED] = (chat.id, chat.title)
    places.forget()


def _undo(store: Conversations) -> None:
    gone = st.session_state.get(DELETED)
    if gone is not None:
        name, title = gone
        with st.container(key="undo", horizontal=True, vertical_alignment="center"):
            st.caption(f"Deleted: {markdown.line(title[:LONGEST])}")
            st.button("Undo", key="undo-delete", type="tertiary", on_click=_bring_back, args=(store, name))


def _bring_back(store: Conversations, name: str) -> None:
    store.restore(name)
    st.session_state.pop(DELETED, None)
    open_chat(name)
