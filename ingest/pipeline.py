"""From paths to the index: read, enter into the catalogue, embed, store, and report."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ingest import readers
from ingest.calibration import calibrate_index
from ingest.indexing import Indexer
from ingest.lock import writing
from ingest.merging.ledger import Ledger, Withheld
from ingest.normalise import normalise
from ingest.parsing import paths
from ingest.parsing.source import Feed, Source
from ingest.prune import find_gone, remove_gone
from ingest.records import RawRecord, Rejected
from ingest.report import Conflict, Report
from ingest.web.access import Access
from ingest.web.reading import read as read_feed
from rag.catalogue import FILE_NAME, Catalogue
from rag.config import Settings
from rag.embedding import Embedder
from rag.types import Abstract
from rag.wordbook import learn

BATCH = 1024
"""Records entered in one transaction: each leaves the full-text index a segment, and merging those is what costs."""

CACHE_KIB = 65_536
"""Pages of the catalogue held while it is written: with SQLite's 2 MiB a full-text index of 100,000 texts thrashes."""

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how much is done, and of how much (None where unknown)."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a run may do. `confirm` is asked before `prune` removes that many abstracts.

    `limit` is how many records each feed gives at most; `access` stands in for what the settings say of feeds.
    """

    dry_run: bool = False
    prune: bool = False
    update: bool = False
    titles: bool = False
    merge: bool = True
    restore: bool = False
    rebuild: bool = False
    confirm: Callable[[int], bool] = lambda _: True
    limit: int | None = None
    access: Access | None = None


DEFAULT = Options()


class _DryRunOver(Exception):  # noqa: N818 - no error: it unwinds the transaction
    """Raised to roll back what a dry run entered."""


def ingest(
    names: Sequence[str],
    settings: Settings,
    embedder: Embedder,
    options: Options = DEFAULT,
    progress: Progress = lambda *_: None,
) -> Report:
    """Bring files into the shelf `settings.home` and return what became of every record.

    Raises IndexUnusableError when the shelf cannot be written. Reading goes on behind every record and every file
    that cannot be read; those stand in the report.
    """
    started = time.perf_counter()
    report = Report()
    if options.dry_run:
        _rehearse(names, settings, options, report, progress)
    else:
        with writing(settings.home), _opened(settings.home) as catalogue:
            _perform(names, settings, catalogue, embedder, options, report, progress)
    report.seconds = time.perf_counter() - started
    return report


def _rehearse(names: Sequence[str], settings: Settings, options: Options, report: Report, progress: Progress) -> None:
    with tempfile.TemporaryDirectory(prefix="footnote-") as empty:
        home = settings.home if (settings.home / FILE_NAME).is_file() else Path(empty)
        with writing(home), _opened(home) as catalogue:  # its transaction would hold a writer up
            try:
                with catalogue.transaction():
                    entries = _Entries(catalogue, settings, options, report, progress)
                    for _ in entries.enter(names):
                        pass
                    _prune(catalogue, entries, names, options, report)
                    report.doubts = list(entries.ledger.doubts())
                    _count(catalogue, report)
                    waiting = catalogue.passages(catalogue.waiting())
                    report.embedded = sum(map(len, waiting.values()))
                    raise _DryRunOver
            except _DryRunOver:
                return


def _perform(
    names: Sequence[str],
    settings: Settings,
    catalogue: Catalogue,
    embedder: Embedder,
    options: Options,
    report: Report,
    progress: Progress,
) -> None:
    indexer = Indexer(settings, catalogue, embedder, reembed=options.rebuild)
    try:
        indexer.recover()
        if options.rebuild:
            _reembed(indexer, catalogue, report, progress)
        with catalogue.transaction():
            entries = _Entries(catalogue, settings, options, report, progress)
            learn(catalogue)  # what an earlier version stored
        batches = entries.enter(names)
        words: set[str] = set()
        while True:
            with catalogue.transaction():
                more = next(batches, None)
                learn(catalogue, entries.ledger.take_written(), words)
                if entries.stale:
                    catalogue.set_meta({"dirty": "1"})
            _settle(indexer, catalogue, entries.take_stale(), report, progress)
            if more is None:
                break
        with catalogue.transaction():
            stale = _prune(catalogue, entries, names, options, report)
        indexer.forget(stale)
        indexer.confirm()
        if report.embedded or report.removed:
            calibrate_index(catalogue, embedder, indexer.identity)
        report.doubts = list(entries.ledger.doubts())
        _count(catalogue, report)
    finally:
        indexer.close()


def _settle(indexer: Indexer, catalogue: Catalogue, stale: Sequence[str], report: Report, progress: Progress) -> None:
    indexer.forget(stale)
    waiting = catalogue.passages(catalogue.waiting())
    total = report.embedded + sum(map(len, waiting.values()))
    for embedded in indexer.embed_waiting():
        report.embedded += embedded
        progress("embedding passages", report.embedded, total)


def _reembed(indexer: Indexer, catalogue: Catalogue, report: Report, progress: Progress) -> None:
    for embedded in indexer.reembed():
        report.embedded += embedded
        progress("embedding passages", report.embedded, catalogue.counts()[1])


def _prune(
    catalogue: Catalogue, entries: _Entries, names: Sequence[str], options: Options, report: Report
) -> list[str]:
    if not options.prune:
        return []
    gone = find_gone(catalogue, names, entries.ledger.sightings)
    if gone.ids and not options.confirm(len(gone.ids)):
        return []
    report.removed = len(gone.ids)
    return remove_gone(catalogue, gone)


def _count(catalogue: Catalogue, report: Report) -> None:
    report.abstracts, report.passages = catalogue.counts()


@contextmanager
def _opened(home: Path) -> Iterator[Catalogue]:
    catalogue = Catalogue(home, create=True)
    catalogue.connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    try:
        yield catalogue
    finally:
        catalogue.close()


class _Entries:
    """The records of a run on their way into the catalogue."""

    def __init__(
        self, catalogue: Catalogue, settings: Settings, options: Options, report: Report, progress: Progress
    ) -> None:
        self.ledger = Ledger(catalogue, update=options.update, merge=options.merge, restore=options.restore)
        self.settings = settings
        self.options = options
        self.report = report
        self.progress = progress
        self.stale: list[str] = []

    def enter(self, names: Sequence[str]) -> Iterator[int]:
        """Enter all records, pausing after each BATCH of them; yields how many are read."""
        found = self._found(names)
        while batch := list(islice(found, BATCH)):
            self._enter_all(batch)
            if len(batch) == BATCH:
                self.progress("reading", self.report.read, None)
                yield self.report.read

    def _found(self, names: Sequence[str]) -> Iterator[tuple[RawRecord | Rejected, str]]:
        """Every record with what the ledger knows its source by."""
        for source in paths.expand(names, None if sys.stdin is None else sys.stdin.buffer):
            origin = _origin(source)
            yield from ((found, origin) for found in self._records(source))

    def take_stale(self) -> list[str]:
        """Passages that the vector store must forget; they are handed over once."""
        stale, self.stale = self.stale, []
        return stale

    def _records(self, source: Source | Feed | Rejected) -> Iterator[RawRecord | Rejected]:
        titles = self.options.titles
        if isinstance(source, Rejected):
            yield source
        elif isinstance(source, Source):
            yield from readers.read(source, titles=titles)
        else:
            access = self.options.access or Access.of(self.settings)
            home = None if self.options.dry_run else self.settings.home
            yield from read_feed(source.name, access, limit=self.options.limit, titles=titles, home=home)

    def _enter_all(self, batch: Sequence[tuple[RawRecord | Rejected, str]]) -> None:
        read = [(self._normalised(found), origin) for found, origin in batch]
        self.ledger.foresee([abstract for abstract, _ in read if isinstance(abstract, Abstract)])
        for abstract, origin in read:
            self._enter(abstract, origin)
        self.ledger.store()

    def _normalised(self, found: RawRecord | Rejected) -> Abstract | Rejected:
        self.report.read += found.records if isinstance(found, Rejected) else 1
        return found if isinstance(found, Rejected) else normalise(found, titles=self.options.titles)

    def _enter(self, abstract: Abstract | Rejected, origin: str) -> None:
        if isinstance(abstract, Rejected):
            self.report.reject(abstract)
            return
        entry = self.ledger.enter(abstract, origin)
        if isinstance(entry, Withheld):
            self.report.withheld += 1
            self.report.reject(Rejected(entry.where, entry.reason))
            return
        if isinstance(entry, Conflict):
            self.report.conflicts.append(entry)
            self.report.reject(Rejected(entry.where, f"conflict: {entry.reason} than at {entry.with_}"))
            return
        setattr(self.report, entry.outcome, getattr(self.report, entry.outcome) + 1)
        self.report.joined += len(entry.absorbed)
        self.report.merges += [*([entry.merge] if entry.merge else ()), *entry.absorbed]
        self.stale += entry.stale


def _origin(source: Source | Feed | Rejected) -> str:
    """What the ledger knows a source by: a file's absolute path, a feed's name, "-" for what is piped in."""
    if isinstance(source, Feed):
        return source.name
    return "-" if isinstance(source, Rejected) or source.path is None else str(source.path.resolve())
