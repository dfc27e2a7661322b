"""Markers in an answer's text and the citations they stand for.

In the text of an answer `\\[\\d+\\]` matches markers and nothing else: a bracketed number that is none is written with
U+2060 (word joiner) after the bracket. Markers are numbered 1..n in order of first use.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

from rag.markers.declared import Claim, Declared
from rag.markers.issued import Issued
from rag.markers.reference_list import ReferenceList
from rag.markers.scanner import Cite, Event, Parenthesis, Scanner, Text
from rag.markers.thinking import Thinking
from rag.markers.typesetter import WORD_JOINER, Typesetter, escape_numbers
from rag.types import Span

__all__ = ["WORD_JOINER", "CitationStream", "Cited", "Marked", "compose", "escape_numbers", "normalise", "sentences_of"]

Key = TypeVar("Key", bound=Hashable)

_MARKER = re.compile(r"\[(\d+)\]")
_RUN = r"\[\d+\](?:[ \t]*[,;]?[ \t]*\[\d+\])*"
_MARKER_RUN = re.compile(rf"[ \t]*(?:\({_RUN}\)|\[{_RUN}\]|{_RUN})")
_MARKED_STOP = re.compile(r"\[\d+\][.!?。！？]+[\"'”’)*_]*\s+(?!\[\d)")
_LINE_ORNAMENT = re.compile(r"[ \t]*(?:(?:[-*•+–]|\d{1,3}[.)]|#{1,6}|>)[ \t]+)*")
_WORD = re.compile(r"\w")
_FINAL_STOP = re.compile(r"[.!?。！？]+$")
_ENDED = re.compile(r"[.!?。！？:;][\"'”’)\]*_]*\s*$")


@dataclass(frozen=True, slots=True)
class Marked:
    """A reply turned into an answer's text.

    `used[k - 1]` is the issued number behind marker `[k]`; `dropped` counts citations of numbers never issued.
    `opening` is what the reply declares at its start, `later` what it declares about parts further on.
    """

    text: str
    used: tuple[int, ...] = ()
    dropped: int = 0
    opening: Claim | None = None
    later: tuple[Claim, ...] = ()


class Cited(NamedTuple):
    """A sentence without markers and the markers that belong to it, in order of first use."""

    text: str
    numbers: tuple[int, ...]


class CitationStream:
    """Turns the pieces of a reply into pieces of an answer; what it returns concatenates to `result.text`.

    When `restarts` has gone up after a call, everything returned before that call is withdrawn (it was thinking).
    """

    def __init__(self, issued: Issued) -> None:
        self._issued = issued
        self._thinking = Thinking()
        self._begin()

    def _begin(self) -> None:
        self._declared = Declared()
        self._references = ReferenceList()
        self._scanner = Scanner(self._issued)
        self._typesetter = Typesetter()
        self._numbers: dict[int, int] = {}
        self._dropped = 0
        self._waiting: list[Event] = []
        self._pieces: list[str] = []

    @property
    def restarts(self) -> int:
        """How often everything returned so far was withdrawn."""
        return self._thinking.restarts

    @property
    def result(self) -> Marked:
        """What has been returned since the last restart, as a whole; complete after `finish`."""
        text = "".join(self._pieces)
        return Marked(text, tuple(self._numbers), self._dropped, self._declared.opening, self._declared.later)

    def feed(self, chunk: str) -> str:
        """The answer's text that is decided now."""
        restarts = self.restarts
        visible = self._thinking.feed(chunk)
        if self.restarts != restarts:
            self._begin()
        listed = self._references.feed(self._declared.feed(visible))
        return self._write(self._scanner.feed(listed))

    def finish(self) -> str:
        """The rest of the answer's text."""
        restarts = self.restarts
        visible = self._thinking.finish()
        if self.restarts != restarts:
            self._begin()
        declared = self._declared.feed(visible) + self._declared.finish()
        listed = self._references.feed(declared) + self._references.finish()
        out = self._write(self._scanner.feed(listed)) + self._write(self._scanner.finish())
        waiting, self._waiting = self._waiting, []
        rest = [self._set(self._as_citation(event)) for event in waiting]
        rest.append(self._typesetter.close())
        self._pieces.extend(rest)
        return out + "".join(rest)

    def _write(self, events: Iterable[Event]) -> str:
        out = [piece for event in events for piece in self._order(event)]
        self._pieces.extend(out)
        return "".join(out)

    def _order(self, event: Event) -> Iterable[str]:
        """Hold back from the first `(n)` on until a bracketed marker or the end tells what it is."""
        if not self._waiting and not (isinstance(event, Parenthesis) and not self._numbers):
            return [self._set(event)]
        self._waiting.append(event)
        if not (isinstance(event, Cite) and event.numbers):
            return []
        waiting, self._waiting = self._waiting, []
        return [self._set(held) for held in waiting]

    @staticmethod
    def _as_citation(event: Event) -> Event:
        return Cite(event.numbers) if isinstance(event, Parenthesis) else event

    def _set(self, event: Event) -> str:
        if isinstance(event, Text):
            return self._typesetter.text(event.text)
        if isinstance(event, Parenthesis):
            return self._typesetter.text(event.raw)
        self._dropped += event.dropped
        if not event.numbers:
            return self._typesetter.gap()
        numbers = [self._numbers.setdefault(number, len(self._numbers) + 1) for number in event.numbers]
        return self._typesetter.markers(numbers)


