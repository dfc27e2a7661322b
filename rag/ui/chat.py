"""The chat: questions in, answers with footnotes out, the cited abstracts below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rag.errors import FootnoteError
from rag.types import Abstract, Answer, Citation, Span
from rag.ui import banners, footnotes, markdown, sources, welcome
from rag.ui.banners import Banner
from rag.ui.conversation import Conversation, Exchange, Reply
from rag.ui.shelf import Shelf, conversations, open_shelf, worker

STYLE = Path(__file__).with_name("style.css")
PATIENCE = 0.4
"""Seconds that drawing waits for a reply before it shows it as running; most quotes are there by then."""
POLL = 0.3
"""Seconds between two looks at a running reply."""
SHOWN = 20
"""Exchanges on the page before earlier ones have to be asked for."""


def page() -> None:
    """Draw the page; everything it shows lives in the conversation, so it can be drawn again at any time."""
    st.html(STYLE)
    head, talk = st.container(key="masthead"), st.container(key="talk")
    conversation = _current()
    shelf = _opened(talk)
    if shelf is not None:
        with st.container(key="ask"):
            asked = _ask(shelf, conversation)
        conversation = asked or conversation
    with head:
        _masthead(conversation)
    with talk:
        if shelf is not None and conversation is None:
            welcome.begin(shelf)
        _conversation(conversation, (shelf and shelf.settings.llm_model) or "")
        if shelf is not None and asked is not None:
            _scroll_to(footnotes.question_anchor(len(asked.exchanges)))


def _opened(talk: DeltaGenerator) -> Shelf | None:
    """The shelf if it can be asked; else None, and why on the page."""
    try:
        shelf = open_shelf()
    except FootnoteError as error:
        with talk:
            welcome.cannot_answer(error)
        return None
    if shelf.abstracts == 0:
        with talk:
            welcome.empty(shelf.settings.home)
        return None
    return shelf


def _current() -> Conversation | None:
    name = st.query_params.get("chat")
    found = conversations().get(name) if name else None
    if name and found is None:
        del st.query_params["chat"]
    return found


def _masthead(conversation: Conversation | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title("Footnote", anchor=False, width="content")
        if conversation is not None and st.button("New conversation", icon=":material/add:", type="tertiary"):
            st.query_params.clear()
            st.rerun()


def _ask(shelf: Shelf, conversation: Conversation | None) -> Conversation | None:
    """Take what was typed or clicked; the conversation it went to, None where nothing was asked."""
    typed = st.chat_input("Ask a question", key="typed")
    question = (typed or st.session_state.pop(welcome.CLICKED, None) or "").strip()
    if not question:
        return None
    if conversation is None:
        conversation = conversations().begin()
        st.query_params["chat"] = conversation.name
    worker().ask(shelf.library, conversation, question).wait(PATIENCE)
    return conversation


def _conversation(conversation: Conversation | None, model: str) -> None:
    exchanges = list(conversation.exchanges) if conversation else []
    hidden = _hidden(len(exchanges))
    for turn, exchange in enumerate(exchanges, 1):
        if turn > hidden:
            with st.container(key=f"turn-{turn}"):
                _exchange(turn, exchange, model)


def _hidden(count: int) -> int:
    """How many exchanges at the beginning are not drawn."""
    shown: int = st.session_state.setdefault("shown", SHOWN)
    if count <= shown:
        return 0
    if st.button(f"Show earlier turns ({count - shown})", type="tertiary", icon=":material/expand_less:"):
        st.session_state["shown"] = count
        return 0
    return count - shown


def _exchange(turn: int, exchange: Exchange, model: str) -> None:
    with st.chat_message("user", avatar=":material/person:"), st.container(key=f"question-{turn}"):
        st.html(_anchor(footnotes.question_anchor(turn)))
        st.markdown(markdown.literal(exchange.question))
    with st.chat_message("assistant", avatar=":material/menu_book:"):
        if exchange.reply.done:
            _reply(turn, exchange.reply)
        else:
            _running(turn, exchange, model)


@st.fragment(run_every=POLL)
def _running(turn: int, exchange: Exchange, model: str) -> None:
    """What has come so far, looked at again and again; the page is drawn anew when the reply is final."""
    reply = exchange.reply
    if reply.done:
        st.rerun()
    with st.container(key=f"body-{turn}"):
        if reply.text:
            st.markdown(footnotes.running_text(reply.text, turn, verbatim=not model))
    st.caption(f"{model} is writing …" if model and reply.text else "Looking through the abstracts …")


def _reply(turn: int, reply: Reply) -> None:
    if reply.error is not None:
        _banner(banners.of_error(reply.error))
    if reply.answer is not None:
        _answer(turn, reply.answer, reply)


def _answer(turn: int, answer: Answer, reply: Reply) -> None:
    st.html(_anchor(footnotes.turn_anchor(turn)))
    banner = banners.banner(answer)
    if banner is not None:
        _banner(banner)
    if answer.answer and not banners.says_it_all(answer):
        with st.container(key=f"body-{turn}"):
            st.markdown(footnotes.text(answer, turn))
    if checked := footnotes.checked(answer):
        st.html(_anchor(footnotes.checks_anchor(turn)))
        st.caption(checked)
    for citation in answer.citations:
        _card(turn, citation, answer, reply)
    if answer.status in ("not_found", "error") and not answer.citations and answer.hits:
        with st.container(key=f"closest-{turn}", gap="xsmall"):
            st.caption("Closest titles on this shelf")
            st.markdown(sources.closest(answer.hits, reply.abstracts))


def _card(turn: int, citation: Citation, answer: Answer, reply: Reply) -> None:
    name = f"{turn}-{citation.number}"
    abstract = reply.abstracts.get(citation.id)
    with st.container(key=f"card-{name}", border=True):
        st.html(_anchor(footnotes.card_anchor(turn, citation.number)))
        label = citation.title or (abstract.label if abstract else citation.id)
        with st.container(key=f"title-{name}"):
            back = f'[{citation.number}](#{footnotes.turn_anchor(turn)} "Back to the answer")'
            st.markdown(f"{back} {sources.heading(citation, label)}")
            st.caption(sources.details(citation, abstract.venue if abstract else None))
        with st.container(key=f"abstract-{name}"):
            if abstract is None:
                st.caption("This abstract is no longer on the shelf.")
            else:
                _abstract(abstract, sources.evidence_spans(answer, abstract))


def _abstract(abstract: Abstract, evidence: Sequence[Span]) -> None:
    st.markdown(sources.parts(abstract, evidence))
    if not sources.is_shown_whole(abstract, evidence):
        with st.expander("Whole abstract"):
            st.markdown(sources.whole(abstract, evidence))


def _banner(banner: Banner) -> None:
    if banner.kind == "error":
        st.error(banner.text, icon=":material/error:")
    else:
        st.warning(banner.text, icon=":material/info:")


def _scroll_to(name: str) -> None:
    """Bring the question just asked to the top of the window; `name` is one of this program's own."""
    script = f"document.getElementById({name!r})?.scrollIntoView({{behavior: 'smooth', block: 'start'}})"
    st.html(f"<script>setTimeout(() => {script}, 100)</script>", unsafe_allow_javascript=True)


def _anchor(name: str) -> str:
    """A place that links lead to; `name` is made of this program's own words and numbers."""
    return f'<span class="footnote-anchor" id="{name}"></span>'
