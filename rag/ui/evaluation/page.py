"""Evaluations of the shelf: a new one, those that wait to go on, and the runs there are."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rag.errors import FootnoteError
from rag.evaluate.folders import FOLDER, runs_in
from rag.ui import banners, frame
from rag.ui.evaluation import beginning, beside, worst
from rag.ui.shelf import Shelf, open_shelf, settings

ELSEWHERE = "runs-folder"


def page() -> None:
    """Draw the page."""
    frame.begin("Evaluation")
    try:
        home = settings().home
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    # Relative to the shelf's folder, so that it reads the same on every machine.
    folder = home / (st.session_state.get(ELSEWHERE) or FOLDER)
    found = runs_in(folder)
    shelf = _opened()
    if shelf is not None:
        beginning.draw(shelf, first=not found)
    if found:
        _runs(folder, found)
    else:
        st.caption("No run has been scored here yet. On the command line, this makes one:")
        st.code(f"python -m rag evaluate CASES.jsonl --out {folder / 'first'}", language="shell", wrap_lines=True)
    st.text_input("Folder of the runs", FOLDER, key=ELSEWHERE, help="Within the folder of the shelf, or a whole path.")


def _runs(folder: Path, found: list[Path]) -> None:
    names = [path.name for path in found]
    chosen = st.multiselect("Runs", names, names[:2], key="runs")
    runs = {name: run for name in chosen if (run := beside.read(folder / name)) is not None}
    if runs:
        beside.draw(runs)
        beside.reports(folder, list(runs))
        worst.draw(runs)


def _opened() -> Shelf | None:
    try:
        shelf = open_shelf()
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return None
    if not shelf.abstracts:
        st.caption("The shelf is empty: add files on the page Library, and questions about them can be evaluated.")
        return None
    return shelf