def normalise(reply: str, issued: Issued) -> Marked:
    """A whole reply as an answer's text."""
    stream = CitationStream(issued)
    stream.feed(reply)
    stream.finish()
    return stream.result


def compose(parts: Iterable[tuple[str, Sequence[Key]]], separator: str = " ") -> tuple[str, tuple[Key, ...]]:
    """Sentences and the keys of what each cites, as text with markers; and the keys in order of first use.

    Markers stand before the stop that ends a sentence, so that the sentence without them is what was given.
    """
    numbers: dict[Key, int] = {}
    written: list[str] = []
    for text, keys in parts:
        marks = "".join(f"[{numbers.setdefault(key, len(numbers) + 1)}]" for key in dict.fromkeys(keys))
        written.append(_with_marks(escape_numbers(text.strip()), marks))
    return separator.join(written), tuple(numbers)


def _with_marks(text: str, marks: str) -> str:
    if not marks:
        return text
    stop = _FINAL_STOP.search(text)
    body, end = (text[: stop.start()], stop[0]) if stop else (text, "")
    return f"{body} {marks}{end}" if body else f"{text} {marks}"


def sentences_of(answer_text: str) -> list[Cited]:
    """The sentences of an answer and their markers; each marker of the text belongs to exactly one sentence.

    A marker belongs to the sentence it stands in or directly after ("Statement. [1] Next" is the first), except where
    it is the subject of what follows: at the start of a line, or before a word in lower case.
    """
    sentences: list[Cited] = []
    orphans: list[int] = []  # markers before the first sentence
    stretches = (stretch for line in _lines(answer_text) for stretch in _cut_after_markers(line))
    for found in (sentence for stretch in stretches for sentence in _sentences_of(stretch)):
        if not _WORD.search(found.text):
            if sentences:
                sentences[-1] = _citing(sentences[-1], found.numbers)
            else:
                orphans += found.numbers
            continue
        sentences.append(_citing(Cited(found.text, tuple(orphans)), found.numbers))
        orphans = []
    return [*sentences, Cited("", tuple(orphans))] if orphans else sentences


def _citing(sentence: Cited, numbers: Sequence[int]) -> Cited:
    return Cited(sentence.text, tuple(dict.fromkeys([*sentence.numbers, *numbers])))


def _lines(text: str) -> list[str]:
    """Lines without bullets and signs of headings; a line that continues the sentence before it is joined to it."""
    lines: list[str] = []
    for raw in text.splitlines():
        line = raw[_line_start(raw) :].rstrip()
        if not line:
            continue
        continues = lines and raw[:1].islower() and not _ENDED.search(_MARKER.sub("", lines[-1]))
        if continues:
            lines[-1] += " " + line
        else:
            lines.append(line)
    return lines


def _cut_after_markers(line: str) -> list[str]:
    """The line in parts: a stop after a marker ends a sentence, also where the words alone leave it open ("type B")."""
    ends = [0, *(stop.end() for stop in _MARKED_STOP.finditer(line)), len(line)]
    return [line[start:end] for start, end in pairwise(ends) if start < end]


def _line_start(line: str) -> int:
    ornament = _LINE_ORNAMENT.match(line)
    return ornament.end() if ornament else 0


def _sentences_of(line: str) -> list[Cited]:
    """The sentences of a line or a part of it; one without text where it holds nothing but markers."""
    from rag.text.sentences import split

    text, marks = _without_markers(line)
    spans = split(text) or [Span(0, 0)]
    owned: list[list[int]] = [[] for _ in spans]
    for position, numbers in marks:
        before = [index for index, span in enumerate(spans) if span.start < position]
        owned[before[-1] if before else 0].extend(numbers)
    return [
        Cited(text[span.start : span.end], tuple(dict.fromkeys(numbers)))
        for span, numbers in zip(spans, owned, strict=True)
    ]


def _without_markers(line: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """The line without markers, and where in it each run of markers stood: just after the text it belongs to."""
    text = ""
    marks: list[tuple[int, list[int]]] = []
    end = 0
    for run in _MARKER_RUN.finditer(line):
        text += line[end : run.start()]
        numbers = [int(number) for number in _MARKER.findall(run[0])]
        ended = _ENDED.search(text) is not None
        # "Statement. [1]." has its stop twice, "[1]: statement" begins after the colon.
        end = run.end() + (line[run.end() :].startswith(".") and text.endswith((".", "!", "?")))
        following = line[end:].lstrip() if text else line[end:].lstrip(" \t:–—-")
        space = len(line) - end - len(following)
        if not text:
            end += space
        is_subject = bool(text) and ended and following[:1].islower()
        marks.append((len(text) + space + 1 if is_subject else len(text), numbers))
    return text + line[end:], marks
