"""Abstract -> passages: what gets a vector of its own in the vector store."""

from __future__ import annotations

from rag.text.sentences import split
from rag.types import Abstract, Passage, Span

SCHEME = "whole+sentences"
"""Names the way of cutting, as a part of the index's identity."""


def passages(abstract: Abstract) -> list[Passage]:
    """The whole abstract (number 0), then each of its sentences where it has several.

    Offsets are code points of the clean text.
    """
    spans = split(abstract.text)
    whole = Passage(abstract.id, 0, 0, len(abstract.text))
    return [whole, *(Passage(abstract.id, n, *span) for n, span in enumerate(spans, 1))] if len(spans) > 1 else [whole]


def titled(abstract: Abstract) -> tuple[str, int]:
    """The text as it is embedded, its title in front, and where in it the abstract begins."""
    lead = f"{abstract.title.rstrip('. ')}. " if abstract.title else ""
    return lead + abstract.text, len(lead)


def shifted(passage: Passage, by: int) -> Span:
    """A passage's range in the text as it is embedded."""
    return Span(passage.start + by, passage.end + by)
