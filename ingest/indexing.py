"""From the catalogue to the vectors: embed what waits, store it, mark it; rebuild the store when it is in doubt.

Vectors are kept in the catalogue before Chroma sees them, and `dirty` stands in the catalogue while Chroma is being
changed. A process that dies in between leaves `dirty` behind, and the next run rebuilds the store from the catalogue:
a kill during a Chroma write can leave its counts right and its index broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rag.catalogue import Catalogue, Vectors
from rag.chunk import passages, shifted, titled
from rag.config import Settings
from rag.embedding import Embedder, embed_spans
from rag.errors import IndexUnusableError
from rag.library import check_identity, index_identity, store_place
from rag.shelving import drop_vectors, mark_stored, put_passages, put_vectors
from rag.text.sentences import split
from rag.types import Abstract, Span
from rag.vectors import Row, VectorStore, drop

BATCH = 32
"""Abstracts embedded and stored together: what a stop can lose."""
REBUILD_BATCH = 500


class Indexer:
    """Writes passages' vectors. The caller holds the shelf's lock."""

    def __init__(self, settings: Settings, catalogue: Catalogue, embedder: Embedder, *, reembed: bool = False) -> None:
        """Raises IndexUnusableError where the index has another identity, unless `reembed` is to give it this one."""
        self.settings = settings
        self.catalogue = catalogue
        self.embedder = embedder
        self.identity = index_identity(embedder.identity)
        self._store: VectorStore | None = None
        if not reembed:
            check_identity(catalogue, self.identity, settings.home)

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def recover(self) -> None:
        """Put right what a process that died while changing the store left, and a store that is gone."""
        place = store_place(self.settings, self.catalogue)
        lost = place.version > 0 and place.url is None and not place.folder.is_dir()
        if lost or self.catalogue.meta("dirty") == "1":
            self.rebuild()

    def embed_waiting(self) -> Iterator[int]:
        """Embed and store all abstracts that wait, batch by batch; yields the number of passages embedded."""
        for ids in _batches(self.catalogue.waiting(), BATCH):
            rows, embedded = self._embed(ids)
            store = self._open()
            with self.catalogue.transaction():
                self.catalogue.set_meta({"dirty": "1"})
            store.upsert(rows)
            with self.catalogue.transaction():
                mark_stored(self.catalogue, ids)
                self.catalogue.set_meta({"dirty": "0", "generation": self._next_generation()})
            yield embedded

    def forget(self, passage_ids: Sequence[str]) -> None:
        """Remove passages from the store. The caller has set `dirty` in the change that made them stale."""
        if not passage_ids:
            return
        self._open().delete(passage_ids)
        with self.catalogue.transaction():
            self.catalogue.set_meta({"dirty": "0", "generation": self._next_generation()})

    def confirm(self) -> None:
        """Read back how many passages the store holds; raises IndexUnusableError where they are not the catalogue's.

        The next run rebuilds the store then. Nothing is read back where this run changed nothing.
        """
        if self._store is None:
            return
        held, expected = self._store.count(), self.catalogue.counts()[1]
        if held != expected:
            with self.catalogue.transaction():
                self.catalogue.set_meta({"dirty": "1"})
            raise IndexUnusableError(
                f"The vector store holds {held:,} passages, the catalogue {expected:,}.",
                "Run python -m ingest --rebuild: it embeds nothing that is there.",
            )

    def reembed(self) -> Iterator[int]:
        """Give the whole index this embedder's vectors, beside the ones in use, then swap; a stop loses one batch."""
        for ids in _batches(self.catalogue.ids(), BATCH):
            yield self._embed(ids)[1]
        self.rebuild()

    def rebuild(self) -> None:
        """Build the next version of the store from the catalogue's vectors, swap, and drop the old version."""
        self.close()
        old = store_place(self.settings, self.catalogue)
        new = replace(old, version=old.version + 1)
        drop(new)
        store = VectorStore(new, create=True)
        recut = self.catalogue.meta("index") != self.identity
        held = [i for ids in _batches(self.catalogue.ids(), REBUILD_BATCH) for i in self._fill(store, ids)]
        store.close()
        with self.catalogue.transaction() as connection:
            connection.execute("UPDATE abstract SET stored = 0")
            mark_stored(self.catalogue, held)
            if recut:
                self._recut()
            drop_vectors(self.catalogue, keep=self.identity)
            values = {"store": str(new.version), "index": self.identity, "dirty": "0"}
            self.catalogue.set_meta({**values, "generation": self._next_generation()})
        drop(old)

    def _recut(self) -> None:
        for ids in _batches(self.catalogue.ids(), REBUILD_BATCH):
            for abstract in self.catalogue.many(ids).values():
                put_passages(self.catalogue, abstract.id, passages(abstract))

    def _fill(self, store: VectorStore, ids: Sequence[str]) -> list[str]:
        vectors = self.catalogue.vectors(ids, self.identity)
        store.upsert(_rows(self.catalogue.many(list(vectors)), vectors))
        return list(vectors)

    def _embed(self, ids: Sequence[str]) -> tuple[list[Row], int]:
        """The rows of abstracts for the store, and how many passages had to be embedded for it."""
        abstracts, kept = self.catalogue.many(ids), self.catalogue.vectors(ids, self.identity)
        missing = [abstracts[i] for i in ids if i not in kept]
        fresh = embed_abstracts(self.embedder, missing)
        with self.catalogue.transaction():
            put_vectors(self.catalogue, self.identity, fresh)
            self.catalogue.set_meta({"dimensions": str(self.embedder.dimensions)})
        return _rows(abstracts, {**kept, **fresh}), sum(len(some.passages) for some in fresh.values())

    def _open(self) -> VectorStore:
        if self._store is None:
            if self.catalogue.meta("store") is None:
                self.rebuild()
            self._store = VectorStore(store_place(self.settings, self.catalogue))
        return self._store

    def _next_generation(self) -> str:
        return str(self.catalogue.generation + 1)


def embed_abstracts(embedder: Embedder, abstracts: Sequence[Abstract]) -> dict[str, Vectors]:
    """Vectors of abstracts: of their passages in the context of the whole, and of each sentence by itself.

    The first find an abstract, the second choose and check its sentences.
    """
    texts, spans = zip(*(_as_embedded(abstract) for abstract in abstracts), strict=True) if abstracts else ((), ())
    found = embed_spans(embedder, texts, spans)
    sentences = {a.id: [a.text[start:end] for start, end in split(a.text)] for a in abstracts}
    alone = iter(embedder.embed([sentence for some in sentences.values() for sentence in some]))
    return {
        a.id: Vectors(rows, np.stack([next(alone) for _ in sentences[a.id]]))
        for a, rows in zip(abstracts, found, strict=True)
    }


def _as_embedded(abstract: Abstract) -> tuple[str, list[Span]]:
    text, begin = titled(abstract)
    return text, [shifted(passage, begin) for passage in passages(abstract)[1:]]


def _rows(abstracts: Mapping[str, Abstract], vectors: Mapping[str, Vectors]) -> list[Row]:
    return [
        Row(p.id, abstracts[i].text[p.start : p.end], vector, i, p.start, p.end)
        for i, some in vectors.items()
        for p, vector in zip(passages(abstracts[i]), some.passages, strict=True)
    ]


def _batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
