"""Ingest of many records, and ingest that is killed: records a second, memory, and whether the index is the same."""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rag.bench.stages import BARE
from rag.catalogue import Catalogue
from rag.config import load_settings
from rag.library import store_place

WORDS = 30_000
SENTENCES, LENGTH = 8, 18
PREPRINTS = 10
"""One record in so many is a preprint of the one before it."""
MEBIBYTE = 1024.0  # in the KiB of ru_maxrss
ENTER = """
import sys
from pathlib import Path
from ingest.pipeline import ingest
from rag.bench.ingest import Drawn
from rag.config import load_settings
home, file = Path(sys.argv[1]), sys.argv[2]
ingest([file], load_settings(None, home=home), Drawn())
"""
STAGED = """
import json, sys
from pathlib import Path
from rag.bench.stages import staged
print(json.dumps(staged(Path(sys.argv[1]), Path(sys.argv[2]))))
"""


class Drawn:
    """An embedder that costs nothing: each vector is drawn by a number that its text decides."""

    identity = "drawn"
    dimensions = 32
    max_tokens = 10_000

    def embed(self, texts: Any) -> Any:
        """See `rag.embedding.Embedder`."""
        from zlib import crc32

        import numpy as np

        from rag.embedding import unit_rows

        rows = [np.random.default_rng(crc32(text.encode())).standard_normal(self.dimensions) for text in texts]
        return unit_rows(np.array(rows).reshape(len(texts), self.dimensions))

    def embed_query(self, text: str) -> Any:
        """See `rag.embedding.Embedder`."""
        return self.embed([text])[0]


@dataclass(frozen=True, slots=True)
class Entered:
    """A first run over `records` without embedding: records a second of processor time, peak memory in MiB."""

    records: int
    merged: int
    per_second: float
    peak_mib: float
    stages: dict[str, float]
    """Records per second of processor time in each stage, and in a bare full-text index."""

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return asdict(self)

    def as_text(self) -> str:
        """Two lines."""
        return (
            f"{self.records:,} records read, compared and entered with full text: {self.per_second:,.0f} a second of "
            f"processor time, {self.merged:,} merged, {self.peak_mib:,.0f} MiB at most\n  "
            + ", ".join(f"{name} {rate:,.0f}" for name, rate in self.stages.items())
        )


@dataclass(frozen=True, slots=True)
class Killed:
    """An ingest of `records` killed `kills` times and then completed, beside one that nobody disturbed."""

    records: int
    kills: int
    reached: int
    equal: bool

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return asdict(self)

    def as_text(self) -> str:
        """One line."""
        state = "the same index" if self.equal else "ANOTHER INDEX"
        return f"{self.records:,} records, killed {self.kills} times, {self.reached:,} in before the last run: {state}"


def enter(count: int) -> Entered:
    """Enter made-up records into a new catalogue, in a process of its own."""
    with TemporaryDirectory(prefix="footnote-") as folder:
        file = write_records(Path(folder) / "records.jsonl", count)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        command = [sys.executable, "-c", STAGED, str(file), str(Path(folder) / "home")]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own interpreter
        peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / MEBIBYTE
    seconds, read, merged = json.loads(said.stdout)
    stages = {name: read / spent for name, spent in seconds.items()}
    return Entered(read, merged, read / (sum(seconds.values()) - seconds[BARE]), peak, stages)


def kill(count: int, kills: int, seed: int = 11) -> Killed:
    """Kill an ingest at moments spread over its length, complete it, and compare it with an undisturbed one."""
    chance = random.Random(seed)  # noqa: S311 - made up, not secret
    with TemporaryDirectory(prefix="footnote-") as folder:
        place = Path(folder)
        file = write_records(place / "records.jsonl", count)
        started = time.perf_counter()
        subprocess.run(_command(place / "whole", file), stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own interpreter
        whole = time.perf_counter() - started
        for _ in range(kills):
            with subprocess.Popen(_command(place / "killed", file), stdout=subprocess.DEVNULL) as process:  # noqa: S603 - as above
                try:
                    process.wait(chance.uniform(0.2, 0.6) * whole)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
        reached = _abstracts(place / "killed")
        subprocess.run(_command(place / "killed", file), stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own interpreter
        equal = _contents(place / "killed") == _contents(place / "whole")
    return Killed(count, kills, reached, equal)


def write_records(file: Path, count: int, seed: int = 1) -> Path:
    """Made-up records with titles, DOIs, and preprints of some that differ by two words, as JSON Lines."""
    chance = random.Random(seed)  # noqa: S311 - made up, not secret
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwyz", k=chance.randint(3, 9))) for _ in range(WORDS)]
    weights = [1 / (rank + 5) for rank in range(WORDS)]
    with file.open("w", encoding="utf-8") as out:
        record: dict[str, Any] = {}
        for number in range(count):
            if number % PREPRINTS == PREPRINTS - 1:
                record = {
                    **record,
                    "doi": f"10.48550/arXiv.2101.{number % 100_000:05}",
                    "abstract": record["abstract"] + " We add.",
                }
            else:
                drawn = chance.choices(words, weights, k=SENTENCES * LENGTH)
                text = ". ".join(" ".join(drawn[a : a + LENGTH]).capitalize() for a in range(0, len(drawn), LENGTH))
                title = " ".join(chance.choices(words, k=8))
                record = {
                    "title": title,
                    "abstract": text + ".",
                    "year": 2000 + number % 25,
                    "doi": f"10.1000/{number}",
                }
            out.write(json.dumps(record) + "\n")
    return file


def _command(home: Path, file: Path) -> list[str]:
    return [sys.executable, "-c", ENTER, str(home), str(file)]


def _abstracts(home: Path) -> int:
    if not (home / "catalogue.sqlite3").is_file():
        return 0
    with closing(Catalogue(home)) as catalogue:
        return catalogue.counts()[0]


def _contents(home: Path) -> tuple[Any, ...]:
    """All that an index holds, and whether every vector finds itself."""
    from rag.vectors import VectorStore

    settings = load_settings(None, home=home)
    with closing(Catalogue(home)) as catalogue, closing(VectorStore(store_place(settings, catalogue))) as store:
        ids = catalogue.ids()
        abstracts = [abstract for identity in ids for abstract in catalogue.many([identity]).values()]
        return abstracts, sorted(store.ids()), catalogue.waiting(), catalogue.meta("dirty")
