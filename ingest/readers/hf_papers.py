"""Hugging Face papers: the daily papers and the answers of a search, a list of {"paper": {...}}.

Fields: https://huggingface.co/spaces/huggingface/openapi. `ai_summary` is not the abstract; `summary` is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.json_papers import Paper, all_named, has_key, papers
from ingest.parsing.json_values import opens_as_json
from ingest.records import RawRecord, Rejected


def recognises(document: Document) -> Confidence:
    """Certain when the JSON has the names that only these papers have."""
    if not opens_as_json(document) or not has_key(document, "summary", "title", "id"):
        return Confidence.NO
    marks = ("submittedOnDailyAt", "ai_summary", "upvotes", "isAuthorParticipating", "submittedBy")
    return Confidence.CERTAIN if any(has_key(document, mark) for mark in marks) else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each paper."""
    return papers(document, is_paper, paper)


def is_paper(value: Paper) -> bool:
    """Whether an object is a paper itself and not what wraps one."""
    return not isinstance(value.get("paper"), dict) and "id" in value and ("summary" in value or "title" in value)


def paper(value: Paper) -> dict[str, Any]:
    """The parts of a paper; its id is arXiv's."""
    return {
        "arxiv": value.get("id"),
        "title": value.get("title"),
        "abstract": value.get("summary"),
        "authors": all_named(value.get("authors"), "name"),
        "year": value.get("publishedAt"),
        "keywords": value.get("ai_keywords"),
    }


FORMAT = Format("Hugging Face papers", (), recognises, read)
