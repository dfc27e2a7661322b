"""Sets text and markers so that a bracketed number in the result is a marker, and no removed one leaves a trace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

WORD_JOINER = "\u2060"

_NUMBERS = r"\d+(?:\s*[,;–-]\s*\d+)*"
_LOOKS_CITED = re.compile(rf"\[(?=\^?{_NUMBERS}\])|【(?=\d+】)")
_UNDECIDED = re.compile(r"(?:\[\^?[\d\s,;–-]*|【\d*|\s+\(?|\()$")
_SEPARATOR = re.compile(r"\s*[,;]?\s*(?:and|&)?\s*")
_SEPARATOR_BEGUN = re.compile(r"\s*[,;]?\s*(?:a|an|and|&)?\s*")
_CLOSES = re.compile(r"[\s.,;:!?)\]。，；：！？]")


def escape_numbers(text: str) -> str:
    """`text` with U+2060 inside every bracketed number, list or range of numbers; nothing else changes."""
    return _LOOKS_CITED.sub(lambda match: match[0] + WORD_JOINER, text)


class Typesetter:
    """Each call returns what is certain by then; all returned strings and `close` concatenate to the text.

    The text has no white space at its ends. Separators between adjacent markers, and the white space before a removed
    one, are left out.
    """

    def __init__(self) -> None:
        self._tail = ""  # text not returned yet
        self._lead = ""  # what stood before a removed marker
        self._after: Literal["text", "markers", "gap"] = "text"
        self._blank = True
        self._run: set[int] = set()

    def text(self, text: str) -> str:
        """Add text."""
        self._tail += text
        if self._after in ("markers", "gap") and _SEPARATOR_BEGUN.fullmatch(self._tail):
            return ""
        self._join()
        undecided = _UNDECIDED.search(self._tail)
        return self._release(undecided.start() if undecided else len(self._tail))

    def markers(self, numbers: Sequence[int]) -> str:
        """Add markers; those that stand in the same run already are left out."""
        adjacent = self._after in ("markers", "gap") and self._is_separator()
        if adjacent and self._after == "gap":
            self._tail = self._tail if "\n" in self._tail else self._lead
            self._lead, self._after = "", "text"
        elif adjacent and "\n" not in self._tail and self._tail.strip() in ("", ",", ";"):
            self._tail = ""
        if self._after != "markers" or self._tail:
            self._run = set()
        self._join()
        new = [number for number in dict.fromkeys(numbers) if number not in self._run]
        self._run |= set(new)
        out = self._release(len(self._tail)) + "".join(f"[{number}]" for number in new)
        self._blank = False
        self._after = "markers"
        return out

    def gap(self) -> str:
        """Note that a marker was removed here."""
        if self._after in ("markers", "gap") and self._is_separator() and "\n" not in self._tail:
            self._tail = ""
            return ""
        self._join()
        undecided = _UNDECIDED.search(self._tail)
        cut = undecided.start() if undecided else len(self._tail)
        self._lead = self._tail[cut:]
        self._tail = self._tail[:cut]
        out = self._release(cut)
        self._after = "gap"
        return out

    def close(self) -> str:
        """The rest of the text."""
        self._join()
        return self._release(len(self._tail.rstrip()))

    def _is_separator(self) -> bool:
        return _SEPARATOR.fullmatch(self._tail) is not None

    def _join(self) -> None:
        """Settle how the tail connects to what stands before it."""
        if self._after == "gap":
            lead = self._lead
            if lead.endswith("(") and self._tail.startswith(")"):
                lead, self._tail = lead[:-1], self._tail[1:]
            if not lead.strip() and "\n" not in lead and (not self._tail or _CLOSES.match(self._tail)):
                lead = ""
            self._tail, self._lead = lead + self._tail, ""
        self._after = "text"

    def _release(self, length: int) -> str:
        out, self._tail = escape_numbers(self._tail[:length]), self._tail[length:]
        if self._blank:
            out = out.lstrip()
            self._blank = not out
        return out
