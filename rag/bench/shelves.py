"""Shelves of many abstracts for measuring speed, with vectors that cost nothing to make."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from zlib import crc32

import numpy as np

from ingest.pipeline import ingest
from rag.config import Settings
from rag.embedding import Embedder, Vectors, unit_rows
from rag.types import Span


class SeededVectors:
    """Stands in for an embedder when a shelf is built: vectors depend on the text alone, not on what it says.

    A text's parts are near their whole, as they are with real vectors. Bears the embedder's identity, so that the
    shelf is searched with that one.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.identity = embedder.identity
        self.dimensions = embedder.dimensions
        self.max_tokens = embedder.max_tokens

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `rag.embedding.Embedder`."""
        return unit_rows(np.array([self._drawn(text) for text in texts]).reshape(len(texts), self.dimensions))

    def embed_query(self, text: str) -> Vectors:
        """See `rag.embedding.Embedder`."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def embed_spans(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> list[Vectors]:
        """See `rag.embedding.SpanEmbedder`."""
        return [
            unit_rows(np.stack([whole := self._drawn(text), *(whole + self._drawn(text[a:b]) for a, b in some)]))
            for text, some in zip(texts, spans, strict=True)
        ]

    def _drawn(self, text: str) -> Vectors:
        vector: Vectors = np.random.default_rng(crc32(text.encode())).standard_normal(self.dimensions, np.float32)
        return vector


def shelf_of(
    count: int, corpus: Path, settings: Settings, embedder: Embedder, progress: Callable[[str], None]
) -> Settings:
    """The first `count` records of a corpus in JSON Lines as a shelf below `settings.home`, built once."""
    home = settings.home / f"speed-{count}"
    placed = settings.model_copy(update={"home": home})
    lines = home / "records.jsonl"
    if not (home / "complete").exists():
        home.mkdir(parents=True, exist_ok=True)
        with corpus.open(encoding="utf-8") as records:
            lines.write_text("".join(islice(records, count)), encoding="utf-8")
        ingest([str(lines)], placed, SeededVectors(embedder), progress=lambda what, n, _: progress(f"{what} {n}"))
        (home / "complete").touch()
    return placed


def queries(corpus: Path, count: int) -> list[str]:
    """Titles of records evenly spread over a corpus, in JSON Lines: questions whose words the shelf knows."""
    with corpus.open(encoding="utf-8") as records:
        titles = [title for line in records if (title := json.loads(line).get("title"))]
    return titles[:: max(1, len(titles) // count)][:count]
