"""Scores of abstracts by the cosines of their passages with a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Scores = NDArray[np.float64]

BEST_SENTENCES = 2


def products(rows: Matrix, vector: Matrix) -> Scores:
    """Dot product of each row with a vector.

    Not by BLAS: for so little its threads gain nothing, and where others keep the processors busy they wait for each
    other ten times as long as the sum takes.
    """
    found: Matrix = np.einsum("ij,j->i", rows, vector, optimize=False)
    return found.astype(np.float64)


@dataclass(frozen=True, eq=False)
class PassageVectors:
    """`rows`: unit vectors of several abstracts' passages, one abstract's after another's, of each the whole first.

    `counts`: passages of each abstract, at least 1.
    """

    rows: Matrix
    counts: NDArray[np.int64]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Row of each whole."""
        starts: NDArray[np.int64] = np.cumsum(self.counts) - self.counts
        return starts

    @cached_property
    def wholes(self) -> Matrix:
        """Vector of each abstract as a whole."""
        return self.rows[self.starts]

    def cosines(self, vector: Matrix) -> Scores:
        """Of every row with a unit vector."""
        return products(self.rows, vector)

    def scores(self, cosines: Scores) -> Scores:
        """For each abstract the cosine of the whole plus the mean of its two best sentences'.

        Fewer where it has fewer; one without sentences counts its whole twice.
        """
        if not len(self.counts):
            return np.zeros(0)
        padded = np.append(cosines, -np.inf)[self._sentence_rows]
        best = -np.partition(-padded, BEST_SENTENCES - 1, axis=1)[:, :BEST_SENTENCES]
        there = np.isfinite(best)
        wholes = cosines[self.starts]
        means = np.where(there, best, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        return wholes + np.where(there.any(axis=1), means, wholes)

    @cached_property
    def _sentence_rows(self) -> NDArray[np.int64]:
        """(abstracts, most sentences): rows of the sentences, and one past the last row where there are fewer."""
        width = max(BEST_SENTENCES, int(self.counts.max()) - 1)
        numbers = np.arange(1, width + 1)
        rows = self.starts[:, None] + numbers
        return np.where(numbers < self.counts[:, None], rows, len(self.rows))

    def of(self, place: int, cosines: Scores) -> Scores:
        """The cosines of one abstract's passages."""
        start = self.starts[place]
        return cosines[start : start + self.counts[place]]


def joined(parts: Sequence[PassageVectors]) -> PassageVectors:
    """The abstracts of several, one part's after another's."""
    rows, counts = zip(*((part.rows, part.counts) for part in parts), strict=True)
    return PassageVectors(np.concatenate(rows), np.concatenate(counts))


def widened(halves: NDArray[np.float16]) -> Matrix:
    """Finite numbers as float32, exactly, in a sixth of the time that `astype` takes for them one by one.

    The bits of exponent and fraction move to their places in a float32, whose exponent counts from 112 further below.
    """
    bits = halves.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= np.int32(~(7 << 28))  # copies of the sign
    found: Matrix = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found


def gathered(blobs: Sequence[bytes], dimensions: int) -> PassageVectors:
    """From float16 rows, an item an abstract."""
    if not blobs:
        return PassageVectors(np.zeros((0, dimensions), np.float32), np.zeros(0, np.int64))
    counts = np.array([len(blob) // (2 * dimensions) for blob in blobs], np.int64)
    rows = widened(np.frombuffer(b"".join(blobs), np.float16)).reshape(-1, dimensions)
    return PassageVectors(rows, counts)
