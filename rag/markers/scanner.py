"""A model's text, in whatever pieces it arrives, as events: text and citations.

Every decision waits until what has arrived decides it, and looks only at a bounded stretch of text; so the events
say the same for every way of cutting the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rag.markers import constructs
from rag.markers.issued import Issued, Reading

GROUP_LIMIT = 300  # characters inside a bracket that may be a citation by title
CONTEXT = 48  # characters kept of what came before

_CLOSING = {"[": "]", "【": "】", "［": "］"}
_SPECIAL = re.compile(r"[`$(\\\n\[【［⟦]")
_PARENTHESES = re.compile(r"\(\d{1,4}\)(?:[ \t]*[,;]?[ \t]*\(\d{1,4}\))*")
_PARENTHESES_BEGUN = re.compile(r"(?:\(\d{1,4}\)[ \t]*(?:[,;][ \t]*)?)*(?:\(\d{0,4})?$")
_SENTENCE_END = re.compile(r"[ \t]*(?:$|[.!?。！？…\r\n])")
_NUMBERED_THING = re.compile(
    r"\b(?:(?:eq|equation|step|table|fig|figure|section|phase|case|condition|algorithm|type|version|item|point|part"
    r"|theorem|lemma|stage|level|group|layer|task)s?|class)\.?\s*$",
    re.IGNORECASE,
)
_INTERVAL_WORD = re.compile(
    r"(?:\b(?:interval|range|CI|between|from|within)(?:\s+(?:of|is|was))?|[=∈≤≥<>:])\s*$", re.IGNORECASE
)
_RANGE = re.compile(r"\[(\d{1,4})\][ \t]*[-–—][ \t]*\[(\d{1,4})\]")
_RANGE_BEGUN = re.compile(r"\[\d{1,4}\][ \t]*(?:[-–—][ \t]*(?:\[\d{0,4})?)?$")
_LINK = re.compile(r"\((?:https?://|www\.|#|mailto:|doi)[^)\s]{0,300}\)", re.IGNORECASE)
_LINK_BEGUN = re.compile(r"\([^)\s]{0,300}$")
_QUOTED_NUMBER = re.compile(r"⟦([^⟦⟧\n]{0,60})⟧")
_QUOTED_NUMBER_BEGUN = re.compile(r"⟦[^⟦⟧\n]{0,60}$")


@dataclass(frozen=True, slots=True)
class Text:
    """Text that stays as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Cite:
    """A citation: issued numbers in the order written, and how many it named that were not issued."""

    numbers: tuple[int, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Parenthesis:
    """`(n)` at the end of a sentence: a citation only in a reply without bracketed ones, else the text `raw`."""

    numbers: tuple[int, ...]
    raw: str


Event = Text | Cite | Parenthesis


class Step(NamedTuple):
    """How far a decision reaches, and what it says about that stretch."""

    length: int
    event: Event


class Scanner:
    """Feed it all pieces, then `finish` it."""

    def __init__(self, issued: Issued) -> None:
        self._issued = issued
        self._pending = ""
        self._final = False
        self._before = ""
        self._line_begins = True
        self._after_cite = False
        self._fence = ""
        self._handlers: dict[str, Callable[[], Step | None]] = {
            "`": lambda: self._enclosed(constructs.code_span),
            "$": lambda: self._enclosed(constructs.maths),
            "(": self._parenthesis,
            "\\": self._backslash,
            "⟦": self._quoted_number,
            "\n": lambda: self._text(1),
            **dict.fromkeys(_CLOSING, self._bracket),
        }

    def feed(self, chunk: str) -> Iterator[Event]:
        """The events that are decided now."""
        self._pending += chunk
        yield from self._run()

    def finish(self) -> Iterator[Event]:
        """The events of what was held back."""
        self._final = True
        yield from self._run()

    def _run(self) -> Iterator[Event]:
        while self._pending:
            step = self._code_block() if self._fence else self._prose()
            if step is None:
                return
            self._consume(step)
            yield step.event

    def _consume(self, step: Step) -> None:
        raw, self._pending = self._pending[: step.length], self._pending[step.length :]
        self._line_begins = raw.endswith("\n")
        self._after_cite = isinstance(step.event, Cite)
        self._before = (self._before + raw)[-CONTEXT:]

    def _text(self, length: int) -> Step:
        return Step(length, Text(self._pending[:length]))

    def _prose(self) -> Step | None:
        if self._line_begins:
            opening = constructs.fence_opening(self._pending, final=self._final)
            if opening is None:
                return None
            if opening:
                self._fence = self._pending.lstrip(" ")[0] * 3
                return self._text(opening)
        special = _SPECIAL.search(self._pending)
        if special is None:
            return self._text(len(self._pending))
        if special.start():
            return self._text(special.start())
        return self._handlers[special[0]]()

    def _code_block(self) -> Step | None:
        """A whole line of a block of code."""
        end = self._pending.find("\n") + 1
        if not end and not self._final:
            return None
        line = self._pending[: end or None]
        if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""
        return self._text(len(line))

    def _enclosed(self, find: Callable[..., int | None]) -> Step | None:
        length = find(self._pending, final=self._final)
        if length is None:
            return None
        return self._text(length or self._run_length())

    def _run_length(self) -> int:
        """The sign at the start and its repetitions, which open nothing."""
        return len(self._pending) - len(self._pending.lstrip(self._pending[0]))

    def _backslash(self) -> Step | None:
        length = constructs.escaped(self._pending, final=self._final)
        if length is None:
            return None
        inner = self._pending[2 : length - 2].strip()
        if length > 2 and self._pending.startswith("\\[") and inner.isdecimal():
            reading = self._issued.read(inner)
            if reading is not None:
                return Step(length, Cite(*reading))
        return self._text(length or 1)

    def _quoted_number(self) -> Step | None:
        """A bracketed number of an abstract, in the form in which the prompt shows it."""
        match = _QUOTED_NUMBER.match(self._pending)
        if match:
            return Step(match.end(), Text(f"[{match[1]}]"))
        waiting = not self._final and _QUOTED_NUMBER_BEGUN.match(self._pending)
        return None if waiting else self._text(1)

    def _parenthesis(self) -> Step | None:
        if not self._final and _PARENTHESES_BEGUN.fullmatch(self._pending):
            return None
        match = _PARENTHESES.match(self._pending)
        if match is None or not _SENTENCE_END.match(self._pending, match.end()):
            return self._text(1)
        numbers = tuple(int(digits) for digits in re.findall(r"\d+", match[0]))
        attached = bool(self._before) and not (self._before[-1].isspace() or self._before[-1] in ".!?。")
        if attached or not set(numbers) <= self._issued.numbers or _NUMBERED_THING.search(self._before):
            return self._text(match.end())
        return Step(match.end(), Parenthesis(numbers, match[0]))

    def _bracket(self) -> Step | None:
        opener = self._pending[0]
        closer = _CLOSING[opener]
        inside = re.match(rf"[^\n{re.escape(opener + closer)}]{{0,{GROUP_LIMIT}}}", self._pending[1:])
        end = 1 + (inside.end() if inside else 0)
        if end == len(self._pending) and not self._final:
            return None
        if self._pending[end : end + 1] != closer or (opener == "[" and self._is_subscript()):
            return self._text(1)
        if not self._final and _RANGE_BEGUN.match(self._pending):
            return None
        span = _RANGE.match(self._pending)
        if span and {int(span[1]), int(span[2])} <= self._issued.numbers:
            return self._cited(self._issued.read(f"{span[1]}-{span[2]}") or Reading((), 0), span.end())
        reading = self._issued.read(
            self._pending[1:end], after_interval_word=_INTERVAL_WORD.search(self._before) is not None
        )
        return self._text(1) if reading is None else self._cited(reading, end + 1)

    def _cited(self, reading: Reading, end: int) -> Step | None:
        """The citation with the target of a link that follows it."""
        rest = self._pending[end:]
        if not self._final and (not rest or _LINK_BEGUN.match(rest)):
            return None
        link = _LINK.match(rest)
        return Step(end + (link.end() if link else 0), Cite(*reading))

    def _is_subscript(self) -> bool:
        """After a one-letter name, `)` or `]` a bracket is an index."""
        if self._after_cite or not self._before:
            return False
        last, previous = self._before[-1], self._before[-2:-1]
        if last in ")]":
            return True
        is_letter = last.islower() or last.isupper()
        return is_letter and not (previous.isalnum() or previous in {"'", "’", "-"})
