"""Which charts a report shows of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rag.evaluate.metrics import METRICS, Metric
from rag.evaluate.report import charts, curves
from rag.evaluate.report.wording import SHORT
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL, MetricSummary

BY_TYPE = ("ndcg@10", "facts", "alce_recall", "answered")
BASELINES = {"quotes": "quotes, without a model", "copy_top": "the top abstract copied out"}
"""Shown under these names, in this order."""


class Figure(NamedTuple):
    """A chart with its heading and what to know when reading it."""

    title: str
    note: str
    svg: Markup


def figures(run: Run) -> Iterator[Figure]:
    """The charts there is something to draw for, in the order they are shown."""
    everything = run.summary.get(ALL, {})
    if rows := _overview(run, everything):
        note = "Means over cases with 95 % intervals. Baselines cost nothing: a run that costs has to beat them."
        yield Figure("Metrics", note, charts.intervals(rows, "Metrics with intervals, beside the baselines"))
    for name in BY_TYPE:
        if rows := _types(run, name):
            svg = charts.intervals(rows, f"{METRICS[name].title} by type")
            yield Figure(METRICS[name].title, "By type of question, with 95 % intervals.", svg)
    if points := curves.recall_curve(run):
        note = "Share of the gold abstracts among the first k, with its 95 % interval."
        yield Figure("Recall by depth", note, charts.recall(points))
    if thresholds := curves.trade_off(run):
        note = (
            "What refusing below a score of the best hit would do, beside what the run did. The dashed line is chance."
        )
        yield Figure("Refusals", note, charts.refusals(thresholds, _refused(everything)))
    if counts := curves.verdicts(run):
        note = "Sentences of answers that cite something; how many at the right."
        yield Figure("Verdicts", note, charts.verdict_bars(counts))
    if times := curves.latencies(run):
        marks = {"median": _quantile(times, 0.5), "95 %": _quantile(times, 0.95)}
        yield Figure("Time", _stages(everything), charts.latency(curves.histogram(times), marks))


def _refused(everything: Mapping[str, MetricSummary]) -> tuple[float, float] | None:
    """Shares that the run refused wrongly and rightly."""
    wrong, right = (one.mean if (one := everything.get(name)) else None for name in ("false_refusal", "refused"))
    return None if wrong is None or right is None else (wrong, right)


def _overview(run: Run, everything: Mapping[str, MetricSummary]) -> list[charts.Row]:
    rows: list[charts.Row] = []
    heading = ""
    for name, one in everything.items():
        metric = METRICS.get(name) or Metric(name, "judges", name)
        if metric.unit is None and metric.better and one.mean is not None and name not in ("violations", "error"):
            if metric.group != heading:
                heading = metric.group
                rows.append(charts.Row(heading))
            rows.append(charts.Row(SHORT.get(name, metric.title), tuple(_marks(run, name, one))))
    return rows


def _marks(run: Run, name: str, one: MetricSummary) -> Iterator[charts.Mark]:
    yield _mark(0, "this run", one)
    for series, baseline in enumerate(BASELINES, 1):
        beside = run.baselines[baseline].summary.get(ALL, {}).get(name) if baseline in run.baselines else None
        if beside is not None and beside.mean is not None:
            yield _mark(series, BASELINES[baseline], beside)


def _mark(series: int, who: str, one: MetricSummary) -> charts.Mark:
    between = f" ({one.ci95[0]:.3f} to {one.ci95[1]:.3f})" if one.ci95 else ""
    mean = one.mean or 0.0
    return charts.Mark(mean, one.ci95, series, f"{who}: {mean:.3f}{between}, n = {one.n}")


def _types(run: Run, name: str) -> list[charts.Row]:
    known = [(kind, metrics[name]) for kind, metrics in run.summary.items() if name in metrics]
    rows = [charts.Row(f"{kind} ({one.n})", (_mark(0, kind, one),)) for kind, one in known if one.mean is not None]
    apart = {one.mean for _, one in known}
    return rows if len(rows) > 2 and len(apart) > 1 else []


def _quantile(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def _stages(everything: Mapping[str, MetricSummary]) -> str:
    names = {"seconds_retrieve": "finding", "seconds_llm": "the model", "seconds_verify": "checking"}
    known = [(text, everything[name].mean) for name, text in names.items() if name in everything]
    parts = [f"{text} {charts.seconds(mean)}" for text, mean in known if mean is not None]
    return f"Of it on average: {', '.join(parts)}." if parts else "From question to answer."
