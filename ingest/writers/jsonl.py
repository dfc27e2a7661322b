"""JSON Lines: one object a line."""

from __future__ import annotations

import json

from ingest.readers.jsonl import FORMAT
from ingest.writers import Writer
from ingest.writers.parts import identifier, key
from rag.types import Abstract


def write(abstract: Abstract, exact: dict[str, object]) -> str:
    """The parts that are there under their usual names; `footnote` names the id as well."""
    fields = {
        "title": abstract.title,
        "abstract": abstract.text,
        "authors": [{"name": name} for name in abstract.authors],
        "year": abstract.year,
        "venue": abstract.venue,
        "doi": identifier(abstract, "doi"),
        "arxiv": identifier(abstract, "arxiv"),
        "pmid": identifier(abstract, "pmid"),
        "url": abstract.url,
        "keywords": [{"name": term} for term in abstract.keywords],
        "language": abstract.language,
        "retracted": abstract.retracted,
        "key": key(abstract),
    }
    present = {name: value for name, value in fields.items() if value not in (None, [])}
    return (
        json.dumps({**present, "footnote": {"id": abstract.id, **exact}}, ensure_ascii=not _storable(abstract)) + "\n"
    )


def _storable(abstract: Abstract) -> bool:
    """Whether all characters can be written as they are: no controls, no halves of pairs."""
    return all(text.isprintable() for text in (abstract.text, abstract.title or "", abstract.raw))


WRITER = Writer(write, FORMAT)
