"""Home-made text in which parts have names: `TITLE: ...`, `ABSTRACT: ...`, records parted by rulers or begun anew.

A record begins behind a ruler (`=====`), or where a name comes that the record already has. What follows a name, up to
the next one, belongs to it; labels inside an abstract (`RESULTS:`, `method_label:`) stay in its text. In blocks between
rulers where nothing is called an abstract, the last paragraph of some length is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.parsing.document import Document
from ingest.parsing.fields import NAMES, has
from ingest.parsing.format import Confidence, Format
from ingest.parsing.named_parts import INSIDE, named_parts, part_of
from ingest.records import RawRecord, Rejected

MARKDOWN = re.compile(r"\A\s*---[ \t]*\r?$|^#{1,6}[ \t]+\S", re.MULTILINE)
RULER = re.compile(r"\s*([=*_#~-])\1{4,}\s*$")
NUMBER = re.compile(r"\s*|[\[(]?\d{1,6}[\])]?[.:]?\s*")
PARAGRAPH = re.compile(r"\n[ \t]*\n")
LABEL_LINE = re.compile(r"\A[^\n:]{1,40}:[ \t]*\n")
LEAST_BLOCKS = 3
LEAST_WORDS = 20


@dataclass(slots=True)
class Block:
    """Lines of one record, the first at the 1-based `line`."""

    line: int
    lines: list[str] = field(default_factory=list)

    @property
    def blank(self) -> bool:
        """Whether no line has words."""
        return not any(map(str.strip, self.lines))


def recognises(document: Document) -> Confidence:
    """Likely when lines name both titles and abstracts, or several rulers part blocks of text."""
    if document.encoding is None or document.tags or MARKDOWN.search(document.lines[:2_000]):
        return Confidence.NO
    lines = document.lines.splitlines()
    names = [found for line in lines if (found := part_of(line)[0])]
    abstracts = sum(name in NAMES["abstract"] for name in names)
    if abstracts and (abstracts > 1 or any(name in NAMES["title"] for name in names)):
        return Confidence.LIKELY
    rulers = sum(RULER.match(line) is not None for line in lines)
    paragraphs = len(PARAGRAPH.findall(document.lines))
    return Confidence.LIKELY if rulers >= LEAST_BLOCKS and paragraphs <= 5 * rulers else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each block that has words in it."""
    with document.open() as lines:
        for block in blocks(lines):
            where = document.source.at(block.line)
            yield RawRecord(fields(block) or {"abstract": last_paragraph(block)}, where)


def blocks(lines: Iterable[str]) -> Iterator[Block]:
    """Between rulers, and from one abstract's end to the next title or abstract where there are no rulers."""
    block, seen = Block(0), set[str]()
    for number, line in enumerate(lines, 1):
        text = line.strip("\ufeff\r\n")
        name = part_of(text)[0]
        again = name in seen and bool(seen & {*NAMES["abstract"]}) and name not in INSIDE
        if RULER.match(text) or again:
            while again and block.lines and NUMBER.fullmatch(block.lines[-1]):
                block.lines.pop()
            if not block.blank:
                yield block
            block, seen = Block(number), set()
        if not RULER.match(text) and (text.strip() or block.lines):
            block.line = block.line if block.lines else number
            block.lines.append(text)
            seen |= {name} - {""}
    if not block.blank:
        yield block


def fields(block: Block) -> dict[str, str]:
    """The named parts of a block; empty where it names no abstract."""
    found = named_parts(block.lines)
    return found if has("abstract", found) else {}


def last_paragraph(block: Block) -> str | None:
    """The last paragraph of some length, without a label on a line of its own."""
    text = "\n".join(block.lines)
    paragraphs = [LABEL_LINE.sub("", each.strip()) for each in PARAGRAPH.split(text)]
    return next((each for each in reversed(paragraphs) if len(each.split()) >= LEAST_WORDS), None)


FORMAT = Format("labelled text", (), recognises, read)
