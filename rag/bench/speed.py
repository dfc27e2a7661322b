"""How long search, embedding, ingest and the commands take, and what memory they need: ratios within one run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.indexing import embed_abstracts
from ingest.pipeline import ingest
from rag.bench.shelves import queries, shelf_of
from rag.catalogue import Catalogue
from rag.config import Settings
from rag.embedding import Embedder, make_embedder
from rag.library import Library
from rag.ranking.spelling import mended
from rag.retrieve import DENSE_CANDIDATES, search

Progress = Callable[[str], None]

SIZES = (500, 5_000, 18_000)
"""Abstracts of the shelves that are searched."""
QUERIES = 100
"""Queries measured; as many others are asked before, so that what a running program keeps is there."""
BATCHES = (1, 8, 32, 128)
THREADS = (1, 2)
SENTENCES = 256
"""Sentences embedded for each batch size and number of threads."""
INGESTED = 200
"""Abstracts ingested."""
STARTS = 3
"""Times each command is started; the median counts."""


def measure(data: Path, settings: Settings, cache: Path, progress: Progress) -> Iterator[dict[str, Any]]:
    """A part at a time, each with its `name`. `data` holds the collections; shelves of `SIZES` are kept in `cache`."""
    corpus = data / "bench" / "scale_pubmed18k" / "corpus.jsonl"
    embedder = make_embedder(settings)
    placed = settings.model_copy(update={"home": cache})
    for size in SIZES:
        shelf = shelf_of(size, corpus, placed, embedder, progress)
        yield {"name": f"search {size}", **searching(shelf, embedder, queries(corpus, 2 * QUERIES))}
    yield {"name": "embedding", **embedding(embedder, queries(corpus, SENTENCES))}
    yield {"name": "ingest", **ingesting(corpus, settings, embedder)}
    yield {"name": "commands", **starting(shelf_of(SIZES[0], corpus, placed, embedder, progress))}


def searching(settings: Settings, embedder: Embedder, asked: Sequence[str]) -> dict[str, Any]:
    """Milliseconds of warm searches against the query's embedding alone, at the median and the 95th percentile.

    `over_embedding` is the difference query by query; `stages` are medians of the parts called by themselves.
    """
    library = Library(settings, embedder)
    try:
        started = time.perf_counter()
        shelf = library.snapshot
        opened = time.perf_counter() - started
        for query in asked[1::2]:
            search(library, query)
        watch = _Watch()
        for query in asked[::2]:
            with watch.timing("embedding"):
                vector = embedder.embed_query(query)
            with watch.timing("search"):
                search(library, query)
            with watch.timing("spelling"):
                mended(shelf.lexical, query)
            with watch.timing("words"):
                shelf.lexical.scores(query)
            with watch.timing("nearest"):
                library.nearest(vector, DENSE_CANDIDATES)
    finally:
        library.close()
    over = np.subtract(watch.values["search"], watch.values["embedding"])
    return {
        "snapshot_ms": round(1000 * opened, 1),
        "embedding_ms": _quantiles(watch.values["embedding"]),
        "search_ms": _quantiles(watch.values["search"]),
        "over_embedding_ms": _quantiles(over.tolist()),
        "stages_ms": {name: _quantiles(watch.values[name])["p50"] for name in ("spelling", "words", "nearest")},
    }


class _Watch:
    """Seconds by name."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = {}

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.values.setdefault(name, []).append(time.perf_counter() - started)


def _quantiles(seconds: Sequence[float]) -> dict[str, float]:
    low, high = np.quantile(seconds, [0.5, 0.95])
    return {"p50": round(1000 * float(low), 2), "p95": round(1000 * float(high), 2)}


def embedding(embedder: Embedder, texts: Sequence[str]) -> dict[str, Any]:
    """Texts per second by batch size and by number of threads that embed at once, relative to one by one in one."""
    embedder.embed(texts)
    rates = {
        f"batch {size}, threads {threads}": _rate(embedder, texts, size, threads)
        for threads in THREADS
        for size in BATCHES
    }
    base = rates[f"batch {BATCHES[0]}, threads {THREADS[0]}"]
    return {
        "texts_per_second": round(base, 1),
        "relative": {name: round(rate / base, 2) for name, rate in rates.items()},
    }


