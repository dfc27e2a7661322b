"""Plain text: one abstract per paragraph, under a header line or none.

Paragraphs are separated by blank lines; the lines of one are joined by a space. The first paragraph is a header when
it has fewer than 8 words and no full stop. Without a blank line in it, a file whose long lines each end like an
abstract holds one abstract per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.records import RawRecord, Rejected

MARKDOWN = (".md", ".markdown")
HEADER_WORDS = 8
FULL_STOPS = frozenset(".。．｡।։۔")
SENTENCE_ENDS = (*FULL_STOPS, "!", "?", "！", "？", ")", '"', "”")
ABSTRACT_CHARS = 200
LEAST_LINES = 3
BLANK_LINE = re.compile(r"^[^\S\n]*$", re.MULTILINE)
TAGGED = re.compile(r"\s*(<\?xml|<!DOCTYPE|<html|TY  - |PMID- |FN \w|PT [A-Z]\n|%[0A] |\.I \d|@\w+\s*[{(]|---\n)", re.I)


def recognises(document: Document) -> Confidence:
    """Any text that carries no other format's marks; only by its name where the name has an extension."""
    if document.encoding is None or TAGGED.match(lines_only(document.text)):
        return Confidence.NO
    if document.extension in FORMAT.extensions:
        return Confidence.HINT
    unnamed = document.extension in MARKDOWN or re.fullmatch(r"(\.\W*\d*\W*)?", document.extension)
    return Confidence.FALLBACK if unnamed else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record with an `abstract` alone for each paragraph behind the header."""
    per_line = is_one_per_line(document)
    with document.open() as lines:
        pieces = long_lines(lines) if per_line else paragraphs(lines)
        for number, (line, text) in enumerate(pieces):
            if number or not is_header(text):
                yield RawRecord({"abstract": text}, document.source.at(line))


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each paragraph on one line, with the 1-based number of its first line."""
    first, collected = 0, list[str]()
    for number, line in enumerate(lines, 1):
        words = line.strip("\ufeff \t\r\n\f\v\xa0")
        if words:
            first = first or number
            collected.append(words)
        elif collected:
            yield first, " ".join(collected)
            first, collected = 0, []
    if collected:
        yield first, " ".join(collected)


def long_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each line, with its 1-based number."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line.strip()


def is_header(paragraph: str) -> bool:
    """Fewer than 8 words, and no full stop."""
    return len(paragraph.split()) < HEADER_WORDS and FULL_STOPS.isdisjoint(paragraph)


def is_one_per_line(document: Document) -> bool:
    """No blank line between lines that are each as long as an abstract and end a sentence."""
    text = lines_only(document.text).strip()
    lines = text.split("\n")
    body = lines[1:] if is_header(lines[0]) else lines
    whole = body if document.complete else body[:-1]
    if BLANK_LINE.search(text) or len(whole) < LEAST_LINES:
        return False
    return all(len(line) >= ABSTRACT_CHARS and line.rstrip().endswith(SENTENCE_ENDS) for line in whole)


def lines_only(text: str) -> str:
    """The text with every line end as one line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


FORMAT = Format("plain text", (".txt", ".text"), recognises, read)
