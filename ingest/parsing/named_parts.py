"""Parts of a record that lines of text name: `Abstract: ...`, `**Authors:** ...`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.parsing.fields import NAMES, plain

NAMED = re.compile(r"\s*(?:[-*•>]\s+)?[*_]*([^\W\d_][\w /.()-]{0,28}[\w)])[*_]*\s*:[*_]*(?:\s+(.*)|)$")
PAIR = re.compile(r"(?:^|;)\s*([A-Za-z][\w ]{1,20}):\s*([^;]+)")
OTHER = "other"
"""What a name stands for that is none of a record's parts ("Source: ..."): it ends the part before it."""
ON_ONE_LINE = frozenset({*NAMES["year"], *NAMES["doi"], *NAMES["key"], *NAMES["pmid"], *NAMES["arxiv"]})
PARTS = frozenset(name for part, names in NAMES.items() if part != "key" for name in names) - {
    *("text", "summary", "description", "links", "link", "tags", "ti", "ab", "au", "py", "la"),
}
INSIDE = frozenset({"conference", "published", "issued", "date", "year", "language", "subjects"})
"""Names that are also words of prose; they begin a part of a record only before its abstract."""


def part_of(line: str) -> tuple[str, str]:
    """The part of a record that a line names, and the words behind it; an empty name where it names none."""
    found = NAMED.match(line)
    name = plain(found[1]) if found else ""
    return (name, found[2] or "") if found and name in PARTS else ("", line)


def named_parts(lines: Iterable[str]) -> dict[str, str]:
    """Each named part with its lines up to the next name; before the first, pairs on one line (`id: 1; year: 2006`)."""
    parts: dict[str, list[str]] = {}
    current = ""
    for line in lines:
        name, words = part_of(line)
        inside = current in NAMES["abstract"] and name in INSIDE
        if name and name not in parts and not inside:
            current = name
            parts[current] = [words]
        elif current and (current in NAMES["abstract"] or not NAMED.match(line)):
            parts[current].append(line)
        elif current:
            current = OTHER
            parts[current] = []
        else:
            pairs = {plain(pair[1]): [pair[2]] for pair in PAIR.finditer(line)}
            parts |= {key: value for key, value in pairs.items() if key in ON_ONE_LINE}
    return {name: "\n".join(lines).strip() for name, lines in parts.items() if name != OTHER}