def _rate(embedder: Embedder, texts: Sequence[str], size: int, threads: int) -> float:
    batches = [texts[start : start + size] for start in range(0, len(texts), size)]
    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(embedder.embed, batches))
    return len(texts) / (time.perf_counter() - started)


def ingesting(corpus: Path, settings: Settings, embedder: Embedder) -> dict[str, Any]:
    """Seconds of ingesting INGESTED abstracts, and as a multiple of embedding the same passages and nothing else."""
    with tempfile.TemporaryDirectory(prefix="footnote-") as folder:
        home = Path(folder)
        with corpus.open(encoding="utf-8") as records:
            (home / "records.jsonl").write_text("".join(next(records) for _ in range(INGESTED)), encoding="utf-8")
        placed = settings.model_copy(update={"home": home / "shelf"})
        started = time.perf_counter()
        report = ingest([str(home / "records.jsonl")], placed, embedder)
        whole = time.perf_counter() - started
        catalogue = Catalogue(placed.home)
        abstracts = list(catalogue.many(catalogue.ids()).values())
        catalogue.close()
        started = time.perf_counter()
        embed_abstracts(embedder, abstracts)
        bare = time.perf_counter() - started
    return {"passages": report.passages, "seconds": round(whole, 2), "times_bare_embedding": round(whole / bare, 2)}


BARE = "import typer\napp = typer.Typer()\n@app.command()\ndef main() -> None: ...\napp()\n"
LAUNCHER = """
import os, subprocess, sys, time
started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(time.perf_counter() - started, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Starts a command, prints its seconds and peak memory; small itself: a child's peak begins with its parent's."""
COMMANDS = {
    "bare Typer --help": ("-c", BARE, "--help"),
    "rag --help": ("-m", "rag", "--help"),
    "ingest --help": ("-m", "ingest", "--help"),
    "rag search": ("-m", "rag", "search", "drug resistance"),
    "rag ask": ("-m", "rag", "ask", "drug resistance"),
}


def starting(settings: Settings) -> dict[str, Any]:
    """Seconds and peak memory of whole processes, each also as a multiple of a bare Typer application's time."""
    environment = {**os.environ, "FOOTNOTE_HOME": str(settings.home)}
    found = {name: _Process.of(command, environment) for name, command in COMMANDS.items()}
    base = found["bare Typer --help"].seconds
    return {
        name: {
            "seconds": round(one.seconds, 2),
            "times_bare": round(one.seconds / base, 1),
            "peak_mb": round(one.megabytes),
        }
        for name, one in found.items()
    }


@dataclass(frozen=True, slots=True)
class _Process:
    seconds: float
    megabytes: float

    @classmethod
    def of(cls, arguments: Sequence[str], environment: dict[str, str]) -> _Process:
        """The median time of several runs, and the greatest resident memory; raises where a run fails."""
        runs = [cls._run([sys.executable, *arguments], environment) for _ in range(STARTS)]
        return cls(float(np.median([run.seconds for run in runs])), max(run.megabytes for run in runs))

    @classmethod
    def _run(cls, command: Sequence[str], environment: dict[str, str]) -> _Process:
        started = [sys.executable, "-I", "-S", "-c", LAUNCHER, *command]
        output = subprocess.run(started, env=environment, capture_output=True, check=True, text=True).stdout  # noqa: S603 - own commands
        seconds, peak = output.split()[-2:]
        # In kilobytes on Linux, in bytes on macOS.
        return cls(float(seconds), float(peak) / (1024 if sys.platform == "linux" else 1024**2))


def as_text(part: dict[str, Any]) -> str:
    """A part as lines: its name, then each value; a table of values on a line of its own."""
    lines = [part["name"]]
    for key, value in part.items():
        if key != "name":
            shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
            lines.append(f"  {key}: {shown}")
    return "\n".join(lines)
