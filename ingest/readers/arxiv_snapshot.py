"""The arXiv snapshot that Kaggle keeps: JSON Lines, one paper a line, in arXiv's own fields.

Fields: https://www.kaggle.com/datasets/Cornell-University/arxiv
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.json_papers import Paper, has_key, papers
from ingest.parsing.json_values import opens_as_json
from ingest.records import RawRecord, Rejected

WITHDRAWN = re.compile(r"\b(?:withdrawn|retracted)\b", re.IGNORECASE)
FIRST_YEAR = 1991


def recognises(document: Document) -> Confidence:
    """Certain when the JSON has the names that only this snapshot has."""
    sure = opens_as_json(document) and has_key(document, "categories") and has_key(document, "abstract")
    marks = ("authors_parsed", "update_date", "report-no", "journal-ref")
    return Confidence.CERTAIN if sure and any(has_key(document, mark) for mark in marks) else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each paper."""
    return papers(document, is_paper, paper)


def is_paper(value: Paper) -> bool:
    """Whether an object is a paper."""
    return "abstract" in value and "id" in value


def paper(value: Paper) -> dict[str, Any]:
    """The parts of a paper; the year is that of its first version."""
    comments = value.get("comments")
    return {
        "arxiv": value.get("id"),
        "title": value.get("title"),
        "abstract": value.get("abstract"),
        "authors": authors(value),
        "year": first_version(value),
        "venue": value.get("journal-ref"),
        "doi": value.get("doi"),
        "keywords": str(value.get("categories") or "").split(),
        "retracted": comments if isinstance(comments, str) and WITHDRAWN.search(comments) else None,
    }


def authors(value: Paper) -> Any:
    """Names from the parsed list (family, given, suffix), else the text."""
    parsed = value.get("authors_parsed")
    if not isinstance(parsed, list) or not parsed:
        return value.get("authors")
    people = [[str(part) for part in each[:3]] + [""] * 3 for each in parsed if isinstance(each, list)]
    return [" ".join(filter(None, (given, family, suffix))) for family, given, suffix, *_ in people]


def first_version(value: Paper) -> Any:
    """When the first version was sent; else the year its number begins with; else the last change."""
    versions = value.get("versions")
    first = versions[0] if isinstance(versions, list) and versions else None
    if isinstance(first, dict) and first.get("created"):
        return first["created"]
    digits = re.search(r"(?:^|/)(\d\d)\d\d", str(value.get("id")))
    if digits is None:
        return value.get("update_date")
    year = int(digits[1])
    return 2000 + year if 2000 + year < FIRST_YEAR + 100 else 1900 + year


FORMAT = Format("arXiv snapshot", (), recognises, read)
