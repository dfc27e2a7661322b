"""Semantic Scholar papers: answers of the Graph API (search, bulk search, batch, paper, citations) and its data sets.

Fields: https://api.semanticscholar.org/api-docs/graph and .../datasets. A paper's citations and references are no
records of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.json_papers import Paper, all_named, has_key, named, papers
from ingest.parsing.json_values import opens_as_json
from ingest.records import RawRecord, Rejected

MARKS = ("paperId", "corpusid", "corpusId")


def recognises(document: Document) -> Confidence:
    """Certain when the JSON names its papers' ids."""
    found = opens_as_json(document) and any(has_key(document, mark) for mark in MARKS)
    return Confidence.CERTAIN if found else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each paper; an id that was not found is null and rejected."""
    return papers(document, is_paper, paper)


def is_paper(value: Paper) -> bool:
    """Whether an object is a paper."""
    return any(mark in value for mark in MARKS)


def paper(value: Paper) -> dict[str, Any]:
    """The parts of a paper; the data sets of abstracts have neither title nor authors."""
    ids = value.get("externalIds") or value.get("externalids") or named(value, "openaccessinfo", "externalids")
    names = {name.casefold(): each for name, each in ids.items()} if isinstance(ids, dict) else {}
    return {
        "key": value.get("paperId") or value.get("corpusid") or value.get("corpusId"),
        "title": value.get("title"),
        "abstract": value.get("abstract"),
        "authors": all_named(value.get("authors"), "name"),
        "year": value.get("year") or value.get("publicationDate") or value.get("publicationdate"),
        "venue": value.get("venue") or named(value, "publicationVenue", "name") or named(value, "journal", "name"),
        "doi": names.get("doi"),
        "arxiv": names.get("arxiv"),
        "pmid": names.get("pubmed"),
        "url": value.get("url"),
        "keywords": value.get("fieldsOfStudy") or all_named(value.get("s2fieldsofstudy"), "category"),
    }


FORMAT = Format("Semantic Scholar", (), recognises, read)
