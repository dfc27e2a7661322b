"""The part of a JSON text that is being decoded."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TextIO

TOKEN = 64
"""Characters from the end of a window within which an error may be the cut."""
BETWEEN = re.compile(r"[\s,\ufeff]*")
COLON = re.compile(r"\s*:\s*")
OBJECT = re.compile(r'\{\s*"([^"\\]*)"')
TOO_LONG: Final = object()


@dataclass(frozen=True, slots=True)
class Limits:
    """Characters read at a time, and of a value that is decoded as a whole."""

    window: int = 1 << 20
    longest: int = 1 << 24


USUAL = Limits()


class Window:
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

    def seek(self) -> bool:
        """Move to the next place where an object may begin, behind `at`; False where none does."""
        self.at += 1
        while (found := OBJECT.search(self.text, self.at)) is None:
            self.at = max(self.at, len(self.text) - TOKEN)
            if not self.grow():
                return False
        self.at = found.start()
        return True

    def first_name(self) -> str | None:
        """The name with which the object at `at` begins."""
        found = OBJECT.match(self.text, self.at)
        return found[1] if found else None

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
