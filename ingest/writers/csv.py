"""CSV with a header, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json

from ingest.readers.delimited import FORMAT
from ingest.writers import Writer
from ingest.writers.parts import identifier, key, line
from rag.export.table import safe
from rag.types import Abstract

COLUMNS = (
    *("title", "abstract", "authors", "year", "venue", "doi", "arxiv", "pmid", "url", "keywords", "language"),
    *("retracted", "key", "footnote"),
)


def write(abstract: Abstract, exact: dict[str, object]) -> str:
    """One row; names and terms are parted by semicolons."""
    cells = (
        abstract.title,
        abstract.text,
        "; ".join(abstract.authors),
        str(abstract.year or ""),
        abstract.venue,
        *(identifier(abstract, kind) for kind in ("doi", "arxiv", "pmid")),
        abstract.url,
        "; ".join(abstract.keywords),
        abstract.language,
        abstract.retracted,
        key(abstract),
    )
    return _row([str(safe(line(cell))) for cell in cells] + [json.dumps(exact) if exact else ""])


def _row(cells: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


WRITER = Writer(write, FORMAT, _row(list(COLUMNS)))
