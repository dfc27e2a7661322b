"""Workbooks (.xlsx): the first sheet that has a column of questions."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any
from zipfile import BadZipFile

from rag.errors import InputError
from rag.questions.columns import named, position
from rag.questions.row import Row

WORKBOOK_MARK = b"PK\x03\x04"


def workbook(data: bytes, path: str, column: str | None) -> Iterator[Row]:
    """A row for each row of the sheet below its header; numbers stay numbers, dates become ISO text."""
    for sheet in _sheets(data, path):
        cells = enumerate(sheet.iter_rows(values_only=True), 1)
        header: Sequence[Any] = next((row for _, row in cells if _filled(row)), ())
        titles = ["" if name is None else str(name) for name in header]
        if position(titles, column) is None:
            continue
        names = named(titles, path, column)
        for number, row in cells:
            if _filled(row):
                fields = {name: _value(cell) for name, cell in zip(names, row, strict=False) if name}
                yield Row(f"{path}:{number}", fields)
        return
    raise InputError(
        f"{path} has no sheet with a column named {column or 'question'}.",
        "Name the column question, or give --column NAME.",
    )


def _sheets(data: bytes, path: str) -> Iterator[Any]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        yield from load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets
    except (BadZipFile, InvalidFileException, KeyError, ValueError, SyntaxError) as error:
        raise InputError(f"{path} is no readable workbook: {error}.", "Save it as .xlsx or .csv again.") from None


def _filled(row: Sequence[Any]) -> bool:
    return any(cell is not None and str(cell).strip() for cell in row)


def _value(cell: Any) -> Any:
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell if cell is None or isinstance(cell, str | int | float) else str(cell)
