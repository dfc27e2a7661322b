"""JSON read value by value in bounded memory: JSON Lines, a list, values one after another, or one great object.

What stands outermost in a file is a value, the members of an outermost list are values of their own, and so are the
members of lists in an object too large to be held (`Limits`). The standard library's decoder keeps pace with a file of
any size, for it is given a window that grows only while a value does not end in it. Behind a broken member of a list
the next one like the others is looked for; what a broken record holds (references, authors) is not taken for one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.parsing import fields
from ingest.parsing.document import Document
from ingest.parsing.json_window import TOO_LONG, USUAL, Limits, Window
from ingest.records import Rejected

PROBED_LINES = 20
DEPTH = 8


@dataclass(frozen=True, slots=True)
class Value:
    """A value and the line it begins on; `key` is its name in the object that was too large to be held."""

    value: Any
    line: int
    key: str | None = None


def opens_as_json(document: Document) -> bool:
    """Whether the text begins like an object or a list of objects."""
    return document.encoding is not None and bool(
        re.match(r'[\ufeff\s]*(?:\{\s*["}]|\[\s*(?:[{\]]|null))', document.text)
    )


def values(document: Document) -> Iterator[Value | Rejected]:
    """All values in order. A broken line or member of a list is Rejected, and the next one is read."""
    return by_line(document) if is_by_line(document) else by_value(document)


def is_by_line(document: Document) -> bool:
    """Whether one of the first lines is a whole object, or the text is none that stretches over lines."""
    text = document.text.lstrip("\ufeff \t\r\n")
    lines = text.splitlines()[:PROBED_LINES]
    if text.startswith("[") or (lines[:1] and lines[0].rstrip().endswith(("[", "{", ",", ":"))):
        return False
    if not document.complete and len(lines) == 1:
        return False
    return any(map(is_object, lines)) or document.extension == ".jsonl" or not re.match(r"\{\s*\"", text)


def is_object(line: str) -> bool:
    """Whether a line alone is a JSON object."""
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def by_line(document: Document, limits: Limits = USUAL) -> Iterator[Value | Rejected]:
    """One value per line; blank lines are passed over."""
    with document.open() as lines:
        number = 0
        while line := lines.readline(limits.longest):
            number += 1
            text = line.strip("\ufeff \t\r\n")
            if len(line) == limits.longest and not line.endswith("\n"):
                yield Rejected(document.source.at(number), f"a line of more than {limits.longest:,} characters")
                while line and not line.endswith("\n"):
                    line = lines.readline(limits.longest)
            elif text:
                try:
                    yield Value(json.loads(text), number)
                except (ValueError, RecursionError) as error:
                    yield Rejected(document.source.at(number), f"not valid JSON: {explained(error)}")


def by_value(document: Document, limits: Limits = USUAL) -> Iterator[Value | Rejected]:
    """The values of a list, or one after another, up to a broken one behind which no other is found."""
    with document.open() as stream:
        window = Window(stream, limits)
        try:
            for found in _outermost(window):
                yield found if isinstance(found, Value) else _rejected(document, found)
        except NoMoreError:
            return
        except (ValueError, RecursionError) as error:
            yield _rejected(document, Broken(window.line_at(window.at), error, "; what follows was not read"))


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that cannot be decoded, and the line it begins on."""

    line: int
    error: Exception
    then: str = ""


def _rejected(document: Document, broken: Broken) -> Rejected:
    return Rejected(document.source.at(broken.line), f"not valid JSON: {explained(broken.error)}{broken.then}")


def _outermost(window: Window) -> Iterator[Value | Broken]:
    while character := window.peek():
        if character == "[":
            yield from _list(window, 0)
        else:
            yield from _next(window, 0, None)


def _next(window: Window, depth: int, key: str | None) -> Iterator[Value | Broken]:
    """The value at the window's place; or what it holds, where it is too long, or outermost and broken."""
    line = window.line_at(window.at)
    try:
        value = window.decode()
    except (ValueError, RecursionError) as error:
        if depth or window.peek() != "{":
            raise
        yield from _object(window, 0, error)
        return
    if value is TOO_LONG:
        yield from _list(window, depth) if window.peek() == "[" else _object(window, depth)
    else:
        yield Value(value, line, key)


def _object(window: Window, depth: int, error: Exception | None = None) -> Iterator[Value | Broken]:
    """The members of an object's lists, and those objects in it that look like records.

    With `error` the object is broken somewhere: where it is a record itself, that is raised.
    """
    _deeper(depth)
    window.at += 1
    names: list[str] = []
    while (character := window.peek()) != "}":
        if not character:
            raise _ended()
        key = window.key()
        names.append(key)
        if window.peek() == "[":
            if error is not None and fields.known(names) > 1:
                raise error
            yield from _list(window, depth + 1)
            continue
        for found in _next(window, depth + 1, key):
            if isinstance(found, Broken) or found.key is None or found.key != key or is_record(found.value):
                yield found
    window.at += 1


def _list(window: Window, depth: int) -> Iterator[Value | Broken]:
    """What a list holds; behind a broken member it goes on with the next that is like the one before."""
    _deeper(depth)
    window.at += 1
    last: Any = None
    while (character := window.peek()) != "]":
        if not character:
            raise _ended()
        line = window.line_at(window.at)
        try:
            value = window.decode()
        except (ValueError, RecursionError) as error:
            yield Broken(line, error)
            value, line = yield from _next_like(window, last)
        if value is TOO_LONG:
            yield from _list(window, depth + 1) if window.peek() == "[" else _object(window, depth + 1)
        else:
            last = value
            yield Value(value, line)
    window.at += 1


def _next_like(window: Window, last: Any) -> Generator[Broken, None, tuple[Any, int]]:
    """The next object like `last` and its line, behind a broken one; those between that begin like it are told.

    Raises NoMoreError where there is none.
    """
    first, told = window.first_name(), window.line
    while window.seek():
        line, name = window.line_at(window.at), window.first_name()
        try:
            value = window.decode()
        except (ValueError, RecursionError) as error:
            if name == first and line > told:  # on one line it may as well be held by the one before
                yield Broken(line, error)
                told = line
            continue
        if _is_like(value, last):
            return value, line
        window.at -= 1
    raise NoMoreError


def _is_like(value: Any, last: Any) -> bool:
    """Whether an object has half of its names in common with a right one, or is a paper where none came before."""
    if not isinstance(value, dict):
        return False
    if not isinstance(last, dict):
        return is_record(value) and fields.has("abstract", value)
    return 2 * len(value.keys() & last.keys()) >= len(value.keys() | last.keys())


class NoMoreError(Exception):
    """Behind what was told to be broken nothing can be read."""


def _ended() -> json.JSONDecodeError:
    return json.JSONDecodeError("it ends before it is complete", "", 0)


def _deeper(depth: int) -> None:
    if depth > DEPTH:
        raise RecursionError


def is_record(value: Any) -> bool:
    """Whether an object names at least two parts of a paper."""
    return isinstance(value, Mapping) and fields.known(value) > 1


def explained(error: Exception) -> str:
    """What is wrong, and where in the line."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} (column {error.colno})"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"
