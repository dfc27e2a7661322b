"""OpenAlex works: a search's answer, one work, or the snapshot's JSON Lines.

Fields: https://developers.openalex.org/api-entities/works. The abstract is an inverted index, word -> positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.json_papers import Paper, all_named, has_key, named, papers
from ingest.parsing.json_values import opens_as_json
from ingest.records import RawRecord, Rejected

HOME = "https://openalex.org/W"
WORDS = 20_000
"""Positions in an abstract; a greater one is damage."""


def recognises(document: Document) -> Confidence:
    """Certain when the JSON names works of openalex.org and what only a work has."""
    if not opens_as_json(document) or not has_key(document, "id"):
        return Confidence.NO
    marks = ("abstract_inverted_index", "authorships", "referenced_works", "publication_year", "display_name")
    sure = HOME in document.text and any(has_key(document, mark) for mark in marks)
    return Confidence.CERTAIN if sure or has_key(document, "abstract_inverted_index") else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each work."""
    return papers(document, is_work, work)


def is_work(value: Paper) -> bool:
    """Whether an object is a work."""
    identity = value.get("id")
    return (isinstance(identity, str) and "openalex.org/W" in identity) or "abstract_inverted_index" in value


def work(value: Paper) -> dict[str, Any]:
    """The parts of a work."""
    ids = value.get("ids")
    authors = all_named(value.get("authorships"), "author", "display_name")
    return {
        "key": value.get("id"),
        "title": value.get("title") or value.get("display_name"),
        "abstract": text_of_index(value.get("abstract_inverted_index")) or value.get("abstract"),
        "authors": authors or all_named(value.get("authorships"), "raw_author_name"),
        "year": value.get("publication_year") or value.get("publication_date"),
        "venue": named(value, "primary_location", "source", "display_name")
        or named(value, "host_venue", "display_name")
        or named(value, "primary_location", "raw_source_name"),
        "doi": value.get("doi") or named(ids, "doi"),
        "pmid": str(named(ids, "pmid") or "").rpartition("/")[2],
        "url": [each for each in (named(value, "primary_location", "landing_page_url"), value.get("doi")) if each],
        "keywords": all_named(value.get("keywords"), "display_name")
        or all_named(value.get("keywords"), "keyword")
        or all_named(value.get("concepts"), "display_name"),
        "language": value.get("language"),
        "retracted": value.get("is_retracted"),
    }


def text_of_index(index: Any) -> str | None:
    """The words of an inverted index in their order; None where it holds none."""
    if not isinstance(index, dict):
        return None
    words = [
        (position, word)
        for word, positions in index.items()
        if isinstance(positions, list)
        for position in positions
        if isinstance(position, int) and 0 <= position < WORDS
    ]
    return " ".join(word for _, word in sorted(words, key=lambda each: each[0])) or None


FORMAT = Format("OpenAlex", (), recognises, read)
