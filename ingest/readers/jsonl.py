"""JSON Lines, one object per line; also a JSON list of objects, or one object, over several lines.

Where an object has no abstract, the records are looked for in the objects it wraps (`{"paper": {...}}`,
`{"response": {"docs": [...]}}`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ingest.document import Document
from ingest.fields import has
from ingest.format import Confidence, Format
from ingest.records import RawRecord, Rejected

DEPTH = 3
SPACE = re.compile(r"[\s\ufeff]*")
BETWEEN_VALUES = re.compile(r"[\s,\ufeff]*")


def recognises(document: Document) -> Confidence:
    """Certain when a line is an object or the text opens like a list of objects."""
    text = document.text.lstrip("\ufeff \t\r\n")
    if re.match(r"\[\s*[{\]]", text) or any(is_object(line) for line in text.splitlines()[:20]):
        return Confidence.CERTAIN
    if re.match(r'\{\s*"', text):
        return Confidence.LIKELY
    return Confidence.HINT if document.encoding and document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """The records of every object, in order; a line that is no object is rejected with its number."""
    yield from whole_text(document) if is_one_document(document) else by_line(document)


def is_one_document(document: Document) -> bool:
    """Whether values stretch over lines, so that the text has to be parsed as a whole."""
    text = document.text.lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return True
    spread = document.extension != ".jsonl" and re.match(r'\{\s*"', text) and re.search(r"[\r\n]", text)
    return bool(spread) and not any(is_object(line) for line in text.splitlines()[:20])


def is_object(line: str) -> bool:
    """Whether a line alone is a JSON object."""
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def by_line(document: Document) -> Iterator[RawRecord | Rejected]:
    """One value per line; blank lines are passed over."""
    with document.open() as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip("\ufeff \t\r\n")
            if not text:
                continue
            where = document.source.at(number)
            try:
                value = json.loads(text)
            except (ValueError, RecursionError) as error:
                yield Rejected(where, f"not valid JSON: {explained(error)}")
            else:
                yield from records(value, where)


def whole_text(document: Document) -> Iterator[RawRecord | Rejected]:
    """The values of a list (or one after another), each with the line it begins on, up to the first broken one."""
    with document.open() as stream:
        text = stream.read()
    decoder = json.JSONDecoder()
    start = position = SPACE.match(text).end()  # type: ignore[union-attr] # it matches the empty text too
    in_list = text.startswith("[", start)
    position += in_list
    line, counted = 1, 0
    while True:
        position = BETWEEN_VALUES.match(text, position).end()  # type: ignore[union-attr] # same
        if position >= len(text) or (in_list and text[position] == "]"):
            return
        line, counted = line + text.count("\n", counted, position), position
        where = document.source.at(line)
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            yield Rejected(where, f"not valid JSON: {explained(error)}; what follows was not read")
            return
        yield from records(value, where)


def records(value: Any, where: str) -> Iterator[RawRecord | Rejected]:
    """The records that a value is or holds; a value that is no object is rejected."""
    if not isinstance(value, dict):
        yield Rejected(where, f"not a JSON object but {kind(value)}")
        return
    for fields in papers(value, DEPTH) or [value]:
        yield RawRecord(fields, where)


def papers(value: dict[str, Any], depth: int) -> list[dict[str, Any]]:
    """This object where it has an abstract; else the objects it wraps that have title and abstract; else a titled one.

    Lists inside a titled object are its references and the like, not what it wraps.
    """
    if has("abstract", value):
        return [value]
    titled = has("title", value)
    below = [
        inner
        for item in value.values()
        for inner in ([] if titled and isinstance(item, list) else item if isinstance(item, list) else [item])
        if isinstance(inner, dict)
    ]
    found = [paper for inner in below for paper in papers(inner, depth - 1)] if depth else []
    return [paper for paper in found if has("abstract", paper) and has("title", paper)] or [value][: int(titled)]


def explained(error: Exception) -> str:
    """What is wrong, and where in the line."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} (column {error.colno})"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"


def kind(value: Any) -> str:
    """A JSON type in words."""
    names = {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


FORMAT = Format("JSON Lines", (".jsonl", ".ndjson", ".json"), recognises, read)
