"""What a reader can do with an answer: judge it, copy it, ask again, see why these sources."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from rag.chats import document, feedback
from rag.chats.values import ChatTurn, Opinion
from rag.conversations import Conversations
from rag.types import Citation
from rag.ui import why

WANTED = "wanted"
"""Where the session keeps what is to be asked when the page is drawn next."""


_TO_CLIPBOARD = """
<p id="copied" role="status">Not copied yet: use the button at the right of the text.</p>
<script>
(function copy(looks) {
  const shown = document.querySelector(".st-key-copied code"), said = document.getElementById("copied")
  if (!shown || !said) return looks && setTimeout(copy, 50, looks - 1)
  navigator.clipboard?.writeText(shown.textContent).then(() => { said.textContent = "Copied." }, () => {})
})(40)
</script>
"""
"""Copies what the page shows, so that no text from data stands in a script; browsers allow it soon after a click."""


class Wanted(NamedTuple):
    """A question to ask; `instead` is the turn whose place it takes."""

    question: str
    instead: ChatTurn | None = None


class Actions:
    """The buttons below the answers of one conversation, with what was said of them before."""

    def __init__(self, store: Conversations, chat: str, retracted: frozenset[str] = frozenset()) -> None:
        self._store = store
        self._said = feedback.opinions(store.database, chat)
        self._retracted = retracted

    def below(self, turn: ChatTurn, *, can_ask: bool) -> None:
        """The row of buttons of a turn that is done; with `can_ask` also those that ask."""
        with st.container(key=f"actions-{turn.id}", horizontal=True, vertical_alignment="center", gap="xsmall"):
            if turn.answer is not None:
                self._thumbs(turn)
                if st.button("Copy", key=f"copy-{turn.id}", type="tertiary", icon=":material/content_copy:"):
                    _copy(turn)
                if turn.answer.hits and st.button(
                    "Why these sources", key=f"why-{turn.id}", type="tertiary", icon=":material/manage_search:"
                ):
                    why.panel(turn)
            if can_ask:
                self._asking(turn)
        if turn.answer is not None:
            self._comment(turn)

    def _asking(self, turn: ChatTurn) -> None:
        again = Wanted(turn.question, turn)
        st.button(
            "Ask again",
            key=f"again-{turn.id}",
            type="tertiary",
            icon=":material/refresh:",
            on_click=want,
            args=(again,),
        )
        if st.button("Edit", key=f"edit-{turn.id}", type="tertiary", icon=":material/edit:"):
            _edit(turn)

    def _thumbs(self, turn: ChatTurn) -> None:
        said = self._said.get((turn.id, None))
        default = None if said is None or said.good is None else int(said.good)
        key = f"thumbs-{turn.id}"
        st.session_state.setdefault(key, default)
        st.feedback("thumbs", key=key, on_change=self._judge, args=(turn,))

    def _judge(self, turn: ChatTurn) -> None:
        thumbs = st.session_state[f"thumbs-{turn.id}"]
        said = self._said.get((turn.id, None))
        comment = said.comment if said else ""
        feedback.say(self._store.database, Opinion(turn.id, None, None if thumbs is None else bool(thumbs), comment))

    def _comment(self, turn: ChatTurn) -> None:
        said = self._said.get((turn.id, None))
        if said is None:
            return
        key = f"comment-{turn.id}"
        st.session_state.setdefault(key, said.comment)
        st.text_input(
            "Comment",
            key=key,
            placeholder="What was good?" if said.good else "What was wrong or missing?",
            label_visibility="collapsed",
            on_change=self._keep_comment,
            args=(said,),
        )

    def _keep_comment(self, said: Opinion) -> None:
        comment = st.session_state[f"comment-{said.turn}"]
        feedback.say(self._store.database, Opinion(said.turn, None, said.good, comment))

    def of_citation(self, turn: ChatTurn, citation: Citation) -> None:
        """That a source was retracted; and the button that says that it does not belong here, or takes that back."""
        if citation.id in self._retracted:
            st.error(
                "**Retracted.** This paper has been withdrawn since or before it was cited.", icon=":material/error:"
            )
        said = self._said.get((turn.id, citation.id))
        opinion = Opinion(turn.id, citation.id, None if said else False)
        st.button(
            "Marked as a wrong source. Undo" if said else "Wrong source?",
            key=f"wrong-{turn.id}-{citation.number}",
            type="tertiary",
            icon=":material/flag:",
            on_click=feedback.say,
            args=(self._store.database, opinion),
        )


def want(wanted: Wanted) -> None:
    """Have a question asked when the page is drawn next."""
    st.session_state[WANTED] = wanted


@st.dialog("Copy with references", width="medium")
def _copy(turn: ChatTurn) -> None:
    if turn.answer is not None:
        with st.container(key="copied"):
            st.code(document.with_references(turn.answer), language=None, wrap_lines=True)
        st.html(_TO_CLIPBOARD, unsafe_allow_javascript=True)


@st.dialog("Edit the question", width="medium")
def _edit(turn: ChatTurn) -> None:
    question = st.text_area("Question", turn.question, key=f"edited-{turn.id}")
    st.caption("This turn and those after it are set aside; you can bring them back.")
    if st.button("Ask", type="primary", key=f"ask-edited-{turn.id}") and question.strip():
        want(Wanted(question.strip(), turn))
        st.rerun()
