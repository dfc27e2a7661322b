"""JSON Lines, one object per line; also a JSON list of objects, or one object, over several lines.

Where an object has no abstract, the records are looked for in the objects it wraps (`{"paper": {...}}`,
`{"response": {"docs": [...]}}`) or holds under their keys (`{"21645374": {...}}`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.fields import has, known, plain
from ingest.parsing.format import Confidence, Format
from ingest.parsing.frames import rows_of
from ingest.parsing.json_papers import kind, no_paper, numbered
from ingest.parsing.json_values import is_object, opens_as_json, values
from ingest.records import RawRecord, Rejected

DEPTH = 4
ABSTRACTS = frozenset({"abstract", "abstractnote", "abstracttext", "paperabstract"})
"""Names under which nothing but an abstract stands."""


def recognises(document: Document) -> Confidence:
    """Likely when a line is an object or the text opens like an object or a list of objects."""
    if document.tags or document.encoding is None:
        return Confidence.NO
    if opens_as_json(document) or any(map(is_object, document.text.splitlines()[:20])):
        return Confidence.LIKELY
    return Confidence.HINT if document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """The records of every object, in order; a value that is no object is rejected with its line."""
    for found in values(document):
        if isinstance(found, Rejected):
            yield found
        elif found.key is None:
            yield from records(found.value, document.source.at(found.line))
        elif isinstance(found.value, dict):
            yield RawRecord(keyed(found.key, found.value), document.source.at(found.line))


def records(value: Any, where: str) -> Iterator[RawRecord | Rejected]:
    """The records that a value is or holds; a value that is no object is rejected."""
    if not isinstance(value, dict):
        yield Rejected(where, f"not a JSON object but {kind(value)}")
        return
    table = rows_of(value)
    found = papers(value, DEPTH) if table is None else table
    if not found and not known(value):
        yield no_paper(value, where)
        return
    for number, fields in enumerate(found or [value], 1):
        yield RawRecord(fields, where if len(found) < 2 else numbered(where, number))


def papers(value: dict[str, Any], depth: int) -> list[dict[str, Any]]:
    """This object where it has an abstract; else the papers it wraps; else itself where it is titled.

    Lists inside a titled object are its references and the like, not what it wraps.
    """
    if has("abstract", value):
        return [value]
    titled = has("title", value)
    found = (
        []
        if not depth
        else [
            paper
            for name, item in value.items()
            for inner in ([] if titled and isinstance(item, list) else item if isinstance(item, list) else [item])
            if isinstance(inner, dict)
            for paper in papers(inner if isinstance(item, list) else keyed(name, inner), depth - 1)
        ]
    )
    return [paper for paper in found if is_paper(paper)] or [value][: int(titled)]


def is_paper(fields: Mapping[str, Any]) -> bool:
    """Whether an object that is held by another is a paper: it has a title, or what can only be an abstract."""
    return has("title", fields) or not ABSTRACTS.isdisjoint(map(plain, fields))


def keyed(key: str, fields: dict[str, Any]) -> dict[str, Any]:
    """An object with the name it has in the one that holds it as its key, where that is an identifier."""
    return fields if has("key", fields) or not any(map(str.isdigit, key)) else {"key": key, **fields}


FORMAT = Format("JSON Lines", (".jsonl", ".ndjson", ".json"), recognises, read)
