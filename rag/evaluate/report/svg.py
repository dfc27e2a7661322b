"""Pieces of charts in SVG. Colours are classes, so that one picture serves light, dark and print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

SHAPES = ("circle", "square", "diamond")


class Scale(NamedTuple):
    """Linear, from values `low..high` to coordinates `start..end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The coordinate of a value, inside the range."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + min(1.0, max(0.0, share)) * (self.end - self.start), 1)


def picture(width: float, height: float, label: str, parts: Iterable[Markup]) -> Markup:
    """An image with a description for those who do not see it."""
    return Markup('<svg viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">{}</svg>').format(
        width, height, label, Markup("").join(parts)
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line of a CSS class."""
    return Markup('<line x1="{:g}" y1="{:g}" x2="{:g}" y2="{:g}" class="{}"/>').format(x1, y1, x2, y2, kind)


def text(x: float, y: float, content: object, kind: str = "", anchor: str = "start") -> Markup:
    """Text with its baseline at y."""
    return Markup('<text x="{:g}" y="{:g}" text-anchor="{}" class="{}">{}</text>').format(
        x, y, anchor, kind, escape(content)
    )


def box(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> Markup:
    """A rectangle; `title` is shown under the pointer."""
    return Markup('<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" class="{}">{}</rect>').format(
        x, y, max(0.0, round(width, 1)), round(height, 1), kind, titled(title)
    )


def path(points: Sequence[tuple[float, float]], kind: str) -> Markup:
    """A line through points."""
    return Markup('<path d="{}" class="{}"/>').format("M" + "L".join(f"{x:g} {y:g}" for x, y in points), kind)


def mark(x: float, y: float, shape: str, kind: str, title: str = "", size: float = 5) -> Markup:
    """A point; shapes differ, so that colours need not be told apart."""
    corners: dict[str, list[tuple[float, float]]] = {
        "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "diamond": [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
    }
    if shape == "circle":
        return Markup('<circle cx="{:g}" cy="{:g}" r="{:g}" class="{}">{}</circle>').format(
            x, y, size, kind, titled(title)
        )
    points = " ".join(f"{x + size * dx:g},{y + size * dy:g}" for dx, dy in corners[shape])
    return Markup('<polygon points="{}" class="{}">{}</polygon>').format(points, kind, titled(title))


def titled(content: str) -> Markup:
    """What is shown under the pointer."""
    return Markup("<title>{}</title>").format(content) if content else Markup("")
