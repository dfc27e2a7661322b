"""Writing to the catalogue: the only statements that change abstracts, their passages and vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from rag.catalogue import Catalogue, Vectors
from rag.types import Abstract, Passage

_COLUMNS = ("text", "raw", "title", "authors", "year", "venue", "url", "keywords", "language", "retracted")


_WORDED = ("title", "text", "keywords")
_JSON = json.JSONEncoder(ensure_ascii=False)


def add(catalogue: Catalogue, new: Sequence[tuple[Abstract, Sequence[Passage]]]) -> range:
    """Store abstracts whose ids no other has, with their passages, in the order given; returns their keys."""
    connection = catalogue.connection
    first = 1 + connection.execute("SELECT coalesce(max(key), 0) FROM abstract").fetchone()[0]
    keys = range(first, first + len(new))
    abstracts = [(key, abstract) for key, (abstract, _) in zip(keys, new, strict=True)]
    connection.executemany(
        f"INSERT INTO abstract (key, id, {', '.join(_COLUMNS)}) VALUES (?, ?{', ?' * len(_COLUMNS)})",  # noqa: S608 - own names
        [(key, *_row(abstract)) for key, abstract in abstracts],
    )
    # row by row: a statement that can fail halfway (SELECT, trigger) makes FTS5 write out what it has gathered so far
    worded = [(key, *(_column(abstract, name) for name in _WORDED)) for key, abstract in abstracts]
    connection.executemany(f"INSERT INTO lexical (rowid, {', '.join(_WORDED)}) VALUES (?, ?, ?, ?)", worded)  # noqa: S608 - own names
    aliases = [(alias, key) for key, abstract in abstracts for alias in abstract.aliases]
    connection.executemany("INSERT OR IGNORE INTO alias VALUES (?, ?)", aliases)
    cut = [(key, p.number, p.start, p.end) for key, (_, some) in zip(keys, new, strict=True) for p in some]
    connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?)", cut)
    return keys


def put(catalogue: Catalogue, abstract: Abstract, passages: Sequence[Passage] | None) -> None:
    """Store an abstract; `passages` replace its old ones and wait for vectors, None keeps those it has."""
    stored = catalogue.many([abstract.id]).get(abstract.id)
    if stored is None:
        add(catalogue, [(abstract, passages or ())])
        return
    change(catalogue, stored, abstract)
    if passages is not None:
        connection = catalogue.connection
        key = _key(connection, abstract.id)
        connection.execute("DELETE FROM vector WHERE abstract = ?", (key,))
        connection.execute("UPDATE abstract SET stored = 0 WHERE key = ?", (key,))
        put_passages(catalogue, abstract.id, passages)


def change(catalogue: Catalogue, stored: Abstract, now: Abstract) -> None:
    """Write the columns and add the aliases in which `now` differs; the full-text index follows where it must."""
    connection = catalogue.connection
    names = [name for name in _COLUMNS if getattr(now, name) != getattr(stored, name)]
    if names:
        changes = ", ".join(f"{name} = ?" for name in names)
        values = [*(_column(now, name) for name in names), stored.id]
        connection.execute(f"UPDATE abstract SET {changes} WHERE id = ?", values)  # noqa: S608 - own names
    key = _key(connection, stored.id)
    connection.executemany("INSERT OR IGNORE INTO alias VALUES (?, ?)", [(alias, key) for alias in now.aliases])


def put_passages(catalogue: Catalogue, identity: str, passages: Sequence[Passage]) -> None:
    """Replace an abstract's passages."""
    connection = catalogue.connection
    key = _key(connection, identity)
    connection.execute("DELETE FROM passage WHERE abstract = ?", (key,))
    rows = [(key, p.number, p.start, p.end) for p in passages]
    connection.executemany("INSERT INTO passage VALUES (?, ?, ?, ?)", rows)


def _row(abstract: Abstract) -> list[object]:
    """The id and the columns."""
    return [abstract.id, *(_column(abstract, name) for name in _COLUMNS)]


def _column(abstract: Abstract, name: str) -> object:
    value = getattr(abstract, name)
    return _JSON.encode(value) if isinstance(value, tuple) else value


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
