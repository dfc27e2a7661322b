"""Vectors kept on disk between runs of the scripts."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.embedding import Embedder

BATCH = 500


class CachedEmbedder:
    """Embeds each distinct text once, ever; one file per embedder."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(embedder.identity.encode()).hexdigest()[:12]
        self._db = sqlite3.connect(folder / f"vectors-{name}.sqlite", timeout=60)
        self._db.execute("CREATE TABLE IF NOT EXISTS v (k TEXT PRIMARY KEY, v BLOB)")
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (n, d) in the order of the texts."""
        keys = [hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts]
        missing = dict(zip(keys, texts, strict=True))
        for key in self._known(list(missing)):
            del missing[key]
        todo = list(missing.items())
        for i in range(0, len(todo), BATCH):
            batch = todo[i : i + BATCH]
            rows = self._embedder.embed([text for _, text in batch])
            blobs = [(key, row.astype(np.float32).tobytes()) for (key, _), row in zip(batch, rows, strict=True)]
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO v VALUES (?, ?)", blobs)
        known = self._known(keys)
        return np.stack([np.frombuffer(known[key], np.float32) for key in keys])

    def _known(self, keys: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for i in range(0, len(keys), BATCH):
            batch = keys[i : i + BATCH]
            marks = ",".join("?" * len(batch))
            found |= dict(self._db.execute(f"SELECT k, v FROM v WHERE k IN ({marks})", batch))  # noqa: S608 - only marks
        return found
