"""One run of questions: what it would cost, how it goes, what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from rag import runs
from rag.batch import Estimate, Limits, Outcome
from rag.batch.watch import estimate_text
from rag.chats.codec import answer_of
from rag.errors import FootnoteError
from rag.runs import QuestionRun
from rag.ui import banners, frame, markdown, places, progress, reply
from rag.ui.frame import count
from rag.ui.jobs import Tell
from rag.ui.shelf import Shelf, jobs

PAGE = 10
FORMATS = {
    "CSV": "csv",
    "Excel": "xlsx",
    "Markdown": "md",
    "Web page": "html",
}


def draw(shelf: Shelf, name: str) -> None:
    """The run of that name."""
    st.button(
        "All files", key="back", icon=":material/arrow_back:", type="tertiary", on_click=places.forget, args=("run",)
    )
    try:
        run = runs.read(shelf.settings.home, name)
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    if run is None:
        st.caption("There is no such file of questions on this shelf.")
        return
    st.subheader(markdown.line(run.file.name), anchor=False)
    key = f"questions {run.out.resolve()}"
    job = jobs().standing(key)
    if job is not None and not job.finished:
        progress.running(key, run.answered / len(run.questions))
        return
    st.markdown(_standing(run))
    _controls(shelf, run, key)
    if job is not None:
        _ended(key, job.result, None if job.failure is None else banners.of_failure(job.failure))
    if run.answered:
        _downloads(run)
        _answers(run)


def _standing(run: QuestionRun) -> str:
    parts = [f"{run.answered:,} of {count(len(run.questions), 'question')} answered"]
    for status, words in (("not_found", "not found"), ("error", "errors")):
        if run.statuses[status]:
            parts.append(f"{run.statuses[status]:,} {words}")
    return " · ".join(parts)


def _controls(shelf: Shelf, run: QuestionRun, key: str) -> None:
    spending = progress.spending(shelf.settings)
    with st.container(horizontal=True):
        if run.answered < len(run.questions) or run.statuses["error"]:
            label = "Continue" if run.answered else "Run"
            st.button(label, key="start", type="primary", on_click=_start, args=(shelf, run, key, spending))
        if shelf.settings.llm_model:
            st.button("Estimate", key="estimate", on_click=_estimate, args=(shelf, run, key))


def _estimate(shelf: Shelf, run: QuestionRun, key: str) -> None:
    from rag.batch import estimate_of

    library = shelf.library
    jobs().start(key, "The estimate", lambda _: estimate_of(library, run.questions, run.out))


def _start(shelf: Shelf, run: QuestionRun, key: str, spending: progress.Spending) -> None:
    from rag.batch import run as run_batch

    library = shelf.library.apart()

    def work(tell: Tell) -> Outcome:
        return run_batch(
            library,
            run.questions,
            run.out,
            workers=spending.workers,
            retry_errors=True,
            mix=True,
            limits=Limits(max_cost=spending.most),
            watcher=progress.Telling(tell),
            pausing=lambda: jobs().is_stopped(key),
        )

    jobs().start(key, "The run", work)


def _ended(key: str, result: Any, failure: banners.Banner | None) -> None:
    if failure is not None:
        frame.notice(failure)
    elif isinstance(result, Estimate):
        st.info(markdown.line(estimate_text(result)), icon=":material/calculate:")
    elif isinstance(result, Outcome):
        left = f" {result.left:,} were not asked: {result.stopped}." if result.left else ""
        st.success(markdown.line(f"{result.asked:,} answered now.{left}"), icon=":material/check:")
    st.button("Close", key="close", type="tertiary", on_click=jobs().forget, args=(key,))


def _downloads(run: QuestionRun) -> None:
    with st.container(key="downloads", horizontal=True):
        st.download_button(
            "JSON Lines", run.out.read_bytes, f"{run.name}.jsonl", "application/jsonl", on_click="ignore"
        )
        for label, ending in FORMATS.items():
            st.download_button(label, _exported(run, ending), f"{run.name}.{ending}", on_click="ignore")


def _exported(run: QuestionRun, ending: str) -> Callable[[], bytes]:
    def export() -> bytes:
        from rag.export import export as write

        path: Path = write(run.out, ending, None, [question.id for question in run.questions]).path
        return path.read_bytes()

    return export


def _answers(run: QuestionRun) -> None:
    pages = (run.answered - 1) // PAGE + 1
    first = 0
    if pages > 1:
        first = (int(st.number_input(f"Page of {pages:,}", 1, pages, 1, key="answers-page")) - 1) * PAGE
    for place, answer in enumerate(map(answer_of, runs.answers(run, first, PAGE)), first + 1):
        with st.expander(f"{place}\\. {markdown.line(answer.question)}"):
            reply.draw(answer, place)
