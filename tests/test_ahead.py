"""An answer's sentences are embedded while it is written: once each, and the same however its text arrives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rag.ahead import Ahead
from rag.library import Library
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, settings_at, write_lines

TEXT = "IL-6 rose by 31% [1]. It fell back after e.g. one night of rest [1]. Blood pressure did not change [1]."
SENTENCES = ["IL-6 rose by 31%.", "It fell back after e.g. one night of rest.", "Blood pressure did not change."]


class Counting(HashingEmbedder):
    """Remembers what it was asked to embed by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed_query(self, text: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        self.asked.append(text)
        return super().embed_query(text)


@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_each_sentence_is_embedded_once_and_early(tmp_path: Path, size: int) -> None:
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS))
    embedder = Counting()
    library = Library(settings_at(tmp_path / "home"), embedder)
    ahead = Ahead(library)
    for end in range(size, len(TEXT) + size, size):
        ahead.note(TEXT[:end], TEXT[end - size : end])
    found = ahead.vectors(SENTENCES)
    library.close()

    assert sorted(set(embedder.asked) & set(SENTENCES)) == sorted(SENTENCES)
    assert all(embedder.asked.count(sentence) == 1 for sentence in SENTENCES)
    for sentence in SENTENCES:
        assert np.array_equal(found[sentence], HashingEmbedder().embed_query(sentence))
