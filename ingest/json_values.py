"""JSON read value by value in bounded memory: JSON Lines, a list, values one after another, or one great object.

What stands outermost in a file is a value, the members of an outermost list are values of their own, and so are the
members of lists in an object too large to be held (`Limits`). The standard library's decoder keeps pace with a file of
any size, for it is given a window that grows only while a value does not end in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TextIO

from ingest import fields
from ingest.document import Document
from ingest.records import Rejected

TOKEN = 64
"""Characters from the end of a window within which an error may be the cut."""
PROBED_LINES = 20
DEPTH = 8
BETWEEN = re.compile(r"[\s,\ufeff]*")
COLON = re.compile(r"\s*:\s*")
TOO_LONG: Final = object()


@dataclass(frozen=True, slots=True)
class Limits:
    """Characters read at a time, and of a value that is decoded as a whole."""

    window: int = 1 << 20
    longest: int = 1 << 24


USUAL = Limits()


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
    """All values in order. A broken line is Rejected and the next is read; a broken list or object ends the file."""
    return by_line(document) if is_by_line(document) else by_value(document)


def is_by_line(document: Document) -> bool:
    """Whether one of the first lines is a whole object, or the text is none that stretches over lines."""
    text = document.text.lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return False
    lines = text.splitlines()[:PROBED_LINES]
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
    """The values of a list, or one after another, up to the first broken one."""
    with document.open() as stream:
        window = _Window(stream, limits)
        try:
            yield from _outermost(window)
        except (ValueError, RecursionError) as error:
            line = window.line_at(window.at)
            yield Rejected(document.source.at(line), f"not valid JSON: {explained(error)}; what follows was not read")


def _outermost(window: _Window) -> Iterator[Value]:
    while character := window.peek():
        if character == "[":
            yield from _entered(window, 0)
        else:
            yield from _next(window, 0, None)


def _next(window: _Window, depth: int, key: str | None) -> Iterator[Value]:
    """The value at the window's place, or what it holds where it is too long."""
    line = window.line_at(window.at)
    value = window.decode()
    if value is TOO_LONG:
        yield from _entered(window, depth)
    else:
        yield Value(value, line, key)


def _entered(window: _Window, depth: int) -> Iterator[Value]:
    """What a list holds; of an object, its lists' members and those objects in it that look like records."""
    if depth > DEPTH:
        raise RecursionError
    closing = "]" if window.peek() == "[" else "}"
    window.at += 1
    while (character := window.peek()) != closing:
        if not character:
            raise json.JSONDecodeError("it ends before it is complete", "", 0)
        key = window.key() if closing == "}" else None
        if key is not None and window.peek() == "[":
            yield from _entered(window, depth + 1)
            continue
        for found in _next(window, depth + 1, key):
            if found.key is None or found.key != key or is_record(found.value):
                yield found
    window.at += 1


def is_record(value: Any) -> bool:
    """Whether an object names at least two parts of a paper."""
    return isinstance(value, Mapping) and fields.known(value) > 1


class _Window:
    """The part of a text that is being decoded; `at` is the place in it."""

    def __init__(self, stream: TextIO, limits: Limits) -> None:
        self.stream = stream
        self.limits = limits
        self.text = stream.read(limits.window)
        self.at = 0
        self.line = 1
        self.counted = 0
        self.ended = len(self.text) < limits.window
        self.decoder = json.JSONDecoder()

    def line_at(self, at: int) -> int:
        """The 1-based number of the line at a place not before the last one asked for."""
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        return self.line

    def grow(self) -> bool:
        """Read on, and forget what is behind `at`; False at the text's end."""
        self.line_at(self.at)
        more = "" if self.ended else self.stream.read(max(self.limits.window, len(self.text) - self.at))
        self.ended = not more
        self.text = self.text[self.at :] + more
        self.at = self.counted = 0
        return bool(more)

    def peek(self) -> str:
        """The next character that is no space or comma, which `at` then points to; empty at the end."""
        while True:
            self.at = BETWEEN.match(self.text, self.at).end()  # type: ignore[union-attr] # it matches the empty text too
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.grow():
                return ""

    def decode(self) -> Any:
        """The value at `at`, which then points behind it; TOO_LONG for an object or list longer than limits.longest."""
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                if end < len(self.text) or self.ended or isinstance(value, dict | list | str):
                    self.at = end
                    return value
            except json.JSONDecodeError as error:
                if self.ended or not self._may_go_on(error):
                    raise
                if len(self.text) - self.at >= self.limits.longest:
                    if self.text[self.at] in "[{":
                        return TOO_LONG
                    raise
            self.grow()

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        """Whether the text read so far may be the beginning of a right value."""
        return error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - TOKEN

    def key(self) -> str:
        """The name of an object's member at `at`, which then points to its value."""
        name = self.decode()
        if not isinstance(name, str):
            raise json.JSONDecodeError("a name is missing", "", 0)
        if self.at + TOKEN > len(self.text):
            self.grow()
        colon = COLON.match(self.text, self.at)
        if colon is None:
            raise json.JSONDecodeError("a colon is missing", "", 0)
        self.at = colon.end()
        return name


def explained(error: Exception) -> str:
    """What is wrong, and where in the line."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} (column {error.colno})"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number with too many digits"
