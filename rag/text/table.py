"""Rows of delimited text, each with its line, past quotes that never close."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

RECORD_LINES = 5_000
FIELD_LIMIT = 2**31 - 1
DELIMITERS = (",", "\t", ";", "|")
SEPARATOR_LINE = re.compile(r'"?sep=.?"?$', re.IGNORECASE)
Quoting = Literal["doubled", "escaped", "none"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row and the 1-based line it begins on; `error` says why its cells could not be told apart."""

    line: int
    cells: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are separated, and how a quote inside a quoted cell is written."""

    delimiter: str = ","
    quoting: Quoting = "doubled"

    def reader(self, lines: Iterable[str], *, strict: bool) -> Iterator[list[str]]:
        """The csv module's reader. Its limit on a cell's size, a process-wide setting, is lifted."""
        styles: dict[Quoting, dict[str, Any]] = {
            "doubled": {},
            "escaped": {"doublequote": False, "escapechar": "\\"},
            "none": {"quoting": csv.QUOTE_NONE},
        }
        csv.field_size_limit(FIELD_LIMIT)
        return csv.reader(lines, delimiter=self.delimiter, strict=strict, **styles[self.quoting])


class Lines:
    """Lines that remember which of them the row being read has taken, and can be given back."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._given_back: deque[str] = deque()
        self.taken: list[str] = []
        self.number = 0

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        if len(self.taken) >= RECORD_LINES:
            raise csv.Error(f"a quote that does not close within {RECORD_LINES:,} lines")
        line = self._given_back.popleft() if self._given_back else next(self._lines)
        self.number += 1
        self.taken.append(line)
        return line

    def give_back(self) -> str:
        """Return all lines taken but the first, which is the result."""
        self._given_back.extendleft(reversed(self.taken[1:]))
        self.number -= len(self.taken) - 1
        return self.taken[0]


def rows(lines: Iterable[str], dialect: Dialect) -> Iterator[Row]:
    """Every row but blank ones. A row whose quotes do not match costs its first line only."""
    source = Lines(lines)
    reader = dialect.reader(source, strict=True)
    while True:
        source.taken.clear()
        line = source.number + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield single_line(source.give_back(), line, dialect, str(error))
        else:
            if cells:
                yield Row(line, tuple(cells))


def single_line(text: str, line: int, dialect: Dialect, error: str) -> Row:
    """A row with careless quotes, read leniently; an error where a quote stays open at its end."""
    if text.count('"') % 2:
        return Row(line, error=f"quotes do not match: {error}")
    return Row(line, tuple(next(dialect.reader([text], strict=False))))


def dialects(text: str) -> Iterator[Dialect]:
    """The dialects that a table's text may be in, likelier ones first."""
    header, _, rest = text.lstrip("\ufeff\r\n").partition("\n")
    if SEPARATOR_LINE.match(header.strip()):
        header = rest.partition("\n")[0]
    for delimiter in [each for each in DELIMITERS if each in header] or DELIMITERS:
        yield Dialect(delimiter)
        if '\\"' in text:
            yield Dialect(delimiter, "escaped")
        if '"' in text:
            yield Dialect(delimiter, "none")


def headed(table: Iterator[Row]) -> Iterator[Row]:
    """The rows from the header on: without empty ones before it, nor the `sep=;` line some spreadsheets write."""
    started = False
    for row in table:
        text = "".join(row.cells).strip("\ufeff \t\r\n")
        started = started or bool(row.error or (text and not SEPARATOR_LINE.match(text)))
        if started:
            yield row


def regular(header: Row, body: list[Row]) -> float:
    """Share of the rows that have as many cells as the header; 0 without rows."""
    return sum(len(row.cells) == len(header.cells) for row in body) / max(len(body), 1)
