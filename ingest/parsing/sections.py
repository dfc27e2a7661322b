"""Listings of papers under headings, as pages and Markdown have them: a title, its authors, a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.parsing.fields import NAMES, has, plain
from ingest.parsing.named_parts import PARTS, named_parts, part_of

LEAST_WORDS = 20
"""Words of a paragraph that may be an abstract; names, venues and remarks are shorter."""
NAMES_LIKE = re.compile(r"[^\W\d_][^:;!?]{2,400}")
SEPARATOR = re.compile(r"\s*(?:,|·|;|&|\band\b)\s*")
NAME = re.compile(r"(?:[^\W\d_][\w'’.-]*[ \xa0]?){1,5}[\d*†‡]*")
HEADINGS = frozenset({*PARTS, "summary", "tldr"})


@dataclass(slots=True)
class Section:
    """What stands under a heading (level 1 to 6) at the 1-based `line`, a paragraph an item; blank title: none."""

    level: int
    title: str
    line: int
    paragraphs: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)


def records(sections: Sequence[Section]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The papers among sections, each with its line.

    A heading that names a part ("Abstract") belongs to the section above it. A section that deeper ones follow is
    their introduction, unless it names an abstract; one without a text of some length or named parts is no paper.
    """
    joined = list(_joined(sections))
    for number, section in enumerate(joined):
        following = joined[number + 1] if number + 1 < len(joined) else None
        found = fields(section)
        introduces = following is not None and following.level > section.level
        if found and (not introduces or found.pop("named", False)):
            found.pop("named", None)
            yield section.line, found


def fields(section: Section) -> dict[str, Any]:
    """The parts of the paper in a section, `named` where it names its abstract; empty where there is no paper."""
    lines = [line for paragraph in section.paragraphs for line in paragraph.split("\n")]
    parts: dict[str, Any] = {**named_parts(lines)}
    named = has("abstract", parts)
    if not named:
        plain_text = [each for each in section.paragraphs if not part_of(each.split("\n")[0])[0]]
        long = [each for each in plain_text if len(each.split()) >= LEAST_WORDS]
        parts = {name: value.split("\n")[0] for name, value in parts.items()}
        if long:
            parts["abstract"] = "\n".join(long)
        if not has("authors", parts) and plain_text and plain_text[0] not in long:
            parts["authors"] = author_list(plain_text[0])
    if not named and not (section.title and (has("abstract", parts) or has("authors", parts))):
        return {}
    links = {} if has("url", parts) else {"url": section.links}
    return {"title": section.title, **links, **parts, **({"named": True} if named else {})}


def author_list(text: str) -> list[str]:
    """The names in a short line of nothing but names; empty for any other."""
    bare = text.strip("*_ .\n")
    if not NAMES_LIKE.fullmatch(bare):
        return []
    names = [name.rstrip("0123456789*†‡ ") for name in SEPARATOR.split(bare) if name]
    return names if all(NAME.fullmatch(name) and name[0].isupper() for name in names) else []


def _joined(sections: Sequence[Section]) -> Iterator[Section]:
    current: Section | None = None
    for section in sections:
        name = plain(section.title)
        if current is not None and name in HEADINGS:
            label = "Abstract" if name in {*NAMES["abstract"], "tldr"} else section.title
            current.paragraphs += [f"{label}:", *section.paragraphs]
            current.links += section.links
            continue
        if current is not None:
            yield current
        current = section
    if current is not None:
        yield current
