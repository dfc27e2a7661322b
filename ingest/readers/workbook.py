"""Excel workbooks (.xlsx): every sheet that has a header row of column names."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import IO, Any
from zipfile import BadZipFile

from ingest.parsing.columns import BANNER_ROWS, header_row, is_header, lacks_abstracts, names_of, record
from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.records import RawRecord, Rejected

ZIP = b"PK\x03\x04"
SPREADSHEET = (b"xl/", b"spreadsheetml")


def recognises(document: Document) -> Confidence:
    """Certain for a zip file that holds a spreadsheet."""
    if not document.head.startswith(ZIP):
        return Confidence.NO
    return Confidence.CERTAIN if any(mark in document.head for mark in SPREADSHEET) else Confidence.NO


def read(document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each row below a sheet's header, its place "file:row", or "file:sheet:row" where there are more."""
    name = document.source.name
    with document.source.open() as stream:
        try:
            sheets = list(opened(stream))
            for sheet in sheets:
                place = name if len(sheets) == 1 else f"{name}:{sheet.title}"
                yield from records(sheet, place, titles)
        except BROKEN as error:
            yield Rejected(name, f"is no readable workbook ({str(error) or type(error).__name__}); save it as CSV")


def opened(stream: IO[bytes]) -> Iterator[Any]:
    """The sheets that have cells, as openpyxl's read-only worksheets."""
    from openpyxl import load_workbook

    book = load_workbook(stream, read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # some writers state a wrong size
        if next(filled(sheet), None):
            yield sheet


def records(sheet: Any, place: str, titles: bool) -> Iterator[RawRecord | Rejected]:
    """The rows below the header; a sheet that has no such row is passed over where others may have one."""
    top = list(islice(filled(sheet), BANNER_ROWS))
    at, header = top[header_row([cells for _, cells in top])]
    names = names_of(header)
    if not is_header(header):
        yield Rejected(f"{place}:{at}", f"no row names the columns; accepted is one like title, abstract: {names[:6]}")
        return
    lacking = lacks_abstracts(names, titles)
    for number, cells in filled(sheet):
        if number > at:
            where = f"{place}:{number}"
            yield Rejected(where, lacking) if lacking else record(cells, names, where)


def filled(sheet: Any) -> Iterator[tuple[int, Sequence[str]]]:
    """Each row that is not blank, as text, with its 1-based number."""
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [text_of(cell) for cell in row]
        if any(map(str.strip, cells)):
            yield number, cells


def text_of(cell: Any) -> str:
    """A cell as a person sees it: whole numbers without decimals, dates as ISO has them."""
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)


BROKEN = (
    *(BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),  # the zip file
    *(SyntaxError, KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError),  # the XML in it
)
"""What openpyxl and the parsers below it raise for damaged files."""

FORMAT = Format("Excel workbook", (".xlsx", ".xlsm"), recognises, read)
