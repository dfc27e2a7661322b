"""Where a run has seen which abstract, kept in a temporary table: a run of a million records holds none in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rag.catalogue import Catalogue


class Sightings:
    """Places by abstract and file, in order of sight; gone with the catalogue's connection."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._connection = catalogue.connection
        self._connection.execute("DROP TABLE IF EXISTS temp.sighting")
        self._connection.execute(
            "CREATE TEMP TABLE sighting (id TEXT NOT NULL, path TEXT NOT NULL, place TEXT NOT NULL)"
        )
        self._connection.execute("CREATE INDEX temp.sighting_id ON sighting (id, path)")

    def add(self, identity: str, path: str, place: str) -> None:
        """Note that a record at `place` of the file `path` belongs to an abstract."""
        self.add_all([(identity, path, place)])

    def add_all(self, seen: Iterable[tuple[str, str, str]]) -> None:
        """As `add`, of many: identity, path, place."""
        self._connection.executemany("INSERT INTO sighting VALUES (?, ?, ?)", seen)

    def first(self, identity: str) -> str | None:
        """The place where the run first saw an abstract."""
        query = "SELECT place FROM sighting WHERE id = ? ORDER BY rowid LIMIT 1"
        row = self._connection.execute(query, (identity,)).fetchone()
        return row[0] if row else None

    def places(self, identity: str, path: str) -> list[str]:
        """All places of an abstract in one file."""
        query = "SELECT place FROM sighting WHERE id = ? AND path = ? ORDER BY rowid"
        return [row[0] for row in self._connection.execute(query, (identity, path))]

    def saw(self, identity: str, path: str) -> bool:
        """Whether the file `path` gave this abstract."""
        query = "SELECT 1 FROM sighting WHERE id = ? AND path = ?"
        return self._connection.execute(query, (identity, path)).fetchone() is not None

    def paths(self) -> set[str]:
        """The files that gave anything."""
        return {row[0] for row in self._connection.execute("SELECT DISTINCT path FROM sighting")}

    def ids(self) -> Iterator[str]:
        """The abstracts seen."""
        yield from (row[0] for row in self._connection.execute("SELECT DISTINCT id FROM sighting"))

    def rename(self, old: str, new: str) -> None:
        """What was seen of one abstract counts for the one that took it in."""
        self._connection.execute("UPDATE sighting SET id = ? WHERE id = ?", (new, old))
