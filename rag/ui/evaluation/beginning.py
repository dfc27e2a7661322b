"""A new evaluation, and how it goes: answered and scored in a thread of its own, whatever becomes of the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

import streamlit as st

from rag.batch import Limits
from rag.chats import feedback
from rag.errors import FootnoteError
from rag.evaluate import folders
from rag.evaluate.case import Case
from rag.evaluate.evaluation import How, answer_cases, evaluate
from rag.evaluate.faults import CasesError
from rag.evaluate.report import write_reports
from rag.evaluate.run import write_run
from rag.library import Library
from rag.ui import banners, frame, jobs, markdown, progress
from rag.ui.examples import CASES
from rag.ui.progress import Spending, Telling
from rag.ui.shelf import Shelf, conversations, worker
from rag.ui.shelf import jobs as known_jobs

FAULTS = 5
"""Faults of a file of cases that are listed."""
OWN, SAMPLE, SAID = "My own file", "The sample's questions", "What was said of answers here"
FAILED = "evaluation-failed"


class File(NamedTuple):
    """A file of cases."""

    name: str
    content: bytes


def draw(shelf: Shelf, *, first: bool) -> None:
    """What runs, or the fields for a new one; `first`: there is none yet, so the fields stand open."""
    key = f"evaluation {shelf.settings.home.resolve()}"
    job = known_jobs().standing(key)
    if job is not None and not job.finished:
        st.markdown(f"**{markdown.line(job.name)}**")
        progress.running(key)
        return
    if job is not None:
        _ended(key, job)
    for folder in folders.unfinished(shelf.settings.home / folders.FOLDER):
        with st.container(key=f"waiting-{folder.name}", horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{markdown.line(folder.name)}** is not finished.")
            st.button("Continue", key=f"continue-{folder.name}", on_click=_continue, args=(shelf, key, folder))
    with st.expander("New evaluation", expanded=first):
        _fields(shelf, key)
    _failure()


def _fields(shelf: Shelf, key: str) -> None:
    file = _chosen(shelf)
    wished = PurePath(file.name).stem if file else ""
    home = shelf.settings.home
    # A key of its own for each file, so that its name is the default.
    name = st.text_input("Name", folders.free_name(home, wished) if file else "", key=f"evaluation-name-{wished}")
    spending = progress.spending(shelf.settings, "evaluation-")
    missing = st.checkbox("Gold that is not on this shelf counts as not found", key="evaluation-missing")
    wish = _Wish(spending, missing)
    st.button(
        "Evaluate",
        key="evaluate",
        type="primary",
        disabled=file is None,
        on_click=_begin,
        args=(shelf, key, " ".join((name or "").split()), file, wish),
    )


class _Wish(NamedTuple):
    spending: Spending
    missing: bool = True


def _chosen(shelf: Shelf) -> File | None:
    """The file of cases that was chosen; None while there is none."""
    store = conversations(shelf.settings.home)
    said = list(feedback.cases(store)) if store is not None else []
    kinds = [OWN, *([SAMPLE] if CASES.is_file() else []), *([SAID] if said else [])]
    kind = st.radio("Cases", kinds, horizontal=True, key="evaluation-cases")
    if kind == SAMPLE:
        return File(CASES.name, CASES.read_bytes())
    if kind == SAID:
        return File("feedback.jsonl", "".join(f"{json.dumps(case)}\n" for case in said).encode())
    dropped = st.file_uploader(
        "Drop a file of cases here",
        type=[ending.removeprefix(".") for ending in folders.KINDS],
        help="A question a line, with what is known of its answer: gold, answer, facts, quote.",
        key="evaluation-file",
    )
    return None if dropped is None else File(dropped.name, dropped.getvalue())


def _begin(shelf: Shelf, key: str, name: str, file: File, wish: _Wish) -> None:
    library = shelf.library
    try:
        folder = worker().read(lambda: folders.keep(library, name, file.name, file.content, keep_missing=wish.missing))
    except FootnoteError as error:
        st.session_state[FAILED] = error
    else:
        _start(shelf, key, folder, wish)


def _continue(shelf: Shelf, key: str, folder: Path) -> None:
    _start(shelf, key, folder, _Wish(Spending(4 if shelf.settings.llm_model else 1)))


def _start(shelf: Shelf, key: str, folder: Path, wish: _Wish) -> None:
    library, every = shelf.library.apart(), known_jobs()

    def work(tell: jobs.Tell) -> str:
        how = How(
            workers=wish.spending.workers,
            retry_errors=True,
            limits=Limits(max_cost=wish.spending.most),
            watcher=Telling(tell),
            pausing=lambda: every.is_stopped(key),
        )
        return _carried_out(library, folders.given_cases(library, folder, keep_missing=wish.missing), folder, how, tell)

    every.start(key, folder.name, work)


def _carried_out(library: Library, cases: Sequence[Case], folder: Path, how: How, tell: jobs.Tell) -> str:
    """What came of it, in one line; it is scored once every case was asked."""
    answers, outcome = answer_cases(library, cases, folder, how)
    if outcome.left:
        return f"{outcome.left:,} of {frame.count(len(cases), 'case')} were not asked: {outcome.stopped}."
    tell("Scoring; the baselines are answered meanwhile", len(cases), len(cases))
    run = evaluate(library, cases, answers, folder, how)
    write_run(run, folder)
    write_reports(run, folder)
    return f"{frame.count(len(cases), 'case')} answered and scored."


def _ended(key: str, job: jobs.Standing) -> None:
    if job.failure is not None:
        frame.notice(banners.of_failure(job.failure))
    else:
        st.success(f"**{markdown.line(job.name)}:** {markdown.line(job.result)}", icon=":material/check:")
    st.button("Close", key="close", type="tertiary", on_click=known_jobs().forget, args=(key,))


def _failure() -> None:
    error = st.session_state.pop(FAILED, None)
    if isinstance(error, CasesError):
        more = len(error.faults) - FAULTS
        rows = [f"- **{markdown.line(PurePath(one.where).name)}:** {markdown.line(one.what)}" for one in error.faults]
        fix = "Mend the lines, or count what is missing as not found."
        said = "\n".join([*rows[:FAULTS], *([f"- and {more:,} more"] if more > 0 else [])])
        st.error(
            f"**Nothing was asked: not every line is a case of this shelf.** {fix}\n\n{said}", icon=":material/error:"
        )
    elif error is not None:
        frame.notice(banners.of_error(error))
