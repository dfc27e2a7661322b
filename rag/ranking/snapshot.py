"""What ranking needs to know of a whole shelf, gathered once for each state of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.catalogue import Catalogue
from rag.ranking.dense import PassageVectors
from rag.ranking.lexical import LexicalIndex

SAMPLE = 500
"""Abstracts whose vectors stand for all: their scores' mean and spread are within a few per cent of the shelf's."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The abstracts that can be found, numbered from 0 in order of storing.

    `keys`: their keys in the catalogue, ascending; `ids`: their ids; `numbers`: the inverse of `ids`; `sample`: the
    vectors of up to SAMPLE of them, evenly spread, so the same in every process.
    """

    keys: NDArray[np.int64]
    ids: tuple[str, ...]
    numbers: dict[str, int]
    lexical: LexicalIndex
    sample: PassageVectors

    @classmethod
    def of(cls, catalogue: Catalogue, index: str) -> Snapshot:
        """As the catalogue stands now, with the vectors of the index identity `index`."""
        rows = catalogue.connection.execute("SELECT key, id FROM abstract WHERE stored = 1 ORDER BY key").fetchall()
        keys = np.array([key for key, _ in rows], np.int64)
        ids = tuple(identity for _, identity in rows)
        chosen = keys[:: -(-len(keys) // SAMPLE) or 1]
        return cls(
            keys,
            ids,
            {identity: number for number, identity in enumerate(ids)},
            LexicalIndex(catalogue, keys),
            catalogue.passage_vectors(chosen.tolist(), index)[1],
        )
