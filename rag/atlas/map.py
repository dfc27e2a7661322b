"""The map of a shelf as it stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rag.atlas.projection import Matrix, project
from rag.atlas.topics import READ, name_topics
from rag.catalogue import Catalogue

FEWEST = 3
"""Abstracts from which on there is something to see."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """`ids[n]` lies at `points[n]`, within -1..1, in the topic `names[topics[n]]`."""

    ids: tuple[str, ...]
    points: Matrix
    topics: tuple[int, ...]
    names: tuple[str, ...]


def map_of(catalogue: Catalogue, index: str) -> Map | None:
    """Where the abstracts lie by the vectors of the index identity `index`; None for fewer than FEWEST."""
    query = (
        "SELECT id, substr(matrix, 1, ?) FROM vector JOIN abstract ON key = abstract "
        "WHERE index_identity = ? ORDER BY abstract"
    )
    rows = catalogue.connection.execute(query, (2 * catalogue.dimensions, index)).fetchall()
    if len(rows) < FEWEST:
        return None
    ids = tuple(identity for identity, _ in rows)
    # Passage 0 is the whole abstract.
    vectors = np.frombuffer(b"".join(blob for _, blob in rows), np.float16).reshape(len(rows), -1).astype(np.float32)
    points, topics = project(vectors)
    chosen = [
        [identity for identity, of in zip(ids, topics, strict=True) if of == topic][:READ]
        for topic in range(int(topics.max()) + 1)
    ]
    known = catalogue.many([identity for group in chosen for identity in group])
    names = name_topics([[known[identity] for identity in group] for group in chosen])
    return Map(ids, points, tuple(map(int, topics)), tuple(names))
