"""Tables as text: whatever delimiter, quotes and line ends a spreadsheet writes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice

from rag.errors import InputError
from rag.questions.columns import named, position
from rag.questions.row import Row
from rag.text.table import Dialect, dialects, headed, regular
from rag.text.table import Row as TableRow
from rag.text.table import rows as table_rows

_PROBED_ROWS = 200


def delimited(text: str, path: str, column: str | None) -> Iterator[Row]:
    """A row for each line of the table below its header; rows of empty cells are skipped."""
    table = _table(text, _dialect(text, column))
    header = next(table, None)
    names = named(header.cells if header else (), path, column)
    for row in table:
        where = f"{path}:{row.line}"
        if row.error:
            raise InputError(f"{where}: {row.error}.", "Mend the row.")
        if any(cell.strip() for cell in row.cells[len(names) :]):
            raise InputError(
                f"{where} has {len(row.cells)} cells, the header {len(names)}.", "Put cells with commas in quotes."
            )
        if any(cell.strip() for cell in row.cells):
            yield Row(where, {name: cell for name, cell in zip(names, row.cells, strict=False) if name})


def is_table(text: str, column: str | None) -> bool:
    """Whether the first line names a column of questions."""
    header = next(_table(text, _dialect(text, column)), None)
    return header is not None and not header.error and position(header.cells, column) is not None


def _table(text: str, dialect: Dialect) -> Iterator[TableRow]:
    return headed(table_rows(io.StringIO(text, newline=""), dialect))


def _dialect(text: str, column: str | None) -> Dialect:
    """The dialect that finds the column of questions and gives the most rows as many cells as the header has."""

    def merit(dialect: Dialect) -> tuple[bool, float, int]:
        header, *body = list(islice(_table(text, dialect), _PROBED_ROWS)) or [TableRow(1)]
        found = position(header.cells, column) is not None
        return found, regular(header, body) if body else 1.0, len(header.cells)

    # A quote that does not close is reported with its line rather than read as a letter.
    return max((dialect for dialect in dialects(text) if dialect.quoting != "none"), key=merit)
