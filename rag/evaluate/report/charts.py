"""The report's charts, each a picture made of plain values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rag.display import VERDICTS
from rag.evaluate.report.curves import Bars, Point, TradeOff
from rag.evaluate.report.svg import SHAPES, Scale, box, line, mark, path, picture, text

WIDTH = 420
_ROW = 26
_FOOT = 26
_LETTER = 7.2
"""Width of a letter at the charts' font size, for room left to labels."""


class Mark(NamedTuple):
    """A value on a row, with its interval; `series` numbers shape and colour."""

    value: float
    ci95: tuple[float, float] | None
    series: int
    title: str


class Row(NamedTuple):
    """A labelled row of marks; one without marks is a heading."""

    label: str
    marks: tuple[Mark, ...] = ()


def intervals(rows: Sequence[Row], label: str) -> Markup:
    """Values from 0 to 1 with whiskers, one row each: a forest plot."""
    left = 24 + _LETTER * max(len(row.label) for row in rows)
    scale = Scale(0, 1, left, WIDTH - 46)
    height = _ROW * len(rows) + _FOOT

    def parts() -> Iterator[Markup]:
        yield from _grid(scale, 4, height - _FOOT)
        for n, row in enumerate(rows):
            y = n * _ROW + _ROW / 2 + 4
            yield text(0, y + 4, row.label, "label" if row.marks else "heading")
            for one in reversed(row.marks):
                yield from _whisker(one, scale, y)
            if row.marks:
                yield text(WIDTH, y + 4, f"{row.marks[0].value:.2f}", "number", "end")

    return picture(WIDTH, height, label, parts())


def _whisker(one: Mark, scale: Scale, y: float) -> Iterator[Markup]:
    kind = f"s{one.series}"
    if one.ci95 and one.series == 0:
        yield line(scale(one.ci95[0]), y, scale(one.ci95[1]), y, f"whisker {kind}")
        for end in one.ci95:
            yield line(scale(end), y - 4, scale(end), y + 4, f"whisker {kind}")
    shape = SHAPES[one.series]
    # Baselines hang below the line, where they can be seen when they are equal to the run.
    yield mark(
        scale(one.value), y + 8 * (one.series > 0), shape, f"dot {kind}", one.title, 5 if one.series == 0 else 3.2
    )


def _grid(scale: Scale, top: float, bottom: float) -> Iterator[Markup]:
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield line(scale(share), top, scale(share), bottom, "grid")
        yield text(scale(share), bottom + 17, f"{share:g}", "tick", "middle")


def recall(points: Sequence[Point]) -> Markup:
    """Recall at k with its band."""
    height, xs = 260, Scale(1, 10, 44, WIDTH - 40)
    ys = Scale(0, 1, height - 44, 24)

    def parts() -> Iterator[Markup]:
        yield from _levels(ys, 44, WIDTH - 40)
        band = [(xs(p.x), ys(p.ci95[1])) for p in points if p.ci95]
        band += [(xs(p.x), ys(p.ci95[0])) for p in reversed(points) if p.ci95]
        if band:
            yield path(band, "band s0")
        yield path([(xs(p.x), ys(p.y)) for p in points], "curve s0")
        for p in points:
            yield mark(xs(p.x), ys(p.y), "circle", "dot s0", f"recall@{p.x:g} {_with_interval(p.y, p.ci95)}", 3.5)
            yield text(xs(p.x), height - 26, f"{p.x:g}", "tick", "middle")
        for p in (points[0], points[-1]):
            yield text(xs(p.x) + 7, ys(p.y) - 9 if p is points[-1] else ys(p.y) + 16, f"{p.y:.2f}", "number")
        yield text((44 + WIDTH - 40) / 2, height - 6, "first k abstracts of the ranking", "axis", "middle")

    return picture(WIDTH, height, "Recall of the gold abstracts by depth of the ranking", parts())


def refusals(points: Sequence[TradeOff], actual: tuple[float, float] | None) -> Markup:
    """The trade-off of a threshold on the best hit's score, and what the run did."""
    height = 310
    xs, ys = Scale(0, 1, 44, WIDTH - 24), Scale(0, 1, height - 44, 32)

    def parts() -> Iterator[Markup]:
        yield from _levels(ys, 44, WIDTH - 24)
        yield text(0, 12, "unanswerable, refused rightly", "axis")
        for share in (0, 0.25, 0.5, 0.75, 1):
            yield text(xs(share), height - 26, f"{share:g}", "tick", "middle")
        yield line(xs(0), ys(0), xs(1), ys(1), "chance")
        yield path([(xs(p.x), ys(p.y)) for p in points], "curve s1")
        for p in _spread(points):
            yield mark(xs(p.x), ys(p.y), "square", "dot s1", _says(p), 3.5)
            aside, anchor = (8, "start") if p.x < 0.7 else (-8, "end")
            yield text(xs(p.x) + aside, ys(p.y) + 14, f"score < {p.threshold:.2f}", "tick", anchor)
        if actual:
            said = f"this run: {actual[1]:.0%} refused rightly, {actual[0]:.0%} wrongly"
            yield mark(xs(actual[0]), ys(actual[1]), "circle", "dot s0", said, 7)
            aside, anchor = (12, "start") if actual[0] < 0.6 else (-12, "end")
            yield text(xs(actual[0]) + aside, ys(actual[1]) - 8, "this run", "number", anchor)
        yield text((44 + WIDTH - 24) / 2, height - 6, "answerable, refused wrongly", "axis", "middle")

    return picture(WIDTH, height, "Right against wrong refusals by threshold on the best score", parts())


