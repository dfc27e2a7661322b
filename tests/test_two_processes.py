"""Several processes, and several threads, on one folder of vectors."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from ingest.pipeline import ingest
from rag.errors import IndexUnusableError
from rag.retrieve import search
from rag.vectors import Place, VectorStore
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines
from tests.test_stores import row

DEADLINE = 60.0
PATIENCE = 1.0
MODE = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone())"
HOLDS = """
import os, signal, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("BEGIN IMMEDIATE")
file.execute("CREATE TABLE begun (a)")
print("writing", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""
FILLS = """
import sys
from pathlib import Path
from tests.shelf import fill
print(fill(Path(sys.argv[1]), Path(sys.argv[2])).new)
"""


def said(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=DEADLINE).stdout.strip()


def file_of(home: Path, version: int = 1) -> Path:
    return home / "chroma" / str(version) / "chroma.sqlite3"


@contextmanager
def stopped_writer(file: Path) -> Iterator[int]:
    """A process that was stopped inside a transaction on Chroma's file; its id."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(file)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "writing\n"
            yield process.pid
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(DEADLINE)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS))
    return tmp_path / "home"


def test_a_new_folder_of_vectors_is_in_wal_mode_for_every_process(home: Path) -> None:  # MemPalace PR#2506
    assert said(MODE, file_of(home), "PRAGMA journal_mode") == "wal"
    with closing(VectorStore(Place(home, 1))) as store:
        assert said(MODE, file_of(home), "PRAGMA journal_mode") == "wal"
        assert store.count() > 0


def test_a_folder_from_before_answers_and_is_in_wal_mode_from_then_on(home: Path) -> None:
    assert said(MODE, file_of(home), "PRAGMA journal_mode = DELETE") == "delete"
    library = open_shelf(home)
    assert len(search(library, "radar")) == 3
    library.close()

    assert said(MODE, file_of(home), "PRAGMA journal_mode") == "wal"


def test_an_open_reader_finds_by_search_and_by_id_what_another_process_adds(tmp_path: Path, home: Path) -> None:
    library = open_shelf(home)  # chroma#3792
    assert len(search(library, "radar")) == 3
    chance = random.Random(5)
    words = ["".join(chance.choices("abcdefghiklmnoprstu", k=6)) for _ in range(900)]
    texts = [{"abstract": " ".join(chance.choices(words, k=9)) + "."} for _ in range(500)]
    more = write_lines(tmp_path / "more.jsonl", texts)
    assert said(FILLS, home, more) == "500"

    everything = library.catalogue.counts()[1]
    found = library.nearest(library.embedder.embed_query("radar"), everything)
    with closing(VectorStore(Place(home, 1))) as store:
        assert sorted(passage for passage, _ in found) == sorted(store.ids())
    assert len(found) == everything
    library.close()


def test_behind_a_stopped_writer_every_call_answers_or_says_that_the_vectors_are_busy(home: Path) -> None:
    # chroma#1108: without asking first, Chroma waits for a quarter of an hour, and no thread of the process runs
    with closing(VectorStore(Place(home, 1), patience=PATIENCE)) as store:
        ids = store.ids()
        with stopped_writer(file_of(home)):
            assert (store.count(), store.ids()) == (len(ids), ids)
            (found,) = store.rows(ids[:1])
            assert store.query(found.vector, 1)[0][0] == ids[0]
            for call in (
                lambda: store.upsert([found]),
                lambda: store.delete(ids),
                lambda: VectorStore(Place(home, 1), patience=PATIENCE),
            ):
                with pytest.raises(IndexUnusableError, match="are busy: another process writes") as caught:
                    call()
                assert "\n" not in str(caught.value)
        store.upsert([found])  # and its end frees the file
        assert store.ids() == ids


def test_an_ingest_behind_a_stopped_one_names_it_and_ends(tmp_path: Path, home: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from ingest.lock import writing\n"
        "with writing(Path(sys.argv[1])): print('held', flush=True); os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(home)], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(IndexUnusableError, match=f"process {holder.pid} on"):
                ingest([str(tmp_path / "papers.jsonl")], settings_at(home), HashingEmbedder())
        finally:
            holder.send_signal(signal.SIGKILL)
            holder.wait(DEADLINE)


def test_threads_that_open_and_close_one_folder_are_not_in_each_others_way(home: Path) -> None:
    asked = np.ones(HashingEmbedder.dimensions, np.float32)
    asked /= np.linalg.norm(asked)

    def opened(_: int) -> int:
        with closing(VectorStore(Place(home, 1))) as store:
            return len(store.query(asked, 2))

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(opened, range(24))) == {2}


def test_a_store_that_is_refused_is_let_go(tmp_path: Path) -> None:
    with closing(VectorStore(Place(tmp_path, 1), create=True)) as store:
        store.upsert([row("a", 1, 0)])
        with pytest.raises(IndexUnusableError, match="cannot be used"):
            VectorStore(Place(tmp_path, 1), create=True)  # it is there
    with closing(sqlite3.connect(file_of(tmp_path))) as file:  # nobody in this process holds a client any more
        assert file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
