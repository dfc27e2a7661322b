"""An ingest that is killed loses at most a batch, and the next one continues to the same index."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from rag.doctor import examine_stores
from rag.retrieve import search
from tests.shelf import fill, open_shelf, write_lines
from tests.test_ingest import contents

KILLS = 10
SCRIPT = """
import sys
from pathlib import Path
import ingest.indexing, ingest.pipeline
ingest.indexing.BATCH = ingest.pipeline.BATCH = 8
from ingest.pipeline import ingest as run
from tests.hashing import HashingEmbedder
from tests.shelf import settings_at
say = lambda *what: print(*what, flush=True)
print(run([sys.argv[2]], settings_at(Path(sys.argv[1])), HashingEmbedder(), progress=say).to_dict(), flush=True)
"""
WORDS = "heron radar sleep tensor glacier prompt enzyme lattice orbit corpus reef kernel pollen vector quartz".split()


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(5)
    records = [
        {"abstract": " ".join(f"{' '.join(chance.choices(WORDS, k=9)).capitalize()} {n}." for _ in range(5))}
        for n in range(160)
    ]
    titled = [{**record, "title": f"On the {WORDS[n]} of all things"} for n, record in enumerate(records[:15])]
    published = [{**r, "doi": f"10.1000/{n}", "abstract": f"Now: {r['abstract']}"} for n, r in enumerate(titled)]
    records = [*titled, *records[15:], *published]
    return write_lines(tmp_path_factory.mktemp("kill") / "papers.jsonl", records)


def test_an_ingest_killed_at_ten_moments_ends_in_the_same_index(
    tmp_path: Path, papers: Path
) -> None:  # private-gpt#1719
    fill(tmp_path / "whole", papers)
    chance = random.Random(11)
    for _ in range(KILLS):
        ingest_and_kill(tmp_path / "killed", papers, after_lines=chance.randrange(3), pause=chance.random() * 0.15)
    fill(tmp_path / "killed", papers)

    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert found(tmp_path / "killed") == found(tmp_path / "whole")
    library = open_shelf(tmp_path / "killed")
    assert [check for check in examine_stores(library) if not check.ok] == []
    library.close()


def ingest_and_kill(home: Path, papers: Path, after_lines: int, pause: float) -> None:
    command = [sys.executable, "-c", SCRIPT, str(home), str(papers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(after_lines):
            process.stdout.readline()
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)


def found(home: Path) -> list[list[str]]:
    library = open_shelf(home)
    ranked = [[hit.abstract.id for hit in search(library, f"{a} and {b}")] for a, b in pairwise(WORDS)]
    library.close()
    return ranked
