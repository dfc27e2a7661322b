"""Records of lines that begin with a tag: RIS, MEDLINE, Web of Science, Refer, and their relatives.

Own code because `rispy` 0.10 and `nbib` 0.3 tell no line numbers and lose records in silence: `rispy` reads nothing
where one space stands before the hyphen, makes one record of two where an `ER` is missing (their abstracts run
together), and leaves out a record without `TY`; `nbib` leaves out one before which no blank line stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Tagged = Callable[[str], tuple[str, str] | None]
"""What a line begins with, and what follows: (tag, value), or None for a line that continues the one before."""

BLANKS = "\ufeff \t\r\n\f\v\xa0"


@dataclass(slots=True)
class Entry:
    """One record: the 1-based line it begins on, and its values by tag, each a list of lines, in the file's order."""

    line: int
    values: dict[str, list[list[str]]] = field(default_factory=dict)

    def add(self, tag: str, value: str) -> list[str]:
        """A new value, whose list of lines is returned so that continuations can join it."""
        lines = [value] if value else []
        self.values.setdefault(tag, []).append(lines)
        return lines

    def all(self, *tags: str) -> list[str]:
        """The non-empty values of these tags, tag after tag, the lines of each joined by a space."""
        joined = (" ".join(lines) for tag in tags for lines in self.values.get(tag, ()))
        return [value for value in joined if value.strip()]

    def lines(self, *tags: str) -> list[str]:
        """The same, each line a value of its own."""
        return [line for tag in tags for lines in self.values.get(tag, ()) for line in lines]

    def first(self, *tags: str) -> str | None:
        """The value of the first tag that has one."""
        return next(iter(self.all(*tags)), None)

    def whole(self, *tags: str) -> str | None:
        """All values of the first tag that has any, joined by line ends."""
        return next(("\n".join(found) for tag in tags if (found := self.all(tag))), None)


def entries(
    lines: Iterable[str],
    tagged: Tagged,
    starts: frozenset[str],
    ends: frozenset[str],
    opens: frozenset[str] | None = None,
) -> Iterator[Entry]:
    """The records of a file: each from a tag of `starts` to one of `ends`.

    A start also ends the record before it, so that a lost end mark loses nothing; where the start is lost, the first
    tag of `opens` (default: any) begins a record. Text between records is no record: numbers, banners, blank lines.
    """
    opens = None if opens is None else opens | starts
    entry: Entry | None = None
    value: list[str] = []
    for number, line in enumerate(lines, 1):
        text = line.strip(BLANKS)
        found = tagged(line.rstrip(BLANKS).lstrip("\ufeff"))
        if found is None:
            if entry is not None and text:
                value.append(text)
            continue
        tag, rest = found
        if entry is not None and (tag in ends or (tag in starts and entry.values)):
            yield entry
            entry = None
        if tag not in ends and (entry is not None or opens is None or tag in opens):
            entry = entry or Entry(number)
            value = entry.add(tag, rest.strip(BLANKS))
    if entry is not None:
        yield entry
