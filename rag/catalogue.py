"""The record of a shelf in SQLite: abstracts, passages, vectors, full-text index, and what built them.

The vector store can be rebuilt from here at any time; nothing is kept only there.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.errors import IndexUnusableError
from rag.ranking.dense import PassageVectors, gathered
from rag.schema import migrate
from rag.types import Abstract, Passage

FILE_NAME = "catalogue.sqlite3"
BUSY_SECONDS = 20
MAPPED_BYTES = 1 << 30
"""Of the file read through a memory map: a search reads some hundred matrices, in half the time."""
_VARIABLES = 500  # ids in one statement; SQLite's oldest limit is 999

Matrix = NDArray[np.float32]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """An abstract's unit vectors: one row a passage, by number; one row a sentence, as `sentences.split` cuts them."""

    passages: Matrix
    sentences: Matrix

    def encode(self) -> bytes:
        """As float16, passages first; a unit row's components lose less than 5e-4."""
        return np.concatenate([self.passages, self.sentences]).astype(np.float16).tobytes()

    @classmethod
    def decode(cls, blob: bytes, passages: int, dimensions: int) -> Vectors:
        """The inverse of `encode`."""
        rows = np.frombuffer(blob, np.float16).reshape(-1, dimensions).astype(np.float32)
        return cls(rows[:passages], rows[passages:])


