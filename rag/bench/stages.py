"""What entering records costs, stage by stage, in processor seconds: as an ingest does it, without embedding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from time import process_time

from ingest.merging.additions import Additions
from ingest.merging.ledger import Entry, Ledger
from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.pipeline import BATCH, CACHE_KIB
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.catalogue import Catalogue
from rag.types import Abstract
from rag.wordbook import learn

READ, NORMALISE, COMPARE, WRITE, WORDS, BARE = (
    *("read", "normalise", "compare and cut", "write catalogue and full text", "word book"),
    "bare full text",
)
"""BARE is no stage: the same titles and texts in an FTS5 table and nothing else, what `WRITE` cannot go below."""


class Clock:
    """Processor seconds by stage; a stage inside another is not counted twice."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        before, started = sum(self.seconds.values()), process_time()
        yield
        inner = sum(self.seconds.values()) - before
        self.seconds[name] = self.seconds.get(name, 0.0) + process_time() - started - inner


class _TimedAdditions(Additions):
    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        super().__init__(ledger.catalogue, ledger.sightings)
        self._clock = clock

    def flush(self) -> list[str]:
        with self._clock.stage(WRITE):
            return super().flush()


def staged(file: Path, home: Path) -> tuple[dict[str, float], int, int]:
    """Enter a file's records into a new shelf: processor seconds by stage, records read, and records merged."""
    clock = Clock()
    total = merged = 0
    with closing(Catalogue(home, create=True)) as catalogue:
        catalogue.connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        ledger = Ledger(catalogue)
        ledger.additions = _TimedAdditions(ledger, clock)
        words: set[str] = set()
        records = read(Source(file.name, file))
        while batch := _next(records, clock):
            with clock.stage(NORMALISE):
                abstracts = [abstract for each in batch if isinstance(abstract := _normalised(each), Abstract)]
            with clock.stage(WRITE), catalogue.transaction():
                merged += _enter(ledger, abstracts, str(file), clock)
                with clock.stage(WORDS):
                    learn(catalogue, ledger.take_written(), words)
            total += len(batch)
    with closing(Catalogue(home / "bare", create=True)) as catalogue:
        _write_bare(catalogue, file, clock)
    return clock.seconds, total, merged


def _next(records: Iterator[RawRecord | Rejected], clock: Clock) -> list[RawRecord | Rejected]:
    with clock.stage(READ):
        return list(islice(records, BATCH))


def _normalised(found: RawRecord | Rejected) -> Abstract | Rejected:
    return found if isinstance(found, Rejected) else normalise(found)


def _enter(ledger: Ledger, abstracts: Sequence[Abstract], path: str, clock: Clock) -> int:
    with clock.stage(COMPARE):
        ledger.foresee(abstracts)
        entries = [ledger.enter(abstract, path) for abstract in abstracts]
        ledger.store()
    return sum(isinstance(entry, Entry) and entry.outcome == "merged" for entry in entries)


def _write_bare(catalogue: Catalogue, file: Path, clock: Clock) -> None:
    catalogue.connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    catalogue.connection.execute("CREATE VIRTUAL TABLE bare USING fts5 (title, text, tokenize = 'porter unicode61')")
    records = read(Source(file.name, file))
    while batch := list(islice(records, BATCH)):
        rows = [(a.title, a.text) for a in map(_normalised, batch) if isinstance(a, Abstract)]
        with clock.stage(BARE), catalogue.transaction() as connection:
            connection.executemany("INSERT INTO bare VALUES (?, ?)", rows)
