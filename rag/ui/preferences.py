"""The settings page: what is set, from where, and whether the parts can be reached."""

from __future__ import annotations

import streamlit as st

from rag.config import Settings
from rag.errors import FootnoteError
from rag.origins import Origin, origins
from rag.ui import banners, frame, markdown
from rag.ui.jobs import Tell
from rag.ui.shelf import jobs, settings
from rag.ui.welcome import abroad, mode

TEST = "test connection"
POLL = 0.4


def page() -> None:
    """Draw the page."""
    frame.begin("Settings")
    try:
        current = settings()
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    st.markdown(mode(current))
    abroad(current)
    _connection(current)
    st.markdown(table(origins(current)))
    st.caption(
        "Settings are read from the environment and from `.env`; a change in the environment is seen after the "
        "server has been started anew."
    )


def table(known: list[Origin]) -> str:
    """Every setting with its value and where that comes from, as a markdown table."""
    rows = ["| Setting | Value | From |", "|---|---|---|"]
    rows += [f"| `{one.name}` | {markdown.line(one.value) or '–'} | {one.place} |" for one in known]
    return "\n".join(rows)


def _connection(current: Settings) -> None:
    if current.llm_model and st.button("Test the connection", key="test"):
        jobs().start(TEST, "The test", lambda tell: _test(current, tell))
    if jobs().standing(TEST) is not None:
        _result()


def _test(current: Settings, tell: Tell) -> str | None:
    from rag.llms.probe import probe

    tell("asking", 0, None)
    return probe(current)


@st.fragment(run_every=POLL)
def _result() -> None:
    standing = jobs().standing(TEST)
    if standing is None:
        return
    if not standing.finished:
        st.caption("Asking the model …")
    elif standing.failure is not None:
        frame.notice(banners.of_failure(standing.failure))
    else:
        st.success(markdown.line(standing.result or ""), icon=":material/check:")
