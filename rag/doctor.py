"""Is the shelf sound, and what mends it where it is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial

from rag.config import Settings
from rag.doctoring import records, surroundings, suspects, vectors
from rag.doctoring.check import ANEW, MEND, Check
from rag.doctoring.lock import lock
from rag.errors import FootnoteError
from rag.library import Library

NEEDED = "kept vectors"

__all__ = ["Check", "examine", "examine_stores"]


def examine(settings: Settings, *, thorough: bool = False) -> list[Check]:
    """Every check that can be made, in order; one that fails does not stop those that do not need it.

    Of a large shelf a sample of the vectors is looked up, all of them with `thorough`.
    """
    checks = [surroundings.versions(), surroundings.disk(settings), surroundings.language_model(settings)]
    checks.append(lock(settings.home))
    try:
        library = Library(settings)
    except FootnoteError as error:
        return [*checks, Check("catalogue", False, error.message, error.fix)]
    try:
        return [*checks, *examine_stores(library, thorough=thorough)]
    finally:
        library.close()


def examine_stores(library: Library, *, thorough: bool = False) -> Iterator[Check]:
    """The checks of an open shelf."""
    catalogue = library.catalogue
    tests: list[tuple[str, Callable[[], Check]]] = [
        ("catalogue", partial(records.catalogue, catalogue)),
        ("references", partial(records.references, catalogue)),
        ("texts", partial(records.texts, catalogue)),
        ("passages", partial(records.passages, catalogue)),
        ("full text", partial(records.full_text, catalogue)),
        ("words", partial(records.words, catalogue)),
        ("embedder", partial(vectors.embedder, library)),
        ("unfinished", partial(vectors.unfinished, library)),
        ("kept vectors", partial(vectors.kept, library)),
        ("counts", partial(vectors.counts, library, thorough=thorough)),
        ("vectors", partial(vectors.found, library, thorough=thorough)),
        ("suspicious", partial(suspects.suspicious, library)),
    ]
    unsound: set[str] = set()
    for name, test in tests:
        if NEEDED in unsound and name in ("vectors", "suspicious"):
            yield Check(name, False, f"not examined before the {NEEDED} are sound")
            continue
        try:
            check = test()
            unsound |= set() if check.ok else {name}
            yield check
        except FootnoteError as error:
            # A store that cannot be opened is built anew from the catalogue.
            yield Check(name, False, error.message, f"{MEND} {error.fix}" if name == "counts" else error.fix)
        except sqlite3.DatabaseError as error:
            yield Check(name, False, f"{catalogue.path}: {error}", ANEW)
