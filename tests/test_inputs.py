"""The files people really have: each gives the records and abstracts it truly holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.bench.mutations import mutated, readings
from rag.types import Abstract

SHARE = 0.97
EXPLAINED = Path(__file__).parents[1] / "docs" / "formats.md"
ROW = re.compile(r"\| ([^|]+?) \| \d+ \| (\d+) \| (\d+) \|")


def manifest(inputs: Path) -> Iterator[tuple[str, int, int]]:
    """Each file with the records and the abstracts it truly holds."""
    folder = ""
    for line in (inputs / "MANIFEST.md").read_text(encoding="utf-8").splitlines():
        folder = line[3:].strip() if line.startswith("## ") else folder
        if (row := ROW.match(line)) and folder != "questions":
            yield f"{folder}/{row[1]}", int(row[2]), int(row[3])


Results = dict[str, list[Abstract | Rejected]]


@pytest.fixture(scope="module")
def results(shared_data: Path) -> Results:
    """What becomes of each record of each file."""
    inputs = shared_data / "inputs"
    return {
        file: [normalise(e) if isinstance(e, RawRecord) else e for e in read(Source(file, inputs / file))]
        for file, _, _ in manifest(inputs)
    }


def counts(found: list[Abstract | Rejected]) -> tuple[int, int]:
    """Records read and abstracts kept."""
    records = sum(each.records if isinstance(each, Rejected) else 1 for each in found)
    return records, sum(isinstance(each, Abstract) for each in found)


def test_real_files_give_what_they_hold_or_the_difference_is_explained(shared_data: Path, results: Results) -> None:
    true = {file: (records, abstracts) for file, records, abstracts in manifest(shared_data / "inputs")}
    different = {file: counts(results[file]) for file, held in true.items() if counts(results[file]) != held}
    explained = EXPLAINED.read_text(encoding="utf-8")
    assert len(true) > 80
    assert [file for file in different if file.rpartition("/")[2] not in explained] == []
    assert len(different) <= (1 - SHARE) * len(true), different


def test_what_is_not_kept_has_a_place_and_a_reason(results: Results) -> None:
    for file, found in results.items():
        rejected = [each for each in found if isinstance(each, Rejected)]
        assert all(each.where.startswith(file) and each.reason and "\n" not in each.reason for each in rejected)


@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_files_are_read_or_rejected(shared_data: Path, seed: int) -> None:
    files = [shared_data / "inputs" / file for file, _, _ in manifest(shared_data / "inputs")]
    samples = [(file.name, file.read_bytes()[:2500]) for file in files]
    found = readings(mutated(samples, 1000, seed))
    assert found.crashes == []
    assert found.silent == []
    assert found.files == 1000
