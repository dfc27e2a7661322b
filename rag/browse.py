"""A shelf to look through: its files, years and abstracts, read a page at a time."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

from rag.catalogue import Catalogue


class Counted(NamedTuple):
    """Something and in how many abstracts it is found."""

    name: str
    abstracts: int


def files(catalogue: Catalogue) -> list[Counted]:
    """The names of the files that the shelf was read from, most abstracts first."""
    query = "SELECT path, count(DISTINCT abstract) FROM source GROUP BY path"
    counts: dict[str, int] = {}
    for path, number in catalogue.connection.execute(query):
        name = PurePath(path.replace("\\", "/")).name
        counts[name] = counts.get(name, 0) + number
    return [Counted(name, number) for name, number in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


def years(catalogue: Catalogue) -> list[tuple[int | None, int]]:
    """Years with the number of their abstracts, ascending; those without a year stand at the end under None."""
    query = "SELECT year, count(*) FROM abstract GROUP BY year ORDER BY year IS NULL, year"
    return catalogue.connection.execute(query).fetchall()
