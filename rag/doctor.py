"""Is the shelf sound, and what mends it where it is not."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from rag.config import Settings
from rag.errors import FootnoteError
from rag.library import Library, store_place

REBUILD = "Rebuild the vectors: python -m ingest --rebuild."
SELF_COSINE = 0.995
"""A stored vector finds itself at least this near; float16 and int8 noise stay within it."""
SPARE_BYTES = 200 * 2**20
PACKAGES = ("chromadb", "llama-index-core", "openai", "streamlit", "tiktoken", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; `fix` is empty where it is sound."""

    name: str
    ok: bool
    detail: str
    fix: str = ""

    def to_dict(self) -> dict[str, Any]:
        """One entry of `doctor --json`."""
        return {"name": self.name, "ok": self.ok, "detail": self.detail, "fix": self.fix or None}


def examine(settings: Settings) -> list[Check]:
    """Every check that can be made, in order; one that fails does not stop those that do not need it."""
    checks = [_versions(), _disk(settings), _llm(settings)]
    try:
        library = Library(settings)
    except FootnoteError as error:
        return [*checks, Check("catalogue", False, error.message, error.fix)]
    try:
        return [*checks, *examine_stores(library)]
    finally:
        library.close()


def _versions() -> Check:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return Check("versions", True, f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {packages}")


def _disk(settings: Settings) -> Check:
    folder = next(f for f in (settings.home.resolve(), *settings.home.resolve().parents) if f.exists())
    free = shutil.disk_usage(folder).free
    fix = "" if free > SPARE_BYTES else "Free some space before the next ingest."
    return Check("disk", not fix, f"{free / 2**30:.1f} GiB free at {folder}", fix)


def _llm(settings: Settings) -> Check:
    if not settings.llm_model:
        return Check("language model", True, "none configured: answers are quotes (set FOOTNOTE_LLM_MODEL for one)")
    return Check("language model", True, f"{settings.llm_model} at {settings.openai_base_url or 'api.openai.com'}")


def examine_stores(library: Library) -> Iterator[Check]:
    """The checks of an open shelf."""
    tests: list[tuple[str, Callable[[Library], Check]]] = [
        ("catalogue", _catalogue),
        ("full text", _full_text),
        ("embedder", _embedder),
        ("unfinished", _unfinished),
        ("counts", _counts),
        ("vectors", _vectors),
    ]
    for name, test in tests:
        try:
            yield test(library)
        except FootnoteError as error:
            yield Check(name, False, error.message, error.fix)
        except sqlite3.DatabaseError as error:
            yield Check(name, False, f"{library.catalogue.path}: {error}", "Ingest the files into a new --home.")


def _catalogue(library: Library) -> Check:
    result = library.catalogue.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    abstracts, passages = library.catalogue.counts()
    if result != "ok":
        return Check("catalogue", False, result, "Ingest the files into a new --home.")
    fix = "" if abstracts else "Fill it: python -m ingest FILE."
    return Check("catalogue", bool(abstracts), f"{abstracts:,} abstracts in {passages:,} passages", fix)


def _full_text(library: Library) -> Check:
    connection = library.catalogue.connection
    try:
        connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        if "readonly" in str(error):
            return Check("full text", True, "not checked: the shelf is read-only")
        return Check("full text", False, f"the index does not fit the texts: {error}", REBUILD)
    return Check("full text", True, "the index fits the texts")


def _embedder(library: Library) -> Check:
    return Check("embedder", True, library.index)


def _unfinished(library: Library) -> Check:
    waiting = len(library.catalogue.waiting())
    dirty = library.catalogue.meta("dirty") == "1"
    detail = f"{waiting} abstracts wait for vectors" + ("; an ingest was cut off while it wrote" if dirty else "")
    return Check("unfinished", not (waiting or dirty), detail, REBUILD if waiting or dirty else "")


def _counts(library: Library) -> Check:
    from rag.vectors import VectorStore

    expected = {p.id for some in library.catalogue.passages(library.catalogue.ids()).values() for p in some}
    store = VectorStore(store_place(library.settings, library.catalogue))
    held = set(store.ids())
    store.close()
    missing, extra = len(expected - held), len(held - expected)
    detail = f"{len(held):,} passages in the vector store, {missing} missing, {extra} too many"
    return Check("counts", not (missing or extra), detail, REBUILD if missing or extra else "")


def _vectors(library: Library) -> Check:
    from rag.vectors import VectorStore

    kept = library.catalogue.vectors(library.catalogue.ids(), library.index).values()
    if not kept:
        return Check("vectors", False, "no vectors are kept", REBUILD)
    store = VectorStore(store_place(library.settings, library.catalogue))
    lost = sum(cosine < SELF_COSINE for cosine in store.best_cosines(np.concatenate([some.passages for some in kept])))
    store.close()
    return Check("vectors", not lost, f"{lost} do not find themselves", REBUILD if lost else "")
