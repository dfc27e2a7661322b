"""XML read record by record in bounded memory, past what is broken in it.

lxml without entities, DTD and network. The parser recovers: a stray `&` or a control character costs itself, not the
record; a record whose tags do not match is rejected and the next one is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ingest.parsing.source import Source
from ingest.records import Rejected

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BLANK = b" \t\r\n\xef\xbb\xbf"
WIDE_MARKS = (b"\xff\xfe<\0", b"\xfe\xff\0<", b"<\0?\0", b"\0<\0?")
NAME_START = re.compile(rb"<(?:[?!]|[A-Za-z_])")
DECLARATION = b"<?xml "
CHUNK = 1 << 20
TAGS = 4000
"""Elements of the head that are looked at to recognise a format."""
LOST = frozenset({"ERR_TAG_NOT_FINISHED", "ERR_RESOURCE_LIMIT", "ERR_INTERNAL_ERROR", "ERR_DOCUMENT_EMPTY"})
BEHIND_THE_END = frozenset({"ERR_DOCUMENT_END"})
SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False, "recover": True}


def opens_as_xml(head: bytes) -> bool:
    """Whether the first bytes may be those of an XML document; HTML written as XML is one too."""
    return head.startswith(WIDE_MARKS) or NAME_START.match(head.lstrip(BLANK)) is not None


def opening_tags(head: bytes) -> tuple[str, ...]:
    """Local names of the first elements that open in `head`, root first."""
    from lxml import etree

    parser = etree.XMLPullParser(("start",), **SAFE)
    names: list[str] = []
    with suppress(etree.XMLSyntaxError):
        parser.feed(head if head.startswith(WIDE_MARKS) else head.lstrip(BLANK))
        for _, element in parser.read_events():
            names.append(local(cast("Element", element)))
            if len(names) >= TAGS:
                break
    return tuple(names)


def local(element: Element) -> str:
    """An element's name without its namespace; empty for a comment or an instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


@dataclass(frozen=True, slots=True)
class Found:
    """A record's element with its place. It is emptied when the next one is asked for."""

    element: Element
    where: str


def records(source: Source, names: Sequence[str], keep: Sequence[str] = ()) -> Iterator[Found | Rejected]:
    """Every element with one of the local `names`, in the order of their ends; such elements do not hold each other.

    Documents written one after another are all read. What is broken is Rejected with its line: a tag that is not
    closed makes the next records part of its own, so that one is lost and those are read. Of what stands before a
    record only elements that are named in `keep` are there when it comes.
    """
    start: int | None = 0
    line = 0
    while start is not None:
        with source.open() as file:
            part = _Part(file, start, line)
            yield from _walk(source, part, names, keep)
            start = part.following
            line = line if start is None else part.line()


class _Part:
    """The bytes of one document in a file, from `start`, before which `line` lines end, to the next declaration."""

    def __init__(self, file: BinaryIO, start: int, line: int) -> None:
        file.seek(start)
        opening = file.read(4096)
        blank = 0 if opening.startswith(WIDE_MARKS) else len(opening) - len(opening.lstrip(BLANK))
        file.seek(start + blank)
        self.file = file
        self.start = self.position = start + blank
        """Where the document begins, and what `read` gives next."""
        self.before = line + opening.count(b"\n", 0, blank)
        """Line ends in the file before the document."""
        self.following: int | None = None
        """Where the next document begins, known when `read` has come to the end of this one."""
        self.ended = False
        self._held = b""

    def read(self, size: int) -> bytes:
        """The next bytes; none at the document's end."""
        given = b""
        while not given and not self.ended:
            fresh = self.file.read(size)
            chunk = self._held + fresh
            end = chunk.find(DECLARATION, 1 if self.position == self.start else 0)
            if end >= 0:
                self.following = self.position + end
            else:
                end = max(0, len(chunk) - len(DECLARATION) + 1) if fresh else len(chunk)
            given, self._held = chunk[:end], chunk[end:]
            self.position += len(given)
            self.ended = not given and (self.following is not None or not fresh)
            if self.following is not None:
                self.file.seek(0, 2)
                self._held = b""
        return given

    def line(self) -> int:
        """Line ends in the file before `position`; reads the document anew, for few ever ask."""
        self.file.seek(self.start)
        left, found = self.position - self.start, self.before
        while left > 0 and (chunk := self.file.read(min(left, CHUNK))):
            found += chunk.count(b"\n")
            left -= len(chunk)
        return found


def _walk(source: Source, part: _Part, names: Sequence[str], keep: Sequence[str]) -> Iterator[Found | Rejected]:
    from lxml import etree

    tags = [f"{{*}}{name}" for name in names]
    events: Any = etree.iterparse(part, events=("start", "end"), tag=tags, **SAFE)
    open_, complete = list[bool](), True  # of each record that is open: whether another one opened in it
    try:
        for event, element in events:
            if event == "start":
                open_ = [True] * len(open_) + [False]
                continue
            nested = open_.pop()
            where = source.at((element.sourceline or 1) + part.before)
            cut = _message(events.error_log, LOST) if part.ended else None
            if nested or cut:
                complete = False
                yield Rejected(where, f"broken XML: {'a tag in it is not closed' if nested else cut}")
            else:
                yield Found(element, where)
            _forget(element, keep)
        message = _message(events.error_log, LOST) if complete else None
        message = message or _message(events.error_log, BEHIND_THE_END)
    except etree.XMLSyntaxError as error:
        message = str(error.msg)
    if message:
        place = source.at(part.line() + 1)
        yield Rejected(place, f"broken XML: {message}; nothing is read behind it", records=0)


def _message(log: Any, kinds: frozenset[str]) -> str | None:
    return next((entry.message.strip() for entry in log if entry.type_name in kinds), None)


def _forget(element: Element, keep: Sequence[str]) -> None:
    """Free a record and what stands before it."""
    element.clear()
    parent = element.getparent()
    before = element.getprevious()
    while parent is not None and before is not None and local(before) not in keep:
        parent.remove(before)
        before = element.getprevious()


def children(element: Element | None, name: str) -> list[Element]:
    """The children with this local name."""
    return [] if element is None else [each for each in element if local(each) == name]


def child_of(element: Element | None, name: str) -> Element | None:
    """The first child with this local name."""
    return next(iter(children(element, name)), None)


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """The elements with this local name anywhere below."""
    return iter(()) if element is None else element.iterdescendants(f"{{*}}{name}")
