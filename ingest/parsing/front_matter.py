"""YAML front matter, as Jekyll, Hugo and Obsidian have it above a text: `---`, names and values, `---`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_FENCE = re.compile(r"---[ \t]*$")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_NAMED = re.compile(r"([A-Za-z_][\w -]{0,40}?)[ \t]*:(?:[ \t]+(.*)|)$")
MOST_CHARS = 1_000_000


@dataclass(frozen=True, slots=True)
class Matter:
    """One front matter, the 1-based line of its first name, and the text below it."""

    line: int
    text: str
    body: str


def matters(lines: Iterable[str]) -> Iterator[Matter]:
    """Every front matter of a file, into which several files may have been joined."""
    inside, start, text, body, fence = False, 0, list[str](), list[str](), 0
    for number, raw in enumerate(lines, 1):
        line = raw.strip("\ufeff\r\n")
        if inside:
            inside = not _END.match(line)
            if inside:
                text.append(line)
            continue
        if fence and _NAMED.match(line):  # a fence that no name follows is a ruler in the text
            if text:
                yield Matter(start, "\n".join(text), "\n".join(body[:-1]))
            inside, start, text, body, fence = True, number, [line], [], 0
            continue
        fence = number if _FENCE.match(line) else 0
        body.append(line)
    if text:
        yield Matter(start, "\n".join(text), "\n".join(body))


def parsed(text: str) -> dict[str, Any] | None:
    """The names and values; read line by line where they are no YAML (a title with a colon). None without any."""
    import yaml

    try:
        found = yaml.load(text[:MOST_CHARS], Loader=_plain_loader())  # noqa: S506 - it builds texts, lists and objects
    except (yaml.YAMLError, ValueError, RecursionError):
        found = by_lines(text)
    return {str(name): value for name, value in found.items()} if isinstance(found, dict) and found else None


def by_lines(text: str) -> dict[str, str]:
    """Each name with what follows it on its line and on indented ones."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.split("\n"):
        named = _NAMED.match(line)
        if named:
            current = found.setdefault(named[1], [])
        words = (named[2] or "") if named else line
        current.append(words.strip().strip("|>").strip("\"'"))
    return {name: " ".join(filter(None, words)) for name, words in found.items()}


def _plain_loader() -> Any:
    """A loader that leaves every scalar a text and follows no aliases, whose expansion has no bound."""
    from yaml import BaseLoader
    from yaml.composer import ComposerError
    from yaml.events import AliasEvent

    class Loader(BaseLoader):
        """Front matter is written by people, who use no anchors."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(AliasEvent):
                raise ComposerError("an alias in front matter")
            return super().compose_node(parent, index)

    return Loader
