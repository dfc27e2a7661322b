"""Tables of questions with the answers that are expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rag.questions.delimited import delimited
from rag.questions.row import Row

NAMES = {
    "answer": ("answer", "expected", "expected answer", "reference", "ground_truth", "ground truth"),
    "gold": ("gold", "relevant", "sources"),
    "facts": ("facts",),
    "quote": ("quote", "quotes"),
    "type": ("type", "category"),
}
"""Columns that say something, and what they may be called, in any case."""
LISTS = ("gold", "facts", "quote")
SEPARATOR = ";"
"""Between the items of one cell."""


def table_rows(text: str, path: str) -> Iterator[Row]:
    """A row for each line of a table with a column `question`; raises InputError, naming file and line."""
    for where, fields in delimited(text, path, None):
        yield Row(where, _fields(fields))


def _fields(cells: Mapping[str, Any]) -> dict[str, Any]:
    ours = {theirs: name for name, all_theirs in NAMES.items() for theirs in all_theirs}
    fields: dict[str, Any] = {}
    for column, cell in cells.items():
        name = ours.get(column.casefold(), column)
        if name in LISTS:
            fields[name] = [item.strip() for item in cell.split(SEPARATOR) if item.strip()]
        elif name in NAMES:
            fields[name] = cell.strip() or None
        elif cell.strip():
            fields[column] = cell
    return fields
