"""Tables as text: CSV, TSV and their relatives, with a header row of column names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from ingest.document import Document
from ingest.fields import ACCEPTED_ABSTRACT_NAMES, has, known
from ingest.format import Confidence, Format
from ingest.records import RawRecord, Rejected
from rag.text.table import Dialect, Row, dialects, headed, regular, rows

COLUMN_NAME_CHARS = 80
NAMES_SHOWN = 15
PROBED_ROWS = 200
REGULAR_SHARE = 0.8


def recognises(document: Document) -> Confidence:
    """Likely when the first row names an abstract and another part, and the rows below have its number of cells."""
    if document.encoding is None:
        return Confidence.NO
    hint = Confidence.HINT if document.extension in FORMAT.extensions else Confidence.NO
    header, *body = probe(document, dialect_of(document)) or [Row(1)]
    short = all(len(name) <= COLUMN_NAME_CHARS for name in header.cells)
    if short and has("abstract", header.cells) and known(header.cells) > 1 and regular(header, body) >= REGULAR_SHARE:
        return Confidence.LIKELY
    return hint


def read(document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each row; one Rejected for the whole table when it has no column of abstracts (nor of titles)."""
    with document.open(newline="") as lines:
        table = headed(rows(lines, dialect_of(document)))
        header = next(table, None)
        if header is None:
            return
        names = [name.strip("\ufeff \t\r\n\xa0") for name in header.cells]
        if not has("abstract", names) and not (titles and has("title", names)):
            yield Rejected(document.source.name, missing_column(names))
            return
        for row in table:
            if row.error or any(cell.strip() for cell in row.cells):
                yield record(row, names, document.source.at(row.line))


def record(row: Row, names: list[str], where: str) -> RawRecord | Rejected:
    """The row's cells under their columns' names; of columns with equal names the first counts."""
    if row.error:
        return Rejected(where, row.error)
    if any(cell.strip() for cell in row.cells[len(names) :]):
        return Rejected(where, f"{len(row.cells)} cells, the header has {len(names)}: is a cell missing its quotes?")
    return RawRecord(cells_by_name(row, names), where)


def cells_by_name(row: Row, names: list[str]) -> Mapping[str, str]:
    """The row as a mapping; cells that a short row lacks are left out."""
    fields: dict[str, str] = {}
    for name, cell in zip(names, row.cells, strict=False):
        if name:
            fields.setdefault(name, cell)
    return fields


def dialect_of(document: Document) -> Dialect:
    """The dialect in which the header names the most known parts and the most rows have the header's cells."""

    def merit(dialect: Dialect) -> tuple[int, float, int]:
        header, *body = probe(document, dialect) or [Row(1)]
        wrong = dialect.quoting == "none" and encloses(body)
        return known(header.cells), 0 if wrong else regular(header, body), len(header.cells)

    return max(dialects(document.text), key=merit)


def probe(document: Document, dialect: Dialect) -> list[Row]:
    """The header and the first rows; without the last one of a head that is cut."""
    lines = document.text.splitlines(keepends=True)
    found = list(islice(headed(rows(lines, dialect)), PROBED_ROWS))
    return found if document.complete or len(found) == PROBED_ROWS else found[:-1]


def encloses(body: list[Row]) -> bool:
    """Whether quotes that were read as letters enclose cells: most cells that begin with one end with one."""
    opened = [cell for row in body for cell in row.cells if cell.startswith('"')]
    return sum(cell.endswith('"') for cell in opened) * 2 > len(opened)


def missing_column(names: list[str]) -> str:
    """What the table has instead of a column of abstracts."""
    shown = ", ".join(names[:NAMES_SHOWN])
    if len(names) > NAMES_SHOWN:
        shown += f" and {len(names) - NAMES_SHOWN} more"
    return f"has no column of abstracts; its columns are {shown}; accepted names are {ACCEPTED_ABSTRACT_NAMES}"


FORMAT = Format("CSV or TSV", (".csv", ".tsv", ".tab"), recognises, read)
