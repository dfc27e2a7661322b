"""The vectors: kept in the catalogue, held by the vector store, found by a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.catalogue import Catalogue
from rag.doctoring.check import MEND, Check, verdict
from rag.library import Library, store_place
from rag.types import Passage

T = TypeVar("T")

SELF_COSINE = 0.995
"""A stored vector finds itself at least this near; float16 and int8 noise stay within it."""
UNIT = 0.01
"""How far a vector's length may be from 1."""
ALL_BELOW = 6000
SAMPLE = 500
"""Of more than ALL_BELOW passages so many are looked up, evenly spread: a look-up takes some 10 ms, and a batch that
was lost has hundreds."""
PORTION = 500
UNKEPT = """
    SELECT id FROM abstract LEFT JOIN vector ON vector.abstract = key AND index_identity = ? WHERE stored = 1 AND (
        matrix IS NULL OR length(matrix) % (2 * ?) > 0 OR length(matrix) <= passages * 2 * ?
        OR passages <> (SELECT count(*) FROM passage WHERE passage.abstract = key)) ORDER BY key
"""
"""Abstracts said to be stored whose vectors are missing, cut off, or of other passages."""


def embedder(library: Library) -> Check:
    """The index was built by the embedder that is set."""
    return Check("embedder", True, library.index)


def unfinished(library: Library) -> Check:
    """What a stopped ingest left to do."""
    waiting = len(library.catalogue.waiting())
    dirty = library.catalogue.meta("dirty") == "1"
    detail = f"{waiting} abstracts wait for vectors" + ("; an ingest was cut off while it wrote" if dirty else "")
    return verdict("unfinished", detail, MEND if waiting or dirty else "")


def kept(library: Library) -> Check:
    """Every stored abstract has its vectors in the catalogue, whole and of length 1."""
    wrong = unkept(library.catalogue, library.index)
    return verdict("kept vectors", f"of {len(wrong)} abstracts missing or damaged", MEND if wrong else "")


def unkept(catalogue: Catalogue, index: str) -> list[str]:
    """The ids of abstracts without sound vectors in the catalogue."""
    dimensions = catalogue.dimensions
    if not dimensions:
        return []
    missing = [row[0] for row in catalogue.connection.execute(UNKEPT, (index, dimensions, dimensions))]
    others = [i for i in catalogue.ids() if i not in set(missing)] if missing else catalogue.ids()
    return missing + [i for some in _portions(others) for i in _misshapen(catalogue, some, index)]


def _misshapen(catalogue: Catalogue, ids: Sequence[str], index: str) -> list[str]:
    found = catalogue.vectors(ids, index)
    return [i for i, some in found.items() if not (_are_units(some.passages) and _are_units(some.sentences))]


def _are_units(rows: NDArray[np.float32]) -> bool:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return bool(np.all(np.abs(lengths - 1.0) < UNIT))  # false for NaN too


def counts(library: Library, *, thorough: bool = False) -> Check:
    """The store holds the catalogue's passages and no others; of a large shelf only their number is compared."""
    from rag.vectors import VectorStore

    total = library.catalogue.counts()[1]
    store = VectorStore(store_place(library.settings, library.catalogue))
    try:
        if not thorough and total > ALL_BELOW:
            number = store.count()
            detail = f"{number:,} passages in the vector store, {total:,} in the catalogue"
            return verdict("counts", detail, MEND if number != total else "")
        held = set(store.ids())
    finally:
        store.close()
    expected = {p.id for some in library.catalogue.passages(library.catalogue.ids()).values() for p in some}
    missing, extra = len(expected - held), len(held - expected)
    detail = f"{len(held):,} passages in the vector store, {missing} missing, {extra} too many"
    return verdict("counts", detail, MEND if missing or extra else "")


def found(library: Library, *, thorough: bool = False) -> Check:
    """A passage in the store has the catalogue's text and vector, and its vector finds it."""
    from rag.vectors import VectorStore

    picked, total = _picked(library.catalogue, thorough)
    wanted = _vectors(library, picked)
    if not wanted:
        return Check("vectors", False, "no vectors are kept", MEND)
    probes = np.stack(list(wanted.values()))
    store = VectorStore(store_place(library.settings, library.catalogue))
    try:
        rows = {row.id: row for row in store.rows(list(wanted))}
        lost = sum(cosine < SELF_COSINE for cosine in store.best_cosines(probes))
    finally:
        store.close()
    texts = _texts(library.catalogue, picked)
    other = sum(
        i not in rows or rows[i].text != texts[i] or float(rows[i].vector @ v) < SELF_COSINE for i, v in wanted.items()
    )
    asked = f"{len(wanted):,} of {total:,} asked (--thorough asks all)" if len(wanted) < total else f"{total:,} asked"
    detail = f"{lost} do not find themselves, {other} are stored otherwise than they are kept; {asked}"
    return verdict("vectors", detail, MEND if lost or other else "")


def _picked(catalogue: Catalogue, thorough: bool) -> tuple[list[Passage], int]:
    """The passages to look up, and how many there are."""
    total = catalogue.counts()[1]
    step = 1 if thorough or total <= ALL_BELOW else -(-total // SAMPLE)
    query = (
        "SELECT id, number, start, end FROM (SELECT id, number, start, end, row_number() OVER (ORDER BY key, number) "
        "AS place FROM passage JOIN abstract ON key = abstract WHERE stored = 1) WHERE place % ? = 0 ORDER BY place"
    )
    return [Passage(*row) for row in catalogue.connection.execute(query, (step,))], total


def _vectors(library: Library, picked: Sequence[Passage]) -> dict[str, NDArray[np.float32]]:
    wanted: dict[str, NDArray[np.float32]] = {}
    for some in _portions(picked):
        kept_vectors = library.catalogue.vectors([p.abstract_id for p in some], library.index)
        for p in some:
            if p.abstract_id in kept_vectors and p.number < len(kept_vectors[p.abstract_id].passages):
                wanted[p.id] = kept_vectors[p.abstract_id].passages[p.number]
    return wanted


def _texts(catalogue: Catalogue, picked: Sequence[Passage]) -> dict[str, str]:
    cut: dict[str, str] = {}
    for some in _portions(picked):
        abstracts = catalogue.many([p.abstract_id for p in some])
        cut.update({p.id: abstracts[p.abstract_id].text[p.start : p.end] for p in some})
    return cut


def _portions(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[start : start + PORTION] for start in range(0, len(items), PORTION)]
