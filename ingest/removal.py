"""Abstracts that a person removed: gone from the shelf, remembered, so that no later ingest brings them back unasked.

The whole record is kept until it is restored, so that the last removal can be undone without its files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import Any

from ingest.merging import dedupe
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.errors import InputError
from rag.shelving import put, put_sources, remove
from rag.types import Abstract


@dataclass(frozen=True, slots=True)
class Chosen:
    """Abstracts to remove, and how many more a source gave that stay because another source has them too."""

    ids: tuple[str, ...]
    shared: int = 0


def chosen(catalogue: Catalogue, names: Sequence[str], globs: Sequence[str]) -> Chosen:
    """The abstracts with these ids or aliases, and those all of whose sources match one of the globs.

    A glob is held against a file's path and against its name. Raises InputError for what nothing on the shelf has.
    """
    found = {name: catalogue.find(name) for name in names}
    if unknown := [name for name, identity in found.items() if identity is None]:
        raise InputError(f"No abstract has the id {unknown[0]}.", "python -m rag search shows ids.")
    ids = dict.fromkeys(identity for identity in found.values() if identity)
    patterns = {glob: (glob, str(Path(glob).expanduser().absolute())) for glob in globs}
    used: set[str] = set()
    shared = 0
    for identity, sources in catalogue.all_sources():
        matching = [glob for path, _ in sources for glob in globs if _matches(path, patterns[glob])]
        used.update(matching)
        if matching and all(any(_matches(path, some) for some in patterns.values()) for path, _ in sources):
            ids[identity] = None
        elif matching and identity not in ids:
            shared += 1
    if unused := [glob for glob in globs if glob not in used]:
        raise InputError(f"No abstract comes from {unused[0]}.", "Name the file as it was ingested, or a glob.")
    return Chosen(tuple(catalogue.in_order(ids)), shared)


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path, pattern) or fnmatch(PurePath(path).name, pattern) for pattern in patterns)


def withdraw(catalogue: Catalogue, ids: Sequence[str]) -> list[str]:
    """Take abstracts off the shelf and remember them; returns the passages that the vector store must forget.

    In the caller's transaction; it leaves `dirty` behind for as long as the vector store still has them.
    """
    stale = [p.id for some in catalogue.passages(ids).values() for p in some]
    connection = catalogue.connection
    act = connection.execute("SELECT coalesce(max(act), 0) + 1 FROM removal").fetchone()[0]
    for identity in ids:
        abstract = catalogue.many([identity])[identity]
        record = json.dumps({**asdict(abstract), "sources": catalogue.sources(identity)}, ensure_ascii=False)
        row = (identity, act, time.strftime("%Y-%m-%d"), record)
        connection.execute("INSERT OR REPLACE INTO removal VALUES (?, ?, ?, ?)", row)
        names = {name for name in (identity, *abstract.aliases) if not name.startswith("file:")}
        connection.executemany("INSERT INTO removed_name VALUES (?, ?)", [(name, identity) for name in sorted(names)])
    remove(catalogue, ids)
    if stale:
        catalogue.set_meta({"dirty": "1"})
    return stale


def last(catalogue: Catalogue) -> list[str]:
    """The ids that were removed together the last time."""
    query = "SELECT id FROM removal WHERE act = (SELECT max(act) FROM removal) ORDER BY id"
    return [row[0] for row in catalogue.connection.execute(query)]


def put_back(catalogue: Catalogue, ids: Sequence[str]) -> None:
    """Give removed abstracts their place on the shelf again; their passages wait for vectors."""
    known = {field.name for field in fields(Abstract)}
    for identity in ids:
        query = "SELECT record FROM removal WHERE id = ?"
        kept = json.loads(catalogue.connection.execute(query, (identity,)).fetchone()[0])
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in kept.items() if name in known
        }
        values["sources"] = tuple(place for _, place in kept["sources"])
        abstract = Abstract(**values)
        put(catalogue, abstract, passages(abstract))
        put_sources(catalogue, identity, [(path, place) for path, place in kept["sources"]])
        dedupe.remember(catalogue, abstract)
        forgive(catalogue, identity)


def forgive(catalogue: Catalogue, identity: str) -> None:
    """Forget that an abstract was removed."""
    catalogue.connection.execute("DELETE FROM removal WHERE id = ?", (identity,))


def any_removed(catalogue: Catalogue) -> bool:
    """Whether anything was removed and not put back."""
    return catalogue.connection.execute("SELECT 1 FROM removal LIMIT 1").fetchone() is not None


def removals(catalogue: Catalogue, record: Abstract) -> Iterator[tuple[str, str]]:
    """The removed abstracts that a record would bring back, each with the day it was removed.

    Equal text alone brings back only what has no identifier of its own: two papers can share a publisher's text.
    """
    for name in (record.id, *record.aliases):
        query = "SELECT id, day FROM removal JOIN removed_name USING (id) WHERE name = ?"
        for identity, day in catalogue.connection.execute(query, (name,)).fetchall():
            if not name.startswith("sha-") or "sha-" in (identity[:4], record.id[:4]):
                yield identity, day
