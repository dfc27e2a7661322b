"""A shelf to look through: its files, years and abstracts, a page at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from rag import filters
from rag.catalogue import Catalogue
from rag.types import Abstract, Filters, Passage

_WORD = re.compile(r"\w+")


class Counted(NamedTuple):
    """Something and in how many abstracts it is found."""

    name: str
    abstracts: int


class Found(NamedTuple):
    """A page of what was looked for, and how many there are in all."""

    abstracts: list[Abstract]
    total: int


@dataclass(frozen=True, slots=True)
class Paper:
    """An abstract with its passages."""

    abstract: Abstract
    passages: tuple[Passage, ...]


def files(catalogue: Catalogue) -> list[Counted]:
    """The names of the files that the shelf was read from, most abstracts first."""
    counts: dict[str, int] = {}
    for path, number in catalogue.connection.execute("SELECT path, count(DISTINCT abstract) FROM source GROUP BY path"):
        name = PurePath(path.replace("\\", "/")).name
        counts[name] = counts.get(name, 0) + number
    return [Counted(name, number) for name, number in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


def years(catalogue: Catalogue) -> list[tuple[int | None, int]]:
    """Years with the number of their abstracts, ascending; those without a year stand at the end under None."""
    query = "SELECT year, count(*) FROM abstract GROUP BY year ORDER BY year IS NULL, year"
    return catalogue.connection.execute(query).fetchall()


def retracted(catalogue: Catalogue) -> list[str]:
    """Ids of the papers that are known to be retracted, in the order of storing."""
    return [
        row[0]
        for row in catalogue.connection.execute("SELECT id FROM abstract WHERE retracted IS NOT NULL ORDER BY key")
    ]


def retracted_among(catalogue: Catalogue, ids: Sequence[str]) -> set[str]:
    """Those of the ids whose papers are known by now to be retracted."""
    query = "SELECT id FROM abstract WHERE id IN (SELECT value FROM json_each(?)) AND retracted IS NOT NULL"
    return {row[0] for row in catalogue.connection.execute(query, (json.dumps(ids),))}


def look(
    catalogue: Catalogue, words: str, chosen: Filters, first: int, count: int, *, only: Sequence[str] | None = None
) -> Found:
    """`count` abstracts from the `first` on (0-based) of those that hold all of `words` and pass the filters.

    With words the best fit comes first, else the order of storing; the last word may be the beginning of one. `only`
    narrows it to these ids.
    """
    ids = _matching(catalogue, words) if _WORD.search(words) else catalogue.ids()
    for passing in (filters.allowed(catalogue, chosen), only):
        if passing is not None:
            kept = set(passing)
            ids = [identity for identity in ids if identity in kept]
    page = ids[first : first + count]
    known = catalogue.many(page)
    return Found([known[identity] for identity in page], len(ids))


def _matching(catalogue: Catalogue, words: str) -> list[str]:
    query = (
        "SELECT id FROM lexical JOIN abstract ON key = lexical.rowid WHERE lexical MATCH ? "
        "ORDER BY bm25(lexical, 5.0, 1.0, 2.0), key"
    )
    typed = _WORD.findall(words)
    match = " ".join(f'"{word}"' for word in typed) + "*"
    return [row[0] for row in catalogue.connection.execute(query, (match,))]


def paper(catalogue: Catalogue, name: str) -> Paper | None:
    """The abstract with this id or alias, and its passages."""
    abstract = catalogue.get(name)
    if abstract is None:
        return None
    return Paper(abstract, tuple(catalogue.passages([abstract.id]).get(abstract.id, ())))
