"""What tables of every kind share: which row is the header, and what a row below it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingest.parsing.fields import ACCEPTED_ABSTRACT_NAMES, NAMES, has, known, plain
from ingest.parsing.web_of_science import renamed
from ingest.records import RawRecord, Rejected
from ingest.text.reprs import is_shortened, unrepresented

BANNER_ROWS = 30
"""Rows above the header that a program's name, a search and a date may take."""
COLUMN_NAME_CHARS = 80
NAMES_SHOWN = 15
LISTS = frozenset({*NAMES["abstract"], *NAMES["authors"], *NAMES["keywords"]})
"""Columns in which a list that was written as text is read as a list again."""


def header_row(rows: Sequence[Sequence[str]]) -> int:
    """Index of the row that names the columns: the first of the top rows that names two parts, else the first."""
    for index, cells in enumerate(rows[:BANNER_ROWS]):
        if is_header(cells):
            return index
    return 0


def is_header(cells: Sequence[str]) -> bool:
    """Whether short cells name at least two parts of a record, its abstract or title among them."""
    names = names_of(cells)
    short = all(len(name) <= COLUMN_NAME_CHARS for name in names)
    return short and known(names) > 1 and (has("abstract", names) or has("title", names))


def names_of(cells: Sequence[str]) -> list[str]:
    """The columns' names; Web of Science's two letters as the words they stand for."""
    return renamed([cell.strip("\ufeff \t\r\n\xa0") for cell in cells])


def record(cells: Sequence[str], names: Sequence[str], where: str) -> RawRecord | Rejected:
    """The row's cells under their columns' names; of columns with equal names the first counts."""
    if any(cell.strip() for cell in cells[len(names) :]):
        return Rejected(where, f"{len(cells)} cells, the header has {len(names)}: is a cell missing its quotes?")
    if any(is_shortened(cell) for name, cell in zip(names, cells, strict=False) if plain(name) in NAMES["abstract"]):
        return Rejected(where, "no whole abstract: numpy shortened its list of sentences")
    return RawRecord(cells_by_name(cells, names), where)


def cells_by_name(cells: Sequence[str], names: Sequence[str]) -> Mapping[str, object]:
    """The row as a mapping; cells that a short row lacks are left out."""
    fields: dict[str, object] = {}
    for name, cell in zip(names, cells, strict=False):
        if name:
            fields.setdefault(name, unrepresented(cell) if plain(name) in LISTS else cell)
    return fields


def lacks_abstracts(names: Sequence[str], titles: bool) -> str | None:
    """Why no row of a table with these columns can be kept: what it has instead of a column of abstracts."""
    if has("abstract", names) or (titles and has("title", names)):
        return None
    shown = ", ".join(names[:NAMES_SHOWN])
    if len(names) > NAMES_SHOWN:
        shown += f" and {len(names) - NAMES_SHOWN} more"
    return f"no abstract: the table's columns are {shown}; accepted names are {ACCEPTED_ABSTRACT_NAMES}"
