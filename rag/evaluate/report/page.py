"""A run as one HTML page that needs nothing else: no image, no font, no request to anywhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from rag.errors import InputError
from rag.evaluate.metrics import METRICS
from rag.evaluate.report import curves
from rag.evaluate.report.cards import COLUMNS, Card, card
from rag.evaluate.report.figures import BASELINES, figures
from rag.evaluate.report.wording import SHORT, TILES, cautions, shown
from rag.evaluate.run import Run
from rag.evaluate.summary import ALL, MetricSummary, Summary

HERE = Path(__file__).parent
TEMPLATE, STYLE, SCRIPT = HERE / "report.html.j2", HERE / "report.css", HERE / "report.js"


class Tile(NamedTuple):
    """A number to see first."""

    title: str
    value: str
    interval: str
    beside: str


def write_report(run: Run, path: Path) -> None:
    """Write the page; raises InputError where it cannot be written."""
    from jinja2 import Environment

    # The template is trusted; all that it is given is escaped unless it is Markup made here.
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    stream = template.stream(**context(run))
    stream.enable_buffering(64)
    try:
        with path.open("w", encoding="utf-8", errors="replace") as file:
            file.writelines(stream)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Choose another --out.") from None


def context(run: Run) -> dict[str, Any]:
    """What the template shows."""
    script = SCRIPT.read_text(encoding="utf-8")
    cards = [card(run, case, score, n) for n, (case, score) in enumerate(zip(run.cases, run.scores, strict=True), 1)]
    by_id = {one.id: one for one in cards}
    return {
        "about": run.about,
        "total": len(run.cases),
        "style": Markup(STYLE.read_text(encoding="utf-8")),  # noqa: S704 - our own file
        "script": Markup(script),  # noqa: S704 - our own file
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "cautions": list(cautions(run)),
        "tiles": list(_tiles(run)),
        "figures": list(figures(run)),
        "baselines": {name: BASELINES[name] for name in BASELINES if name in run.baselines},
        "groups": list(run.summary),
        "table": list(_table(run.summary)),
        "worst": [(value, _renumbered(run, by_id[str(case["id"])], len(cards))) for value, case in curves.worst(run)],
        "cards": cards,
        "columns": [(name, "Right" if name == "right" else METRICS[name].title) for name in COLUMNS],
        "types": sorted({one.type for one in cards}),
        "metrics": METRICS,
        "short": SHORT | {"facts": "Facts", "gold_cited": "Cited", "supported": "Supp.", "seconds": "Time"},
        "made": datetime.fromisoformat(run.about.created).strftime("%d %B %Y, %H:%M UTC").lstrip("0"),
        "titles": {name: metric.title for name, metric in METRICS.items()},
        "shown": shown,
    }


def _renumbered(run: Run, one: Card, offset: int) -> Card:
    """The card once more, under anchors of its own."""
    case, score = run.cases[one.number - 1], run.scores[one.number - 1]
    return card(run, case, score, offset + one.number)


def _tiles(run: Run) -> Iterator[Tile]:
    everything = run.summary.get(ALL, {})
    for name in TILES:
        one = everything.get(name)
        if one is not None and one.mean is not None:
            metric = METRICS[name]
            middle = one.median if metric.unit and one.median is not None else one.mean
            title = "Time, median" if metric.unit else SHORT.get(name, metric.title)
            between = "" if metric.unit or one.ci95 is None else f"{one.ci95[0]:.2f} – {one.ci95[1]:.2f}"
            count = f"{one.n} case{'' if one.n == 1 else 's'}"
            yield Tile(
                title, shown(metric, middle), between, count + (f", {one.unscored} unscored" if one.unscored else "")
            )


def _table(summary: Summary) -> Iterator[tuple[str, list[MetricSummary | None]]]:
    """Each metric's name with its summary for every group."""
    names = dict.fromkeys(name for metrics in summary.values() for name in metrics)
    for name in names:
        yield name, [metrics.get(name) for metrics in summary.values()]
