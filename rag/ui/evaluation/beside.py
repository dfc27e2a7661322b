"""Runs side by side, with their intervals; of two on the same cases, how far they are apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import streamlit as st

from rag.errors import FootnoteError, InputError
from rag.evaluate.compare import Comparison, compare
from rag.evaluate.display import problems_of
from rag.evaluate.metrics import METRICS
from rag.evaluate.run import REPORT, RUN, Run, read_run
from rag.evaluate.significance import Difference
from rag.evaluate.summary import ALL, MetricSummary
from rag.ui import banners, frame, markdown


def read(folder: Path) -> Run | None:
    """The run in a folder; None where it cannot be read, which is said."""
    try:
        return _read(folder, (folder / RUN).stat().st_mtime_ns)
    except (FootnoteError, OSError) as error:
        known = error if isinstance(error, FootnoteError) else InputError(f"{folder} cannot be read.", "Look again.")
        frame.notice(banners.of_error(known))
        return None


@st.cache_resource(show_spinner=False, max_entries=8)
def _read(folder: Path, changed: int) -> Run:  # noqa: ARG001 - a run that was made anew is another
    return read_run(folder)


def draw(runs: Mapping[str, Run]) -> None:
    """The table, and what of the runs cannot stand as it is."""
    groups = list(dict.fromkeys(group for run in runs.values() for group in run.summary))
    group = st.selectbox("Cases", groups, format_func=lambda name: "All" if name == ALL else name, key="group") or ALL
    apart = _compared(runs) if group == ALL else None
    with st.container(key="beside"):
        st.markdown("\n".join(table(runs, group, apart)))
    said = "Mean with its 95 % interval over the cases that could be scored; “–”: does not apply."
    if apart is not None:
        said += " Difference: the second run less the first, with its interval and p by a randomisation test."
    st.caption(said)
    for name, run in runs.items():
        for problem in problems_of(run):
            st.caption(f"**{markdown.line(name)}:** {markdown.line(problem)}")


def _compared(runs: Mapping[str, Run]) -> Comparison | None:
    """What the second of two runs changes; None for other numbers of runs, and where their cases differ."""
    if len(runs) != 2:
        return None
    first, second = runs.values()
    try:
        return _comparison(first, second)
    except InputError as error:
        st.caption(markdown.line(error.message))
        return None


@st.cache_resource(show_spinner="Comparing …", max_entries=4, hash_funcs={Run: id})
def _comparison(first: Run, second: Run) -> Comparison:
    return compare(first, second)


def table(runs: Mapping[str, Run], group: str, apart: Comparison | None = None) -> Iterator[str]:
    """Lines of a markdown table: metrics down, runs across, and at the end how far two of them are apart."""
    last = " Difference |" if apart is not None else ""
    yield "| |" + "".join(f" {markdown.line(name)} |" for name in runs) + last
    yield "|---|" + "--:|" * (len(runs) + bool(last))
    known = dict.fromkeys(name for run in runs.values() for name in run.summary.get(group, {}))
    for name in known:
        label = METRICS[name].title if name in METRICS else name
        cells = [cell(run.summary.get(group, {}).get(name)) for run in runs.values()]
        if apart is not None:
            cells.append(difference(apart.metrics[name].difference if name in apart.metrics else None))
        yield f"| {markdown.line(label)} | " + " | ".join(cells) + " |"


def cell(one: MetricSummary | None) -> str:
    """A mean with its interval and what could not be scored, as markdown."""
    if one is None:
        return "–"
    if one.mean is None:
        return f"not scored ({one.unscored})"
    interval = f" [{one.ci95[0]:.3g}, {one.ci95[1]:.3g}]" if one.ci95 else ""
    unscored = f", {one.unscored} unscored" if one.unscored else ""
    return markdown.line(f"{one.mean:.3f}{interval} (n {one.n}{unscored})").replace("(n ", "(n\u00a0")


def difference(one: Difference | None) -> str:
    """How far two runs are apart, as markdown."""
    if one is None:
        return "–"
    if not one.mean and one.ci95 == (0, 0):
        return "the same"
    interval = f" [{one.ci95[0]:+.3g}, {one.ci95[1]:+.3g}]" if one.ci95 else ""
    chance = "" if one.p is None else ", p < 0.001" if one.p < 0.001 else f", p {one.p:.2g}"
    return markdown.line(f"{one.mean:+.3f}{interval}{chance}")


def reports(folder: Path, names: Sequence[str]) -> None:
    """The runs' own pages, to download."""
    with st.container(horizontal=True):
        for name in names:
            path = folder / name / REPORT
            if path.is_file():
                label = f"Report of {markdown.line(name)}"
                st.download_button(
                    label, path.read_bytes, f"{name}.html", "text/html", on_click="ignore", key=f"report-{name}"
                )
