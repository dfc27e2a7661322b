"""The chat: questions in, answers with footnotes out, the cited abstracts below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rag.chats import document
from rag.chats.values import Chat, ChatTurn, Wish
from rag.conversations import Conversations
from rag.errors import FootnoteError
from rag.ui import banners, controls, history, markdown, stretch, turns, welcome
from rag.ui.actions import WANTED, Actions, Wanted
from rag.ui.frame import STYLE, notice
from rag.ui.library.charts import CURRENT
from rag.ui.shelf import Shelf, conversations, open_shelf, settings, trouble, worker
from rag.ui.stretch import Stretch

PATIENCE = 0.4
"""Seconds that drawing waits for a reply before it shows it as running; most quotes are there by then."""
WATCH = 3.0
"""Seconds between two looks at whether another tab has changed the conversation."""
ASIDE = "aside"
"""Where the session keeps the turn that last took the place of others."""


def page() -> None:
    """Draw the page; everything it shows lives in the store, so it can be drawn again at any time."""
    st.html(STYLE)
    head, talk = st.container(key="masthead"), st.container(key="talk")
    store = _store(talk)
    chat = _current(store)
    shelf = _opened(talk)
    asked = None
    if shelf is not None and store is not None:
        with st.container(key="ask"):
            asked = _ask(shelf, store, chat)
    name = asked or (chat.id if chat else None)
    chat = store.chat(name) if store is not None and name else None
    with head:
        _masthead(store, chat)
    if store is not None:
        history.sidebar(store, name)
        st.session_state[CURRENT] = name or st.session_state.get(CURRENT)
    with talk:
        if shelf is not None and chat is None:
            welcome.begin(shelf)
        if store is not None and chat is not None:
            _conversation(store, chat, shelf, stretch.current(chat, asked=asked is not None))
            stretch.bring_up(smoothly=asked is not None)


def _store(talk: DeltaGenerator) -> Conversations | None:
    """The conversations; None where there is no shelf yet, or where they cannot be kept, with why on the page."""
    try:
        home = settings().home
    except FootnoteError:
        return None  # what opens the shelf says so
    try:
        return conversations(home)
    except FootnoteError as error:
        with talk:
            notice(banners.of_error(error))
        return None


def _opened(talk: DeltaGenerator) -> Shelf | None:
    """The shelf if it can be asked; else None, and why on the page."""
    home = None
    try:
        home = settings().home
        shelf = open_shelf()
    except FootnoteError as error:
        with talk:
            welcome.cannot_answer(error, home)
        return None
    if shelf.abstracts == 0:
        with talk:
            welcome.empty(shelf.settings.home)
        return None
    return shelf


def _current(store: Conversations | None) -> Chat | None:
    name = st.query_params.get("chat")
    found = store.chat(name) if name and store is not None else None
    if name and found is None:
        del st.query_params["chat"]
    return found


def _masthead(store: Conversations | None, chat: Chat | None) -> None:
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", horizontal_alignment="distribute"):
        st.title("Footnote" if chat is None else markdown.line(chat.title), anchor=False, width="stretch")
        if store is not None and chat is not None:
            _menu(store, chat)


def _menu(store: Conversations, chat: Chat) -> None:
    with st.popover("Conversation", icon=":material/more_horiz:", type="tertiary", key="menu"):
        st.text_input("Title", chat.title, key=f"title-of-{chat.id}", on_change=lambda: _rename(store, chat.id))
        st.download_button(
            "Save as Markdown",
            lambda: document.as_markdown(chat, store.turns(chat.id)),
            f"{chat.id}.md",
            "text/markdown",
            on_click="ignore",
        )
        st.download_button(
            "Save as JSON",
            lambda: document.as_json(chat, store.turns(chat.id)),
            f"{chat.id}.json",
            "application/json",
            on_click="ignore",
        )
        for label, ending in (("Sources as BibTeX", "bib"), ("Sources as RIS", "ris")):
            st.download_button(label, _sources(store, chat, ending), f"{chat.id}.{ending}", on_click="ignore")
        st.button("Delete", key="delete", icon=":material/delete:", on_click=history.delete, args=(store, chat))


def _sources(store: Conversations, chat: Chat, ending: str) -> Callable[[], str]:
    """Writes the abstracts that a conversation cites, once it is asked to."""

    def write() -> str:
        from ingest.writers import written

        return "".join(written(document.cited(store.turns(chat.id)), ending))

    return write


def _rename(store: Conversations, name: str) -> None:
    store.rename(name, st.session_state[f"title-of-{name}"])


def _ask(shelf: Shelf, store: Conversations, chat: Chat | None) -> str | None:
    """Take what was typed or clicked; the conversation it went to, None where nothing was asked."""
    if chat is not None and (problem := trouble(shelf)):
        st.caption(banners.of_trouble(problem).text)
    wish = controls.wish(shelf)
    typed = st.chat_input("Ask a question", key="typed")
    wanted: Wanted | None = st.session_state.pop(WANTED, None)
    if typed and typed.strip():
        wanted = Wanted(typed.strip())
    if wanted is None:
        return None
    name = chat.id if chat is not None else store.begin()
    st.query_params["chat"] = name
    turn = _put(shelf, store, name, wanted, wish)
    worker().wait(turn, PATIENCE)
    return name


def _put(shelf: Shelf, store: Conversations, name: str, wanted: Wanted, wish: Wish) -> int:
    if wanted.instead is None:
        return worker().ask(shelf.library, store, name, wanted.question, wish)
    turn = worker().ask_again(shelf.library, store, wanted.instead, wanted.question, wish)
    st.session_state[ASIDE] = turn
    return turn


def _conversation(store: Conversations, chat: Chat, shelf: Shelf | None, shown: Stretch) -> None:
    stretch.earlier(chat, shown)
    said = store.turns(chat.id, shown.last - shown.first + 1, shown.skipped)
    actions = Actions(store, chat.id, _retracted(shelf, said))
    model = (shelf and shelf.settings.llm_model) or ""
    for place, turn in enumerate(said, shown.first):
        with st.container(key=f"turn-{place}"):
            turns.draw(place, turn, store, actions, model, can_ask=shelf is not None)
            if turn.id == st.session_state.get(ASIDE):
                _bring_back(store, turn.id)
    if said and said[-1].done:
        _watch(store, chat.id, [(turn.id, turn.revision) for turn in said], shown.skipped)
    stretch.later(chat, shown)


def _retracted(shelf: Shelf | None, said: Sequence[ChatTurn]) -> frozenset[str]:
    """Cited papers that are known by now to be retracted, whatever was known when they were cited."""
    cited = [abstract.id for abstract in document.cited(said)]
    known = {abstract.id for abstract in document.cited(said) if abstract.retracted}
    return frozenset(known | (shelf.retracted_among(cited) if shelf is not None else set()))


def _bring_back(store: Conversations, turn: int) -> None:
    count = store.set_aside(turn)
    with st.container(key="aside", horizontal=True, vertical_alignment="center"):
        st.caption(f"{count} earlier turn{'' if count == 1 else 's'} set aside.")
        st.button("Undo", key="undo-aside", type="tertiary", on_click=store.put_back, args=(turn,))


@st.fragment(run_every=WATCH)
def _watch(store: Conversations, chat: str, drawn: list[tuple[int, int]], skipped: int) -> None:
    """Draw the page anew when another tab has asked something in this conversation."""
    if [(turn.id, turn.revision) for turn in store.turns(chat, len(drawn), skipped)] != drawn:
        st.rerun()
