"""What of an abstract to show where there is room for a few lines only: the evidence and what stands around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.text.sentences import split
from rag.types import Span

SHORT = 500
"""Characters of a text that is shown whole."""
LONG = 20_000
"""Characters from which a text is no longer cut by sentences, and never shown whole."""
SURROUNDINGS = 300
"""Characters kept on each side of a piece of evidence in such a text."""


def excerpt(text: str, evidence: Sequence[Span]) -> list[Span]:
    """The parts to show, in order: the sentences of the evidence with one before and after, or the first sentences.

    `evidence` is in order and does not overlap; the parts do neither.
    """
    if len(text) <= SHORT:
        return [Span(0, len(text))]
    return _around(text, evidence) if len(text) > LONG else _sentences(text, evidence)


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order, and joined where they overlap or touch; empty ones are left out."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        elif span.start < span.end:
            joined.append(span)
    return joined


def _sentences(text: str, evidence: Sequence[Span]) -> list[Span]:
    sentences = split(text)
    holding = [n for n, s in enumerate(sentences) if any(e.start < s.end and s.start < e.end for e in evidence)]
    shown = sorted({near for n in holding for near in (n - 1, n, n + 1) if 0 <= near < len(sentences)}) or [0, 1]
    runs: list[Span] = []
    for n in shown[: len(sentences)]:
        if runs and n and runs[-1].end == sentences[n - 1].end:
            runs[-1] = Span(runs[-1].start, sentences[n].end)
        else:
            runs.append(sentences[n])
    return runs


def _around(text: str, evidence: Sequence[Span]) -> list[Span]:
    spans = [Span(max(0, e.start - SURROUNDINGS), min(len(text), e.end + SURROUNDINGS)) for e in evidence]
    return [_whole_words(text, span) for span in merged(spans) or [Span(0, 2 * SURROUNDINGS)]]


def _whole_words(text: str, span: Span) -> Span:
    start, end = span
    limit = SURROUNDINGS // 2
    if start:
        start += next((n for n, sign in enumerate(text[start : start + limit]) if sign.isspace()), 0)
    if end < len(text):
        end -= next((n for n, sign in enumerate(reversed(text[end - limit : end])) if sign.isspace()), 0)
    return Span(start, end)
