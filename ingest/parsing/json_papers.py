"""The papers in the JSON that services answer with: found in what they are wrapped in, told from error answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.fields import has
from ingest.parsing.json_values import values
from ingest.records import RawRecord, Rejected

DEPTH = 4
"""Objects and lists around a paper."""
ERRORS = frozenset(
    {"error", "errors", "message", "detail", "fault", "code", "status", "statuscode", "timestamp", "path"}
)
TOLD_BY = ("error", "message", "detail", "errors", "fault", "title")
SHOWN = 200

Paper = dict[str, Any]


def papers(
    document: Document, is_paper: Callable[[Paper], bool], parts: Callable[[Paper], Mapping[str, Any]]
) -> Iterator[RawRecord | Rejected]:
    """A record of the `parts` of each object that `is_paper`; what is within a paper is none of its own.

    An object that is none of the service's papers but names an abstract is a record as it stands.
    """
    for found in values(document):
        if isinstance(found, Rejected):
            yield found
            continue
        where = document.source.at(found.line)
        inner = list(within(found.value, is_paper, DEPTH))
        for number, paper in enumerate(inner, 1):
            yield RawRecord(parts(paper), where if len(inner) == 1 else numbered(where, number))
        if not inner and found.key is None:
            own = isinstance(found.value, dict) and has("abstract", found.value) and not error_told(found.value)
            yield RawRecord(found.value, where) if own else no_paper(found.value, where)


def numbered(where: str, number: int) -> str:
    """The place of one of several records that begin on one line."""
    return f"{where} (record {number})"


def within(value: Any, is_paper: Callable[[Paper], bool], depth: int) -> Iterator[Paper]:
    """The papers that a value is or wraps."""
    if isinstance(value, dict):
        if is_paper(value):
            yield value
            return
        value = list(value.values())
    if isinstance(value, list) and depth:
        for inner in value:
            yield from within(inner, is_paper, depth - 1)


def no_paper(value: Any, where: str) -> Rejected:
    """Why a value holds no paper."""
    if not isinstance(value, dict):
        return Rejected(where, f"not a JSON object but {kind(value)}")
    error = error_told(value)
    if error:
        return Rejected(where, f"is an error answer, not papers: {error}", records=0)
    if any(item == [] for inner in (value, *value.values()) if isinstance(inner, dict) for item in inner.values()):
        return Rejected(where, "is an answer without papers", records=0)
    return Rejected(where, f"no paper in it; its names are {', '.join(map(str, list(value)[:8])) or 'none'}")


def error_told(value: Mapping[str, Any]) -> str | None:
    """The message of an object that says nothing but that something failed."""
    names = {"".join(filter(str.isalnum, name)).casefold(): name for name in value}
    told = next((value[names[each]] for each in TOLD_BY if names.get(each) and value[names[each]]), None)
    if told is None or not ERRORS.issuperset(names) or names.keys() <= {"title", "code", "status", "path"}:
        return None
    return " ".join(str(told).split())[:SHOWN]


def kind(value: Any) -> str:
    """A JSON type in words."""
    names = {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def named(value: Any, *path: str) -> Any:
    """The value behind names in nested objects; None where one is missing or is no object."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def all_named(values_: Any, *path: str) -> list[Any]:
    """What `named` finds in each member of a list, but None; an empty list for what is no list."""
    found = [named(each, *path) for each in values_] if isinstance(values_, list) else []
    return [each for each in found if each is not None]


def objects(value: Any) -> list[Paper]:
    """The objects in a list; none for what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def has_key(document: Document, *names: str) -> bool:
    """Whether each of these names stands before a colon somewhere in the head."""
    head = document.text
    return all(f'"{name}":' in head or f'"{name}" :' in head for name in names)
