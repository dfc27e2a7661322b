"""Abstract -> passages: what gets a vector of its own."""

from __future__ import annotations

from rag.sentences import split
from rag.types import Abstract, Passage

WINDOW = 3
"""Sentences in a window. Abstracts put results last, where a vector of the whole, cut at 256 tokens, misses them."""
STRIDE = 2
SCHEME = "whole+window3/2"
"""Names the way of cutting, as a part of the index's identity."""


def passages(abstract: Abstract) -> list[Passage]:
    """The whole abstract (number 0), then overlapping windows; offsets are code points of the clean text."""
    whole = Passage(abstract.id, 0, 0, len(abstract.text))
    spans = split(abstract.text)
    if len(spans) <= WINDOW:
        return [whole]
    starts = [*range(0, len(spans) - WINDOW, STRIDE), len(spans) - WINDOW]
    cuts = [(spans[i].start, spans[i + WINDOW - 1].end) for i in starts]
    return [whole, *(Passage(abstract.id, n, start, end) for n, (start, end) in enumerate(cuts, 1))]
