"""Markdown: YAML front matter, one paper each; papers under headings or in bullets; tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ingest.parsing.columns import is_header, lacks_abstracts, names_of, record
from ingest.parsing.document import Document
from ingest.parsing.fields import has
from ingest.parsing.format import Confidence, Format
from ingest.parsing.front_matter import matters, parsed
from ingest.parsing.sections import LEAST_WORDS, Section, records
from ingest.records import RawRecord, Rejected
from ingest.text.markup import strip_markup

if TYPE_CHECKING:
    from markdown_it.token import Token

FRONT = re.compile(r"\A[\ufeff\s]*---[ \t]*\r?\n(?:#[^\n]*\n|\s*\n)*[\w-]+[ \t]*:")
HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
BULLET = re.compile(r"^[-*+][ \t]+(?:\*\*|\[)", re.MULTILINE)
TABLE = re.compile(r"^\|?[^\n|]+\|[^\n]*\r?\n\|?[ \t]*:?-{2,}:?[ \t]*\|", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)")
BULLET_TITLE = re.compile(r"\s*(?:\*\*(?P<bold>.+?)\*\*|(?P<linked>\[[^\]]+\]\([^)]*\)))[\s.:—–-]*", re.DOTALL)
BULLET_LEVEL = 7
LEAST = 2
"""Headings or bullets that a file of Markdown has at least; fewer are a header over paragraphs."""


def recognises(document: Document) -> Confidence:
    """Certain with front matter, likely with a table of papers or, in a file named so, headings and bullets."""
    text = document.lines
    if document.encoding is None or document.tags:
        return Confidence.NO
    if FRONT.match(text):
        return Confidence.CERTAIN
    if any(is_header(split_row(found[0].split("\n")[0])) for found in TABLE.finditer(text)):
        return Confidence.LIKELY
    marked = max(len(HEADING.findall(text)), len(BULLET.findall(text))) >= LEAST
    return Confidence.LIKELY if marked and document.extension in FORMAT.extensions else Confidence.NO


def read(document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each front matter, or for each paper of the listing."""
    with document.open() as stream:
        if FRONT.match(document.lines):
            yield from of_matters(stream, document)
        else:
            yield from of_listing(stream.read().lstrip("\ufeff"), document, titles)


def of_matters(lines: Iterable[str], document: Document) -> Iterator[RawRecord | Rejected]:
    """What each front matter holds; its abstract may stand in the text below it instead."""
    for matter in matters(lines):
        where = document.source.at(matter.line)
        fields = parsed(matter.text)
        if fields is None:
            yield Rejected(where, "front matter that is no YAML of names and values")
            continue
        if not has("abstract", fields):
            below = next(records(sections(matter.body, matter.line)), (0, dict[str, Any]()))[1]
            fields = {**{name: value for name, value in below.items() if value}, **fields}
        yield RawRecord(fields, where)


def of_listing(text: str, document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """The rows of tables of papers, then the papers under headings and in bullets."""
    found: list[tuple[int, RawRecord | Rejected]] = []
    for line, fields in records(sections(text, 0)):
        found.append((line, RawRecord(fields, document.source.at(line))))
    found += of_tables(text, document, titles)
    yield from (each for _, each in sorted(found, key=lambda pair: pair[0]))


def of_tables(text: str, document: Document, titles: bool) -> Iterator[tuple[int, RawRecord | Rejected]]:
    """The rows of each table whose header names the parts of papers."""
    lines = text.split("\n")
    for start, line in enumerate(lines[:-1]):
        names = names_of(split_row(line)) if TABLE.match(f"{line}\n{lines[start + 1]}|") else []
        if not is_header(names):
            continue
        lacking = lacks_abstracts(names, titles)
        for number, row in enumerate(lines[start + 2 :], start + 3):
            if "|" not in row:
                break
            where = document.source.at(number)
            yield number, Rejected(where, lacking) if lacking else record(split_row(row), names, where)


def split_row(line: str) -> list[str]:
    """The cells of a table's row; links become their text, with the address behind it."""
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [LINK.sub(r"\1 \2", cell).replace("\\|", "|").strip() for cell in cells]


def sections(text: str, first_line: int) -> list[Section]:
    """The headings of a text with what stands below each; a bullet that begins with a title is a section as well."""
    from markdown_it import MarkdownIt

    found = [Section(0, "", first_line + 1)]
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    skipped = 0
    for number, token in enumerate(tokens):
        line = first_line + (token.map[0] if token.map else 0) + 1
        if token.type == "heading_open":
            title, links = unlinked(tokens[number + 1].content)
            found.append(Section(int(token.tag[1:]), title, line, links=links))
            skipped = number + 1
        elif token.type == "list_item_open" and (bullet := bullet_of(tokens, number, line)):
            found.append(bullet)
            skipped = number + 3
        elif token.type == "bullet_list_close" and token.level == 0 and found[-1].level == BULLET_LEVEL:
            found.append(Section(0, "", line))
        elif token.type in ("inline", "html_block") and number > skipped and not in_table(tokens, number):
            add(found[-1], strip_markup(token.content) if token.type == "html_block" else token.content)
    return found


def bullet_of(tokens: list[Token], number: int, line: int) -> Section | None:
    """The paper in a list's item: a title in bold or with a link, and a text of some length behind it."""
    content = next((each.content for each in tokens[number : number + 3] if each.type == "inline"), "")
    begins = BULLET_TITLE.match(content)
    if begins is None or len(content[begins.end() :].split()) < LEAST_WORDS:
        return None
    title, links = unlinked(begins["bold"] or begins["linked"])
    section = Section(BULLET_LEVEL, title, line, links=links)
    add(section, content[begins.end() :])
    return section


def in_table(tokens: list[Token], number: int) -> bool:
    """Whether the inline text is a cell."""
    return number > 0 and tokens[number - 1].type in ("td_open", "th_open")


def add(section: Section, content: str) -> None:
    """A paragraph of a section, its links read."""
    text, links = unlinked(content)
    section.links += links
    if text.strip():
        section.paragraphs.append(text.strip())


def unlinked(content: str) -> tuple[str, list[str]]:
    """Text with links as their words, without emphasis around all of it; and their addresses."""
    links = [found[2] for found in LINK.finditer(content)]
    text = LINK.sub(lambda found: "" if found[0].startswith("!") else found[1], content).strip()
    return (text.strip("*_") if re.fullmatch(r"([*_]+)[^*_]+\1", text) else text), links


FORMAT = Format("Markdown", (".md", ".markdown", ".qmd", ".rmd", ".mdx"), recognises, read)
