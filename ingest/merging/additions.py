"""New abstracts on their way into the catalogue: what a batch brings is looked up at once and stored at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ingest.merging.dedupe import title_hash, words_hash
from ingest.merging.sightings import Sightings
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.shelving import add
from rag.types import Abstract, Passage

_VARIABLES = 500
"""Values in one statement; SQLite's oldest limit is 999."""
_NAMED = (
    "SELECT id FROM abstract WHERE id IN ({0})",
    "SELECT alias FROM alias WHERE alias IN ({0})",
    "SELECT name FROM removed_name WHERE name IN ({0})",
)
_TITLED = "SELECT title_hash FROM fingerprint WHERE title_hash IN ({0})"


class _New(NamedTuple):
    """An abstract as it is stored: cut, the file it was seen in, and its hashes."""

    abstract: Abstract
    passages: Sequence[Passage]
    path: str
    title: int | None
    words: int


class Additions:
    """Abstracts that nothing on the shelf, and nothing before them, has to do with, held back until `flush`.

    What is not certainly new (a name or a title of it is known, or it was not foreseen) is left to whoever asks, who
    flushes first: the keys then follow the order of the records.
    """

    def __init__(self, catalogue: Catalogue, sightings: Sightings) -> None:
        self._catalogue = catalogue
        self._sightings = sightings
        self._foreseen: set[str] = set()
        self._known: set[str | int] = set()
        self._waiting: list[_New] = []

    def foresee(self, records: Sequence[Abstract]) -> None:
        """Look up the ids, aliases and titles of the records that are entered next."""
        names = list(dict.fromkeys(name for record in records for name in _names(record)))
        titles = {title_hash(record.title) for record in records} - {None}
        self._foreseen = {record.id for record in records}
        self._known = {found for query in _NAMED for found in self._selected(query, names)}
        self._known.update(self._selected(_TITLED, list(titles)))

    def take(self, record: Abstract, path: str) -> bool:
        """Hold a record of the file `path` back as new; False, and nothing is done, where it may not be."""
        marks = _marks(record)
        new = record.id in self._foreseen and self._known.isdisjoint(marks)
        self._known.update(marks)
        if new:
            hashes = title_hash(record.title), words_hash(record.text)
            self._waiting.append(_New(record, passages(record), path, *hashes))
        return new

    def flush(self) -> list[str]:
        """Store what is held back, in its order; returns the ids."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return []
        keys = add(self._catalogue, [(new.abstract, new.passages) for new in waiting])
        keyed = list(zip(keys, waiting, strict=True))
        connection = self._catalogue.connection
        sources = [(key, 0, new.path, new.abstract.sources[0]) for key, new in keyed]
        connection.executemany("INSERT INTO source VALUES (?, ?, ?, ?)", sources)
        hashes = [(key, new.title, new.words) for key, new in keyed]
        connection.executemany("INSERT INTO fingerprint VALUES (?, ?, ?)", hashes)
        self._sightings.add_all((new.abstract.id, new.path, new.abstract.sources[0]) for new in waiting)
        return [new.abstract.id for new in waiting]

    def _selected(self, query: str, values: Sequence[Any]) -> Iterator[Any]:
        for start in range(0, len(values), _VARIABLES):
            some = values[start : start + _VARIABLES]
            yield from (row[0] for row in self._catalogue.connection.execute(query.format(_places(some)), some))


def _names(record: Abstract) -> Iterator[str]:
    """By which another record can be this one; a file's own key is nobody else's."""
    yield record.id
    yield from (alias for alias in record.aliases if not alias.startswith("file:"))


def _marks(record: Abstract) -> list[str | int]:
    title = title_hash(record.title)
    return [*_names(record), *(() if title is None else (title,))]


def _places(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
