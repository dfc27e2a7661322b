"""Writing to the catalogue: the only statements that change abstracts, their passages and vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from rag.catalogue import Catalogue, Vectors
from rag.types import Abstract, Passage

_COLUMNS = ("text", "raw", "title", "authors", "year", "venue", "url", "keywords", "language", "retracted")


def put(catalogue: Catalogue, abstract: Abstract, passages: Sequence[Passage] | None) -> None:
    """Store an abstract; `passages` replace its old ones and wait for vectors, None keeps those it has."""
    connection = catalogue.connection
    values = [_column(abstract, name) for name in _COLUMNS]
    changes = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS)
    connection.execute(
        f"INSERT INTO abstract (id, {', '.join(_COLUMNS)}) VALUES (?{', ?' * len(_COLUMNS)}) "  # noqa: S608 - own names
        f"ON CONFLICT (id) DO UPDATE SET {changes}",
        [abstract.id, *values],
    )
    key = _key(connection, abstract.id)
    connection.executemany("INSERT OR IGNORE INTO alias VALUES (?, ?)", [(alias, key) for alias in abstract.aliases])
    if passages is not None:
        connection.execute("DELETE FROM vector WHERE abstract = ?", (key,))
        connection.execute("UPDATE abstract SET stored = 0 WHERE key = ?", (key,))
        put_passages(catalogue, abstract.id, passages)


def put_passages(catalogue: Catalogue, identity: str, passages: Sequence[Passage]) -> None:
    """Replace an abstract's passages."""
    connection = catalogue.connection
    key = _key(connection, identity)
    connection.execute("DELETE FROM passage WHERE abstract = ?", (key,))
    rows = [(key, p.number, p.start, p.end) for p in passages]
    connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?)", rows)


def _column(abstract: Abstract, name: str) -> object:
    value = getattr(abstract, name)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value


def _key(connection: sqlite3.Connection, identity: str) -> int:
    key: int = connection.execute("SELECT key FROM abstract WHERE id = ?", (identity,)).fetchone()[0]
    return key


def put_sources(catalogue: Catalogue, identity: str, sources: Sequence[tuple[str, str]]) -> None:
    """Set where an abstract was seen: (absolute path, "file:line" as given), first seen first."""
    connection = catalogue.connection
    key = _key(connection, identity)
    connection.execute("DELETE FROM source WHERE abstract = ?", (key,))
    rows = [(key, position, path, place) for position, (path, place) in enumerate(sources)]
    connection.executemany("INSERT INTO source VALUES (?, ?, ?, ?)", rows)


def put_vectors(catalogue: Catalogue, index: str, vectors: Mapping[str, Vectors]) -> None:
    """Keep the vectors of abstracts under the identity of the index they belong to."""
    connection = catalogue.connection
    rows = [
        (_key(connection, identity), index, len(some.passages), some.encode()) for identity, some in vectors.items()
    ]
    connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", rows)


def drop_vectors(catalogue: Catalogue, *, keep: str) -> None:
    """Forget the vectors of every index identity but one."""
    catalogue.connection.execute("DELETE FROM vector WHERE index_identity <> ?", (keep,))


def mark_stored(catalogue: Catalogue, ids: Iterable[str]) -> None:
    """Note that the vector store holds the passages of these abstracts."""
    catalogue.connection.executemany("UPDATE abstract SET stored = 1 WHERE id = ?", [(i,) for i in ids])


def remove(catalogue: Catalogue, ids: Iterable[str]) -> None:
    """Forget abstracts with all that hangs on them."""
    catalogue.connection.executemany("DELETE FROM abstract WHERE id = ?", [(i,) for i in ids])
