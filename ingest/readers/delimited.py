"""Tables as text: CSV, TSV and their relatives, with a header row of column names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ingest.parsing.columns import header_row, is_header, lacks_abstracts, names_of, record
from ingest.parsing.document import Document
from ingest.parsing.fields import has, known
from ingest.parsing.format import Confidence, Format
from ingest.records import RawRecord, Rejected
from rag.text.table import Dialect, Row, dialects, headed, regular, rows

LEAST_NAMED = 2
"""Parts that a table without abstracts names at least, so that it is not taken for prose with commas."""
PROBED_ROWS = 200
REGULAR_SHARE = 0.8


def recognises(document: Document) -> Confidence:
    """Likely when a row near the top names two parts of a record and the rows below it have its number of cells."""
    if document.encoding is None or document.tags:
        return Confidence.NO
    hint = Confidence.HINT if document.extension in FORMAT.extensions else Confidence.NO
    header, *body = probe(document, dialect_of(document)) or [Row(1)]
    named = is_header(header.cells) and (has("abstract", header.cells) or known(header.cells) > LEAST_NAMED)
    return Confidence.LIKELY if named and regular(header, body) >= REGULAR_SHARE else hint


def read(document: Document, titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each row below the header; each is rejected when there is no column of abstracts (nor of titles)."""
    dialect = dialect_of(document)
    header = next(iter(probe(document, dialect)), None)
    if header is None:
        return
    names = names_of(header.cells)
    lacking = lacks_abstracts(names, titles)
    first = header.line + 1 if known(names) else header.line  # a row that names nothing is no header
    with document.open(newline="") as lines:
        for row in rows(lines, dialect):
            if row.line < first or not (row.error or any(cell.strip() for cell in row.cells)):
                continue
            where = document.source.at(row.line)
            problem = row.error or lacking
            yield Rejected(where, problem) if problem else record(row.cells, names, where)


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
    whole = found if document.complete or len(found) == PROBED_ROWS else found[:-1]
    return whole[header_row([row.cells for row in whole]) :]


def encloses(body: list[Row]) -> bool:
    """Whether quotes that were read as letters enclose cells: most cells that begin with one end with one."""
    opened = [cell for row in body for cell in row.cells if cell.startswith('"')]
    return sum(cell.endswith('"') for cell in opened) * 2 > len(opened)


FORMAT = Format("CSV or TSV", (".csv", ".tsv", ".tab"), recognises, read)
