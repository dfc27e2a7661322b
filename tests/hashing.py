"""An embedder whose vectors a test can predict: shared words and shared pieces of words make texts alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np

from rag.embedding import Vectors, unit_rows

DIMENSIONS = 256
_WORD = re.compile(r"\w+")
_ENDINGS = re.compile(r"(?<=\w{3})(ies|es|s|ing|ed|ly)$")


class HashingEmbedder:
    """Signed feature hashing of word stems (weight 1) and of their character trigrams (weight 1/4).

    Same vectors in every process; `embedded` counts the texts it was given.
    """

    identity = "hashing"
    dimensions = DIMENSIONS
    max_tokens = 10_000

    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += len(texts)
        vectors = np.zeros((len(texts), DIMENSIONS), np.float64)
        for row, text in enumerate(texts):
            for feature, count in Counter(features(text)).items():
                code = crc32(feature.encode("utf-8", "replace"))
                weight = 0.25 if feature.startswith("#") else 1.0
                vectors[row, code % DIMENSIONS] += (1 if code & 0x80000000 else -1) * weight * np.sqrt(count)
        vectors[~vectors.any(axis=1), 0] = 1.0
        return unit_rows(vectors)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector


def features(text: str) -> Iterator[str]:
    """Stems of the words, and their trigrams marked with #."""
    for word in _WORD.findall(text.lower()):
        stem = _ENDINGS.sub("", word)
        yield stem
        yield from (f"#{stem[i : i + 3]}" for i in range(len(stem) - 2))
