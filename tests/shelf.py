"""A shelf for tests: real SQLite, real Chroma in a temporary folder, a predictable embedder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ingest.pipeline import DEFAULT, Options, ingest
from ingest.report import Report
from rag.config import Settings, load_settings
from rag.library import Library
from tests.hashing import HashingEmbedder


def settings_at(home: Path, **values: Any) -> Settings:
    """Settings for a shelf in `home`, whatever a `.env` file says."""
    return load_settings(None, home=home, **values)


def write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Records as JSON Lines."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def fill(home: Path, *files: Path, options: Options = DEFAULT) -> Report:
    """Ingest files into the shelf in `home`."""
    return ingest([str(file) for file in files], settings_at(home), HashingEmbedder(), options)


def open_shelf(home: Path, **values: Any) -> Library:
    """The shelf in `home`, open."""
    return Library(settings_at(home, **values), HashingEmbedder())


PAPERS: tuple[dict[str, Any], ...] = (
    {
        "title": "Heron: pruning retrieval heads",
        "authors": ["Ada Lum", "Wei Chen"],
        "year": 2021,
        "doi": "10.1000/heron",
        "keywords": ["pruning", "attention"],
        "abstract": "Heron removes attention heads that never retrieve. We test it on seven translation tasks. "
        "Heron keeps 98.2% of the accuracy with 40% of the heads. Training takes two hours on one GPU.",
    },
    {
        "title": "Soil moisture from satellite radar",
        "authors": ["Jo Field"],
        "year": "2019",
        "arxiv_id": "1901.00001v2",
        "keywords": ["soil", "radar"],
        "abstract": "Soil moisture governs drought. We estimate it from satellite radar with a random forest. "
        "On 1,200 stations the error falls to 0.04 cubic metres. Clouds do not disturb the radar.",
    },
    {
        "title": "Interleukin 6 and sleep",
        "authors": ["Ada Lum"],
        "year": 2023,
        "pmid": "3300001",
        "abstract": "IL-6 rises after a night without sleep. We measured 64 volunteers over five nights. "
        "IL-6 rose by 31% and fell back after one night of rest. Blood pressure did not change.",
    },
)
"""Three papers about three things, each with an identifier of another kind."""