class Catalogue:
    """One SQLite file; safe to use from several threads, each of which gets a connection of its own."""

    def __init__(self, home: Path, *, create: bool = False) -> None:
        """Open the catalogue in the folder `home`, made first with `create`; raises IndexUnusableError."""
        self.path = home / FILE_NAME
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        try:
            if home.is_file():
                raise IndexUnusableError(f"{home} is a file.", "Name a folder with --home.")
            if create:
                home.mkdir(parents=True, exist_ok=True)
            elif not self.path.is_file():
                raise IndexUnusableError(
                    f"There is no index in {home}.", "Make one: python -m ingest FILE (or name another with --home)."
                )
            migrate(self.connection)
        except (sqlite3.Error, OSError) as error:
            self.close()
            damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
            fix = (
                "Move the file away and ingest your files again." if damaged else "See that the folder can be written."
            )
            raise IndexUnusableError(f"The catalogue {self.path} cannot be opened: {error}.", fix) from error

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
            with self._guard:
                self._connections.append(found)
            found.execute("PRAGMA journal_mode = WAL")
            found.execute("PRAGMA synchronous = NORMAL")
            found.execute("PRAGMA foreign_keys = ON")
            found.execute(f"PRAGMA mmap_size = {MAPPED_BYTES}")
            self._local.connection = found
        return found

    def close(self) -> None:
        """Close every thread's connection."""
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing; raises IndexUnusableError when the disk is full, read-only or held too long."""
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise IndexUnusableError(
                f"The catalogue {self.path} cannot be written: {error}.",
                "Free the disk or the folder's permissions, or wait for the other process, then run again.",
            ) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    # --- what built the index ---

    def meta(self, key: str) -> str | None:
        """A remembered fact about the index, None where it was never set."""
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Remember facts; inside a transaction they are part of it."""
        self.connection.executemany(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", values.items()
        )

    @property
    def generation(self) -> int:
        """Moves with every change of the vector store, so that readers know when to reopen it."""
        return int(self.meta("generation") or 0)

    # --- reading ---

    def counts(self) -> tuple[int, int]:
        """Abstracts and passages."""
        row = self.connection.execute("SELECT (SELECT count(*) FROM abstract), (SELECT count(*) FROM passage)")
        abstracts, passages = row.fetchone()
        return abstracts, passages

    def has(self, identity: str) -> bool:
        """Whether an abstract has this id (not alias)."""
        return self.connection.execute("SELECT 1 FROM abstract WHERE id = ?", (identity,)).fetchone() is not None

    def find(self, name: str) -> str | None:
        """The id of the abstract with this id or alias; the first stored where several share an alias."""
        row = self.connection.execute(
            "SELECT id FROM (SELECT key, id, 0 AS other FROM abstract WHERE id = :name UNION ALL "
            "SELECT a.key, a.id, 1 FROM alias JOIN abstract AS a ON a.key = abstract WHERE alias = :name) "
            "ORDER BY other, key LIMIT 1",
            {"name": name},
        ).fetchone()
        return row[0] if row else None

    def get(self, name: str) -> Abstract | None:
        """The abstract with this id or alias."""
        identity = self.find(name)
        return self.many([identity])[identity] if identity else None

    def many(self, ids: Sequence[str]) -> dict[str, Abstract]:
        """Abstracts by id (not by alias), those that exist."""
        found: dict[str, Abstract] = {}
        for some in _portions(ids):
            marks = ",".join("?" * len(some))
            rows = self.connection.execute(f"SELECT * FROM abstract WHERE id IN ({marks})", some).fetchall()  # noqa: S608 - only marks
            keys = [row[0] for row in rows]
            aliases = self._lists("alias", "alias", "alias", keys)
            sources = self._lists("source", "place", "position", keys)
            for key, identity, text, raw, title, authors, year, venue, url, keywords, _, language, retracted in rows:
                found[identity] = Abstract(
                    id=identity,
                    text=text,
                    raw=raw,
                    title=title,
                    authors=tuple(json.loads(authors)),
                    year=year,
                    venue=venue,
                    url=url,
                    keywords=tuple(json.loads(keywords)),
                    language=language,
                    retracted=retracted,
                    aliases=tuple(aliases.get(key, ())),
                    sources=tuple(sources.get(key, ())),
                )
        return found

    def _lists(self, table: str, column: str, order: str, keys: Sequence[int]) -> dict[int, list[str]]:
        lists: dict[int, list[str]] = {}
        marks = ",".join("?" * len(keys))
        query = f"SELECT abstract, {column} FROM {table} WHERE abstract IN ({marks}) ORDER BY abstract, {order}"  # noqa: S608 - own names
        for key, value in self.connection.execute(query, keys):
            lists.setdefault(key, []).append(value)
        return lists

    def sources(self, identity: str) -> list[tuple[str, str]]:
        """Where an abstract was seen: (absolute path, "file:line" as given), first seen first."""
        query = "SELECT path, place FROM source JOIN abstract ON key = abstract WHERE id = ? ORDER BY position"
        return self.connection.execute(query, (identity,)).fetchall()

    def all_sources(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Every abstract's id with its sources, as `sources` gives them, in order of storing."""
        query = "SELECT id, path, place FROM source JOIN abstract ON key = abstract ORDER BY abstract, position"
        for identity, rows in groupby(self.connection.execute(query), key=lambda row: row[0]):
            yield identity, [(path, place) for _, path, place in rows]

    def ids(self) -> list[str]:
        """All ids, in the order they were first stored."""
        return [row[0] for row in self.connection.execute("SELECT id FROM abstract ORDER BY key")]

    def in_order(self, ids: Iterable[str]) -> list[str]:
        """The given ids in the order they were first stored."""
        keys: dict[str, int] = {}
        for some in _portions(list(ids)):
            marks = ",".join("?" * len(some))
            keys.update(self.connection.execute(f"SELECT id, key FROM abstract WHERE id IN ({marks})", some).fetchall())  # noqa: S608 - only marks
        return sorted(keys, key=keys.__getitem__)

    def passages(self, ids: Sequence[str]) -> dict[str, list[Passage]]:
        """The passages of abstracts, in the order of their numbers."""
        found: dict[str, list[Passage]] = {}
        for some in _portions(ids):
            marks = ",".join("?" * len(some))
            query = (
                f"SELECT id, number, start, end FROM passage JOIN abstract ON key = abstract WHERE id IN ({marks}) "  # noqa: S608 - only marks
                "ORDER BY abstract, number"
            )
            for identity, number, start, end in self.connection.execute(query, some):
                found.setdefault(identity, []).append(Passage(identity, number, start, end))
        return found

    def vectors(self, ids: Sequence[str], index: str) -> dict[str, Vectors]:
        """The vectors of abstracts, as the index identity `index` has them; those not embedded yet are left out."""
        found: dict[str, Vectors] = {}
        for some in _portions(ids):
            marks = ",".join("?" * len(some))
            query = (
                "SELECT id, passages, matrix FROM vector JOIN abstract ON key = abstract "  # noqa: S608 - only marks
                f"WHERE index_identity = ? AND id IN ({marks})"
            )
            for identity, passages, blob in self.connection.execute(query, [index, *some]):
                found[identity] = Vectors.decode(blob, passages, self.dimensions)
        return found

    def passage_vectors(self, keys: Sequence[int], index: str) -> tuple[NDArray[np.int64], PassageVectors]:
        """Vectors of passages alone, for many abstracts at once: the keys of those embedded, ascending, and theirs."""
        found: list[tuple[int, bytes]] = []
        width = 2 * self.dimensions
        for some in _portions(sorted(keys)):
            marks = ",".join("?" * len(some))
            query = (
                "SELECT abstract, substr(matrix, 1, passages * ?) FROM vector "  # noqa: S608 - only marks
                f"WHERE index_identity = ? AND abstract IN ({marks}) ORDER BY abstract"
            )
            found += self.connection.execute(query, [width, index, *some])
        return np.array([key for key, _ in found], np.int64), gathered([blob for _, blob in found], self.dimensions)

    @property
    def dimensions(self) -> int:
        """Components of a vector."""
        return int(self.meta("dimensions") or 0)

    def waiting(self) -> list[str]:
        """Abstracts whose passages the vector store does not hold yet."""
        return [row[0] for row in self.connection.execute("SELECT id FROM abstract WHERE stored = 0 ORDER BY key")]


def _portions(items: Sequence[T]) -> Iterator[list[T]]:
    unique = list(dict.fromkeys(items))
    for start in range(0, len(unique), _VARIABLES):
        yield unique[start : start + _VARIABLES]
