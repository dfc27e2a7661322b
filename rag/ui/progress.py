"""How many questions are asked at once and how it goes, on every page that asks them in the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from rag.batch import Estimate, Standing
from rag.batch.watch import estimate_text, standing_text
from rag.config import Settings
from rag.ui import markdown
from rag.ui.jobs import Tell
from rag.ui.shelf import jobs

POLL = 0.5


class Spending(NamedTuple):
    """How many questions are asked at once, and how many US dollars they may cost; None: no limit."""

    workers: int = 1
    most: float | None = None


def spending(settings: Settings, prefix: str = "") -> Spending:
    """Fields for it where a model is asked; `prefix` is of their keys."""
    if not settings.llm_model:
        return Spending()
    most = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        workers = int(st.number_input("Questions at once", 1, 64, 4, key=f"{prefix}workers"))
        if settings.price is not None:
            most = st.number_input("Most US dollars", 0.0, value=None, key=f"{prefix}most", placeholder="no limit")
    return Spending(workers, most)


class Telling:
    """A watcher that tells the page."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def estimated(self, estimate: Estimate) -> None:
        """What it may cost."""
        self._tell(estimate_text(estimate), 0, None)

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002 - the protocol's
        """Where it stands."""
        self._tell(standing_text(standing), standing.done, standing.total)


@st.fragment(run_every=POLL)
def running(key: str, before: float = 0.0) -> None:
    """The bar of the job of that key, and the way to pause it; `before`: the share that was done when it began."""
    job = jobs().standing(key)
    if job is None or job.finished:
        st.rerun()
    share = job.done / job.of if job.of else before
    st.progress(min(1.0, share), markdown.line(job.doing) or "Beginning …")
    if jobs().is_stopped(key):
        st.caption("Pausing: what has begun is finished …")
    else:
        st.button("Pause", key="pause", icon=":material/pause:", on_click=jobs().stop, args=(key,))
