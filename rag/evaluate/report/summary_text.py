"""A run in a few lines of Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rag.errors import InputError
from rag.evaluate.metrics import METRICS, is_judged
from rag.evaluate.report.wording import TILES, cautions, shown
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL, MetricSummary

NAMES = (*TILES[:-1], "answered", "seconds")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~])")


def write_markdown(run: Run, path: Path, fell: Sequence[str] = ()) -> None:
    """Write `as_markdown`; raises InputError where it cannot be written."""
    try:
        path.write_text(as_markdown(run, fell), encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Choose another --out.") from None


def as_markdown(run: Run, fell: Sequence[str] = ()) -> str:
    """A table of the main metrics beside the baselines, what to mind, and what was run. Data cannot become markup."""
    return "\n".join(_lines(run, fell)) + "\n"


def _lines(run: Run, fell: Sequence[str]) -> Iterator[str]:
    everything = run.summary.get(ALL, {})
    columns = {name: one.summary.get(ALL, {}) for name, one in run.baselines.items()}
    yield f"**Evaluation of {len(run.cases)} cases** ({plain(', '.join(run.about.models) or 'quotes alone')})"
    yield ""
    yield "| metric | mean | 95 % interval | n | unscored |" + "".join(f" {plain(name)} |" for name in columns)
    yield "|---|---|---|---|---|" + "---|" * len(columns)
    others = [name for name in everything if is_judged(name)]
    for name in [name for name in (*NAMES, *others) if name in everything]:
        one = everything[name]
        beside = "".join(f" {_mean(name, metrics.get(name))} |" for metrics in columns.values())
        between = f"{_value(name, one.ci95[0])} – {_value(name, one.ci95[1])}" if one.ci95 else "–"
        yield f"| {plain(_title(name))} | {_mean(name, one)} | {between} | {one.n} | {one.unscored or ''} |{beside}"
    yield ""
    for gate in fell:
        yield f"- **{plain(gate)}**"
    for caution in cautions(run):
        yield f"- {plain(caution)}"
    yield f"- index {plain(', '.join(run.about.indexes))}, code {run.about.code}, prompts {run.about.prompts},"
    yield f"  cases {run.about.cases}, judge {plain(run.about.judge)}"


def plain(text: str) -> str:
    """The text as Markdown that shows it letter by letter, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _title(name: str) -> str:
    return METRICS[name].title if name in METRICS else name


def _mean(name: str, one: MetricSummary | None) -> str:
    return _value(name, one.mean if one else None)


def _value(name: str, value: float | None) -> str:
    return shown(METRICS.get(name), value)
