"""The evaluation page: runs side by side with their intervals, by type, and the cases that came out worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import streamlit as st

from rag.errors import FootnoteError
from rag.evaluate.metrics import METRICS
from rag.evaluate.run import REPORT, RUN, Run, read_run
from rag.evaluate.summary import ALL, MetricSummary
from rag.ui import banners, footnotes, frame, markdown
from rag.ui.shelf import settings

FOLDER = "evaluations"
WORST = 10
"""Cases that are listed."""
MAIN = ("ndcg@10", "recall@10", "facts", "gold_cited", "citation_precision", "alce_recall", "answered", "refused")


def page() -> None:
    """Draw the page."""
    frame.begin("Evaluation")
    try:
        home = settings().home
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return
    folder = Path(st.text_input("Folder of the runs", str(home / FOLDER), key="runs-folder") or home / FOLDER)
    found = runs_in(folder)
    if not found:
        st.markdown("There is no run here yet. One is made by the command line, and then stands here:")
        st.code(f"python -m rag evaluate CASES.jsonl --out {folder / 'first'}", language="shell", wrap_lines=True)
        return
    chosen = st.multiselect("Runs", [path.name for path in found], [path.name for path in found[:2]], key="runs")
    runs = {name: run for name in chosen if (run := _read(folder / name)) is not None}
    if runs:
        _side_by_side(runs)
        _reports(folder, list(runs))
        _worst(runs)


def runs_in(folder: Path) -> list[Path]:
    """The folders of runs within a folder, the latest first."""
    found = [path.parent for path in sorted(folder.glob(f"*/{RUN}"))] if folder.is_dir() else []
    return sorted(found, key=lambda path: (-(path / RUN).stat().st_mtime, path.name))


def _read(folder: Path) -> Run | None:
    try:
        return read_run(folder)
    except FootnoteError as error:
        frame.notice(banners.of_error(error))
        return None


def _side_by_side(runs: Mapping[str, Run]) -> None:
    groups = list(dict.fromkeys(group for run in runs.values() for group in run.summary))
    group = st.selectbox("Cases", groups, format_func=lambda name: "All" if name == ALL else name, key="group")
    st.markdown("\n".join(table(runs, group or ALL)))
    st.caption("Mean with its 95 % interval over the cases that could be scored; “–”: does not apply.")


def table(runs: Mapping[str, Run], group: str) -> Iterator[str]:
    """Lines of a markdown table: metrics down, runs across."""
    yield "| |" + "".join(f" {markdown.line(name)} |" for name in runs)
    yield "|---|" + "--:|" * len(runs)
    known = dict.fromkeys(name for run in runs.values() for name in run.summary.get(group, {}))
    for name in known:
        label = METRICS[name].title if name in METRICS else name
        cells = [cell(run.summary.get(group, {}).get(name)) for run in runs.values()]
        yield f"| {markdown.line(label)} | " + " | ".join(cells) + " |"


def cell(one: MetricSummary | None) -> str:
    """A mean with its interval and what could not be scored, as markdown."""
    if one is None:
        return "–"
    if one.mean is None:
        return f"not scored ({one.unscored})"
    interval = f" [{one.ci95[0]:.3g}, {one.ci95[1]:.3g}]" if one.ci95 else ""
    unscored = f", {one.unscored} unscored" if one.unscored else ""
    return markdown.line(f"{one.mean:.3f}{interval} (n {one.n}{unscored})")


def _reports(folder: Path, names: Sequence[str]) -> None:
    with st.container(horizontal=True):
        for name in names:
            path = folder / name / REPORT
            if path.is_file():
                st.download_button(
                    f"Report of {name}",
                    path.read_bytes,
                    f"{name}.html",
                    "text/html",
                    on_click="ignore",
                    key=f"report-{name}",
                )


def _worst(runs: Mapping[str, Run]) -> None:
    st.subheader("Worst cases", anchor=False)
    metrics = [name for name in MAIN if any(name in run.summary.get(ALL, {}) for run in runs.values())]
    if not metrics:
        return
    metric = (
        st.selectbox("By", metrics, format_func=lambda name: METRICS[str(name)].title, key="worst-by") or metrics[0]
    )
    name = st.selectbox("In", list(runs), key="worst-in") if len(runs) > 1 else next(iter(runs))
    run = runs[name or next(iter(runs))]
    for place, (identity, value) in enumerate(worst(run, metric), 1):
        answer = run.answers.get(identity, {})
        question = str(answer.get("question") or identity)
        with st.expander(f"{value:.2f} · {markdown.line(question)}"):
            _case(run, identity, answer, place)


def worst(run: Run, metric: str) -> list[tuple[str, float]]:
    """Ids of the cases with the worst values of a metric, and these."""
    better = METRICS[metric].better or 1
    scored = [(score.id, score.values[metric]) for score in run.scores if metric in score.values]
    return sorted(scored, key=lambda pair: (better * pair[1], pair[0]))[:WORST]


def _case(run: Run, identity: str, answer: Mapping[str, object], place: int) -> None:
    from rag.chats.codec import answer_of

    case = next((case for case in run.cases if case.get("id") == identity), {})
    if wanted := case.get("answer"):
        st.markdown(f"**Wanted:** {markdown.line(str(wanted))}")
    if gold := case.get("gold"):
        st.caption("Gold: " + ", ".join(markdown.line(str(name)) for name in gold))
    if not answer:
        st.caption("There is no answer.")
        return
    found = answer_of(answer)
    with st.container(key=f"body-{place}"):
        st.markdown(footnotes.text(found, place) or "–")
    st.caption("Cited: " + (", ".join(f"{c.number} {markdown.line(c.label)}" for c in found.citations) or "nothing"))
