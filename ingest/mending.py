"""What `doctor --fix` does: each fault that can be mended without the files, mended from the catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.indexing import Indexer
from ingest.lock import writing
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.config import Settings
from rag.doctoring.check import MEND, Check
from rag.doctoring.records import UNLEARNT
from rag.doctoring.vectors import unkept
from rag.embedding import Embedder, make_embedder
from rag.errors import FootnoteError
from rag.shelving import put_passages
from rag.wordbook import learn

PORTION = 500
"""Abstracts in one transaction."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair, and whether it went well."""

    name: str
    done: bool
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """One entry of `repairs` in `doctor --fix --json`."""
        return {"name": self.name, "done": self.done, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Patient:
    """What repairs work on; the shelf's lock is held."""

    settings: Settings
    catalogue: Catalogue
    embedder: Embedder


def mend(settings: Settings, checks: Sequence[Check], embedder: Embedder | None = None) -> list[Repair]:
    """Mend what the checks found, in the order in which one repair builds on another.

    Raises IndexUnusableError while another process writes to the shelf.
    """
    failed = {check.name for check in checks if not check.ok and check.fix.startswith(MEND)}
    if not failed:
        return []
    with writing(settings.home):  # which also takes over what a dead holder left
        repairs = [Repair("lock", True, "the note of a process that is gone is removed")] if "lock" in failed else []
        if failed.isdisjoint(REPAIRS):
            return repairs
        try:
            catalogue = Catalogue(settings.home)
        except FootnoteError as error:
            return [*repairs, Repair("catalogue", False, str(error))]
        try:
            patient = Patient(settings, catalogue, embedder or make_embedder(settings))
            return [*repairs, *_mended(patient, failed)]
        finally:
            catalogue.close()


def _mended(patient: Patient, failed: Collection[str]) -> list[Repair]:
    done: dict[Callable[[Patient], str], Repair] = {}
    for name, repair in REPAIRS.items():
        if name in failed and repair not in done:
            done[repair] = _tried(name, repair, patient)
    return list(done.values())


def _tried(name: str, repair: Callable[[Patient], str], patient: Patient) -> Repair:
    try:
        return Repair(name, True, repair(patient))
    except FootnoteError as error:
        return Repair(name, False, str(error))
    except sqlite3.DatabaseError as error:
        return Repair(name, False, f"{patient.catalogue.path}: {error}")


def _indexes(patient: Patient) -> str:
    patient.catalogue.connection.execute("REINDEX")
    return "the catalogue's indexes are built anew from its tables"


def _references(patient: Patient) -> str:
    with patient.catalogue.transaction() as connection:
        lost = connection.execute("PRAGMA foreign_key_check").fetchall()
        for table, row, *_ in lost:
            _remove_orphan(connection, table, row)
    return f"{len(lost)} rows that belong to no abstract are removed"


def _remove_orphan(connection: sqlite3.Connection, table: str, row: int | None) -> None:
    if row is not None:
        connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))  # noqa: S608 - SQLite's own word
    else:  # a table without row ids names none
        connection.execute(f'DELETE FROM "{table}" WHERE abstract NOT IN (SELECT key FROM abstract)')  # noqa: S608 - same


def _full_text(patient: Patient) -> str:
    with patient.catalogue.transaction() as connection:
        connection.execute("INSERT INTO lexical (lexical) VALUES ('rebuild')")
    return "the full-text index is built anew from the texts"


def _words(patient: Patient) -> str:
    with patient.catalogue.transaction() as connection:
        unread = connection.execute(UNLEARNT).fetchone()[0]
        learn(patient.catalogue)
    return f"the words of {unread} abstracts are entered"


def _kept(patient: Patient) -> str:
    indexer = _indexer(patient)
    wrong = unkept(patient.catalogue, indexer.identity)
    with patient.catalogue.transaction() as connection:
        _forget_vectors(connection, wrong)
    return _vectors(patient)


def _forget_vectors(connection: sqlite3.Connection, ids: Collection[str]) -> None:
    rows = [(identity,) for identity in ids]
    connection.executemany("DELETE FROM vector WHERE abstract = (SELECT key FROM abstract WHERE id = ?)", rows)
    connection.executemany("UPDATE abstract SET stored = 0 WHERE id = ?", rows)


def _vectors(patient: Patient) -> str:
    """Embed what has no vectors, and build the store anew beside the one in use."""
    indexer = _indexer(patient)
    try:
        _recut(patient)
        indexer.rebuild()
        embedded = sum(indexer.embed_waiting())
    finally:
        indexer.close()
    held = patient.catalogue.counts()[1]
    return f"the vector store is built anew with {held:,} passages, {embedded:,} of them embedded now"


def _recut(patient: Patient) -> None:
    """Cut abstracts anew whose passages are not what cutting gives; their vectors are embedded anew."""
    ids = patient.catalogue.ids()
    for start in range(0, len(ids), PORTION):
        some = ids[start : start + PORTION]
        stored = patient.catalogue.passages(some)
        cut = {abstract.id: passages(abstract) for abstract in patient.catalogue.many(some).values()}
        wrong = [identity for identity in some if stored.get(identity) != cut[identity]]
        with patient.catalogue.transaction() as connection:
            for identity in wrong:
                put_passages(patient.catalogue, identity, cut[identity])
            _forget_vectors(connection, wrong)


def _indexer(patient: Patient) -> Indexer:
    return Indexer(patient.settings, patient.catalogue, patient.embedder)


REPAIRS: Mapping[str, Callable[[Patient], str]] = {
    "catalogue": _indexes,
    "references": _references,
    "passages": _vectors,
    "full text": _full_text,
    "words": _words,
    "kept vectors": _kept,
    "unfinished": _vectors,
    "counts": _vectors,
    "vectors": _vectors,
}
"""By the check that failed."""
