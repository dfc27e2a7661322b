"""Removing abstracts from a shelf, and undoing it: catalogue and vectors together, under the shelf's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from ingest import removal
from ingest.calibration import calibrate_index
from ingest.indexing import Indexer
from ingest.lock import writing
from ingest.removal import Chosen
from rag.catalogue import Catalogue
from rag.config import Settings
from rag.embedding import Embedder
from rag.errors import InputError
from rag.types import Abstract
from rag.wordbook import learn


@dataclass(frozen=True, slots=True)
class Weeded:
    """What was done: ids removed or restored, and the shelf's abstracts and passages afterwards."""

    removed: tuple[str, ...]
    restored: tuple[str, ...]
    abstracts: int
    passages: int


def weed(
    settings: Settings,
    embedder: Embedder,
    names: Sequence[str],
    globs: Sequence[str],
    confirm: Callable[[Chosen, Sequence[Abstract]], bool],
) -> Weeded:
    """Remove abstracts by id or source once `confirm` agrees; raises InputError where nothing is meant."""
    with _opened(settings, embedder) as (catalogue, indexer):
        chosen = removal.chosen(catalogue, names, globs)
        some = list(catalogue.many(chosen.ids).values())
        ids = chosen.ids if chosen.ids and confirm(chosen, some) else ()
        with catalogue.transaction():
            stale = removal.withdraw(catalogue, ids)
        indexer.forget(stale)
        if ids:
            calibrate_index(catalogue, embedder, indexer.identity)
        return Weeded(ids, (), *catalogue.counts())


def undo(settings: Settings, embedder: Embedder) -> Weeded:
    """Put back what was removed last; raises InputError where nothing was."""
    with _opened(settings, embedder) as (catalogue, indexer):
        ids = removal.last(catalogue)
        if not ids:
            raise InputError(f"Nothing was removed from {settings.home} that could be put back.")
        with catalogue.transaction():
            removal.put_back(catalogue, ids)
            learn(catalogue)
        for _ in indexer.embed_waiting():
            pass
        calibrate_index(catalogue, embedder, indexer.identity)
        return Weeded((), tuple(ids), *catalogue.counts())


@contextmanager
def _opened(settings: Settings, embedder: Embedder) -> Iterator[tuple[Catalogue, Indexer]]:
    """The shelf for writing; raises IndexUnusableError where there is none, and makes none."""
    with (
        closing(Catalogue(settings.home)) as catalogue,
        writing(settings.home),
        closing(Indexer(settings, catalogue, embedder)) as indexer,
    ):
        indexer.recover()
        yield catalogue, indexer
