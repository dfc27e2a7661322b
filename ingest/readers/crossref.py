"""Crossref works: an answer of the REST API, one work, or a file of the public data; abstracts are JATS.

Fields: https://github.com/CrossRef/rest-api-doc/blob/master/api_format.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.jats_text import abstract_of
from ingest.parsing.json_papers import Paper, has_key, named, objects, papers
from ingest.parsing.json_values import opens_as_json
from ingest.records import RawRecord, Rejected

DATES = ("published", "published-print", "published-online", "issued", "posted", "created")
RETRACTIONS = frozenset({"retraction", "removal", "withdrawal", "partial_retraction"})


def recognises(document: Document) -> Confidence:
    """Certain when the JSON says it is Crossref's, or names what only its works have."""
    if not opens_as_json(document):
        return Confidence.NO
    sure = has_key(document, "message-type", "message") or (
        has_key(document, "DOI")
        and any(has_key(document, key) for key in ("container-title", "is-referenced-by-count"))
    )
    return Confidence.CERTAIN if sure else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each work."""
    return papers(document, is_work, work)


def is_work(value: Paper) -> bool:
    """Whether an object is a work: a list of references has DOIs too, but no types."""
    return "DOI" in value and ("title" in value or "type" in value or "abstract" in value)


def work(value: Paper) -> dict[str, Any]:
    """The parts of a work; a subtitle stands behind the title's colon."""
    title, subtitle = line_of(value.get("title")), line_of(value.get("subtitle"))
    return {
        "title": f"{title}: {subtitle}" if title and subtitle and subtitle not in title else title,
        "abstract": abstract_of(value.get("abstract")),
        "authors": [author(each) for each in objects(value.get("author"))],
        "year": next(filter(None, (year(value.get(date)) for date in DATES)), None),
        "venue": line_of(value.get("container-title")) or named(value, "event", "name") or None,
        "doi": value.get("DOI"),
        "url": value.get("URL"),
        "keywords": value.get("subject"),
        "language": value.get("language"),
        "retracted": retraction(value),
    }


def line_of(value: Any) -> str:
    """The first of a list of texts, or the text; CSL has the one, the REST API the other."""
    first = next((each for each in value if each), "") if isinstance(value, list) else value
    return first if isinstance(first, str) else ""


def author(value: Paper) -> str:
    """A person or an organisation."""
    parts = (value.get("given"), value.get("family"), value.get("suffix"))
    return " ".join(part for part in parts if isinstance(part, str)) or str(value.get("name") or "")


def year(value: Any) -> Any:
    """The first of a date's parts."""
    parts = named(value, "date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    return first[0] if isinstance(first, list) and first else None


def retraction(value: Paper) -> str | None:
    """The notice that retracts this work, from `updated-by`; what this work retracts stands in `update-to`."""
    for update in objects(value.get("updated-by")):
        if str(update.get("type")) in RETRACTIONS:
            return f"{update.get('label') or 'Retraction'}: {update.get('DOI') or 'no notice named'}"
    title = line_of(value.get("title")).lstrip("[ ").casefold()
    return "retracted" if title.startswith(("retracted:", "retracted article", "retracted]", "withdrawn:")) else None


FORMAT = Format("Crossref", (), recognises, read)
