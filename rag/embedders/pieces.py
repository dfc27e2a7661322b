"""One text in as few passes through a model as its length allows, its spans' token ranges known."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embedders.runtime import Piece, Segment
from rag.embedding import Vectors
from rag.types import Span

PLAIN_TOKENS = 254
"""Tokens of a pass, without the marks that begin and end it."""


@dataclass(frozen=True, slots=True)
class Part:
    """The tokens of one pass; `spans` are ranges within them, numbered as the text's spans are."""

    ids: Sequence[int]
    spans: Sequence[tuple[int, Segment]]


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text's passes. `count` is the number of its spans."""

    parts: Sequence[Part]
    count: int

    def framed(self, first: int, last: int) -> Iterator[Piece]:
        """The passes as the model takes them: marks around the tokens; the whole pass is the first segment."""
        for part in self.parts:
            segments = [(start + 1, end + 1) for _, (start, end) in part.spans]
            yield Piece([first, *part.ids, last], [(0, len(part.ids) + 2), *segments])

    def joined(self, means: Sequence[Vectors]) -> Vectors:
        """Rows of the whole text and of each span, from each pass's rows, weighted by their tokens.

        A span without tokens of its own gets the whole text's row.
        """
        rows = np.zeros((self.count + 1, means[0].shape[1]), np.float64)
        for part, some in zip(self.parts, means, strict=True):
            rows[0] += some[0] * (len(part.ids) + 2)
            for (number, (start, end)), mean in zip(part.spans, some[1:], strict=True):
                rows[number + 1] += mean * (end - start)
        rows[~rows.any(axis=1)] = rows[0]
        return rows.astype(np.float32)


def cut(ids: Sequence[int], offsets: Sequence[tuple[int, int]], spans: Sequence[Span]) -> Pieces:
    """Passes of at most PLAIN_TOKENS, broken where a span begins; a span longer than that is broken too.

    `offsets` are the tokens' ranges of code points, `spans` do not overlap and stand in order.
    """
    starts = [start for start, _ in offsets]
    ranges = [(bisect_left(starts, span.start), bisect_left(starts, span.end)) for span in spans]
    parts: list[Part] = []
    begin = 0
    while begin < len(ids) or not parts:
        end = min(len(ids), begin + PLAIN_TOKENS)
        if end < len(ids):
            end = max((first for first, _ in ranges if begin < first <= end), default=end)
        inside = [
            (number, (max(first, begin) - begin, min(last, end) - begin))
            for number, (first, last) in enumerate(ranges)
            if max(first, begin) < min(last, end)
        ]
        parts.append(Part(ids[begin:end], inside))
        begin = max(end, begin + 1)
    return Pieces(parts, len(spans))