def _spread(points: Sequence[TradeOff]) -> list[TradeOff]:
    """The points nearest to 25, 50, 75 and 95 % of right refusals, apart from each other."""
    chosen: dict[float, TradeOff] = {}
    for share in (0.25, 0.5, 0.75, 0.95):
        near = next((p for p in points if p.y >= share), None)
        if near is not None and all(abs(near.y - other.y) > 0.1 for other in chosen.values()):
            chosen[share] = near
    return list(chosen.values())


def _says(point: TradeOff) -> str:
    return f"below {point.threshold:.3f}: {point.y:.0%} refused rightly, {point.x:.0%} wrongly"


def _levels(ys: Scale, left: float, right: float) -> Iterator[Markup]:
    for share in (0, 0.25, 0.5, 0.75, 1):
        yield line(left, ys(share), right, ys(share), "grid")
        yield text(left - 8, ys(share) + 4, f"{share:g}", "tick", "end")


def verdict_bars(counts: Mapping[str, Mapping[str, int]]) -> Markup:
    """Shares of the verdicts, a bar a type; each share that has room for it says its number."""
    left = 16 + _LETTER * max(len(kind) for kind in counts)
    scale = Scale(0, 1, left, WIDTH - 50)
    height = (_ROW + 4) * len(counts) + _FOOT

    def parts() -> Iterator[Markup]:
        for n, (kind, some) in enumerate(counts.items()):
            y, done, total = n * (_ROW + 4) + 4, 0, sum(some.values())
            yield text(0, y + 16, kind, "label")
            for verdict in VERDICTS:
                count = some.get(verdict, 0)
                start, end = scale(done / total), scale((done + count) / total)
                if count:
                    yield box(start, y, end - start - 1, _ROW - 4, f"v-{verdict}")
                    yield box(start, y, end - start - 1, _ROW - 4, f"h-{verdict}", f"{count} {verdict} of {total}")
                    if end - start > 30:
                        yield text((start + end) / 2, y + 16, f"{count / total:.0%}", f"on-{verdict}", "middle")
                done += count
            yield text(WIDTH, y + 16, total, "number", "end")
        for share in (0, 0.5, 1):
            yield text(scale(share), height - 6, f"{share:.0%}", "tick", "middle")

    return picture(WIDTH, height, "Verdicts of the sentences by type", parts())


def latency(bars: Bars, marks: Mapping[str, float]) -> Markup:
    """How long answers took, on a logarithmic axis; `marks` are named times."""
    height, most = 230, max(bars.counts)
    place = Scale(math.log(bars.edges[0]), math.log(bars.edges[-1]), 14, WIDTH - 14)
    ys = Scale(0, most, height - 44, 34)

    def parts() -> Iterator[Markup]:
        yield line(14, height - 44, WIDTH - 14, height - 44, "grid")
        for n, count in enumerate(bars.counts):
            left, right = place(math.log(bars.edges[n])), place(math.log(bars.edges[n + 1]))
            says = f"{count} answers: {seconds(bars.edges[n])} to {seconds(bars.edges[n + 1])}"
            yield box(left, ys(count), right - left - 1.5, height - 44 - ys(count), "bar s0", says)
        for n, (name, value) in enumerate(marks.items()):
            x, y = place(math.log(max(value, bars.edges[0]))), 14 + 15 * n
            anchor, aside = ("start", 5) if x < WIDTH * 0.7 else ("end", -5)
            yield line(x, y - 8, x, height - 44, "marker")
            yield text(x + aside, y + 3, f"{name} {seconds(value)}", "number", anchor)
        for value in _round_times(bars.edges[0], bars.edges[-1]):
            yield text(place(math.log(value)), height - 26, seconds(value), "tick", "middle")
        yield text(WIDTH / 2, height - 6, "time for an answer, logarithmic", "axis", "middle")

    return picture(WIDTH, height, "Distribution of the time an answer took", parts())


def _round_times(low: float, high: float) -> list[float]:
    """1, 3 and their tenfolds within the range; fewer where they would be many."""
    steps = [base * 10.0**n for n in range(-3, 5) for base in (1, 3)]
    inside = [step for step in steps if low * 1.05 <= step <= high / 1.05]
    return inside if len(inside) <= 7 else inside[::2]


def seconds(value: float) -> str:
    """A time for people: milliseconds below a second."""
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def _with_interval(value: float, ci95: tuple[float, float] | None) -> str:
    return f"{value:.3f}" + (f" ({ci95[0]:.3f} to {ci95[1]:.3f})" if ci95 else "")
