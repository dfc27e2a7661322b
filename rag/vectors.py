"""The passages' vectors in Chroma, embedded or on a server: the only file that imports chromadb.

A store is a version: changes that replace everything build the next version beside the old one and swap,
so a reader never meets a half-built store. Scores are cosines; the metric is set when a store is made and
checked when it is opened, because Chroma's default is another one and a different one is ignored silently.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from rag import vector_file
from rag.doctoring.lock import HOLDER, described
from rag.errors import IndexUnusableError

COLLECTION = "footnote"
BUSY_SECONDS = 25.0
PATIENCE = 15.0
"""Seconds to wait for another process that writes to the embedded store: a transaction takes less than one."""
METRIC = "cosine"
GRAPH = {"max_neighbors": 32, "ef_construction": 200, "ef_search": 500}
"""Wider than Chroma's defaults, with which one vector in some hundreds could not be found by itself.

The search goes well beyond the candidates asked for, so that they do not depend on the order of storing."""
PROBES = 100
"""Look-ups in one call: a machine with much else to do may take a tenth of a second for each."""
BATCH = 500
"""Passages in one call that changes the store: a slow machine enters 200 a second, and a call has BUSY_SECONDS."""

T = TypeVar("T")

_clients = threading.Lock()
"""Chroma keeps what the clients on one folder share in a dictionary, and opens and closes it without a lock."""


@dataclass(frozen=True, slots=True)
class Row:
    """One passage as Chroma holds it."""

    id: str
    text: str
    vector: NDArray[np.float32]
    abstract: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is: a folder per version for the embedded Chroma, a collection per version on a server."""

    home: Path
    version: int
    url: str | None = None

    @property
    def folder(self) -> Path:
        """Folder of the embedded store."""
        return self.home / "chroma" / str(self.version)

    @property
    def collection(self) -> str:
        """Name of the collection; a server holds those of several shelves, told apart by the shelf's folder."""
        return COLLECTION if self.url is None else f"{COLLECTION}-{_digest(self.home)}-{self.version}"


class VectorStore:
    """One version of the store, open. Calls are bounded in time: another process may hold Chroma for minutes."""

    def __init__(self, place: Place, *, create: bool = False, patience: float = PATIENCE) -> None:
        """Open the store at `place`, or make it empty with `create`; raises IndexUnusableError.

        `patience` is how long another process may go on writing, in seconds.
        """
        self.place = place
        self.patience = patience
        self._client: Any = None
        asked = None if create else self._ask()
        import_module("chromadb")  # a busy machine takes long for that, and it is no other process's doing
        self._wait(asked)
        self._collection = self._bounded(lambda: self._open(create))

    def _open(self, create: bool) -> Any:
        self._client = client = _client(self.place, create=create)
        try:
            return _made(client, self.place) if create else _found(client, self.place)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the store; the last one on a folder frees it."""
        if self._client is not None:
            _close(self._client)
            self._client = None

    def count(self) -> int:
        """Passages held."""
        held: int = self._bounded(self._collection.count)
        return held

    def ids(self) -> list[str]:
        """Ids of all passages held."""
        held: list[str] = self._bounded(partial(self._collection.get, include=[]))["ids"]
        return held

    def rows(self, ids: Sequence[str]) -> Iterator[Row]:
        """Passages as they are held, those that are; in no order."""
        for some in self._batches(ids):
            wanted = partial(self._collection.get, ids=list(some), include=["documents", "embeddings", "metadatas"])
            found = self._bounded(wanted)
            parts = (found[name] for name in ("ids", "documents", "embeddings", "metadatas"))
            for identity, text, vector, fields in zip(*parts, strict=True):
                yield Row(identity, text, vector, fields["abstract"], fields["start"], fields["end"])

    def upsert(self, rows: Sequence[Row]) -> None:
        """Store passages, replacing those with the same ids, in batches the store accepts."""
        self._wait(self._ask() if rows else None)
        for some in self._batches(rows):
            self._bounded(
                partial(
                    self._collection.upsert,
                    ids=[row.id for row in some],
                    embeddings=np.stack([row.vector for row in some]),
                    documents=[row.text for row in some],
                    metadatas=[{"abstract": row.abstract, "start": row.start, "end": row.end} for row in some],
                )
            )

    def delete(self, ids: Sequence[str]) -> None:
        """Remove passages by id; none given removes none."""
        self._wait(self._ask() if ids else None)
        for some in self._batches(ids):
            self._bounded(partial(self._collection.delete, ids=list(some)))

    def query(
        self, vector: NDArray[np.float32], limit: int, among: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """Passage ids with their cosine to a unit vector, best first; `among` restricts to these passages."""
        if among is not None and not among:
            return []
        answer = self._bounded(
            partial(
                self._collection.query,
                query_embeddings=vector[None, :],
                n_results=limit,
                ids=list(among) if among is not None else None,
                include=["distances"],
            )
        )
        return [(i, 1.0 - d) for i, d in zip(answer["ids"][0], answer["distances"][0], strict=True)]

    def best_cosines(self, vectors: NDArray[np.float32]) -> list[float]:
        """For each unit row, the cosine of the passage nearest to it: 1 where the store holds that vector whole."""
        found: list[float] = []
        for start in range(0, len(vectors), PROBES):
            some = vectors[start : start + PROBES]
            call = partial(self._collection.query, query_embeddings=some, n_results=1, include=["distances"])
            found += [1.0 - nearest[0] if nearest else -1.0 for nearest in self._bounded(call)["distances"]]
        return found

    def _batches(self, items: Sequence[T]) -> Iterator[Sequence[T]]:
        if not items or self._client is None:
            return
        size = min(BATCH, self._client.get_max_batch_size())
        for start in range(0, len(items), size):
            yield items[start : start + size]

    def _ask(self) -> vector_file.Asked | None:
        """Begin to ask whether the embedded store can be written, which opening it does too."""
        return None if self.place.url else vector_file.Asked(self.place.folder, self.patience)

    def _wait(self, asked: vector_file.Asked | None) -> None:
        if asked is not None and asked.busy():
            raise _busy(self.place)

    def _bounded(self, call: Callable[[], T]) -> T:
        return _bounded(self.place, call)


def _made(client: Any, place: Place) -> Any:
    space = {"hnsw": {"space": METRIC, **GRAPH}}
    return _settled(client.create_collection(place.collection, embedding_function=None, configuration=space))


def _found(client: Any, place: Place) -> Any:
    collection = client.get_collection(place.collection, embedding_function=None)
    metric = (collection.configuration.get("hnsw") or {}).get("space", METRIC)
    if metric != METRIC:
        raise IndexUnusableError(
            f"The vectors in {place.folder} are compared by {metric}, not {METRIC}.",
            "Rebuild them: python -m ingest --rebuild.",
        )
    return _settled(collection)


def _settled(collection: Any) -> Any:
    collection.count()  # the first call takes in what others wrote, and writes for it; later ones only read
    return collection


def preload() -> None:
    """Begin to import Chroma in a thread: it is what a command waits for longest."""
    threading.Thread(target=import_module, args=("chromadb",), daemon=True).start()


def drop(place: Place) -> None:
    """Remove a version of the store that nobody needs any more; gone already is fine."""
    if place.url is None:
        shutil.rmtree(place.folder, ignore_errors=True)
    else:
        _bounded(place, lambda: _drop_collection(place))


def _drop_collection(place: Place) -> None:
    client = _client(place, create=False)
    if place.collection in [collection.name for collection in client.list_collections()]:
        client.delete_collection(place.collection)
    _close(client)


def _bounded(place: Place, call: Callable[[], T]) -> T:
    """The call's result; raises IndexUnusableError for whatever Chroma raises and for waiting too long."""
    where = place.url or str(place.folder)
    try:
        return _within(BUSY_SECONDS, call)
    except TimeoutError:
        raise _busy(place) from None
    except IndexUnusableError:
        raise
    except Exception as error:  # Chroma raises many kinds, from Rust too
        fix = "See that the server runs." if place.url else "Rebuild them: python -m ingest --rebuild."
        raise IndexUnusableError(f"The vectors in {where} cannot be used: {_one_line(error)}.", fix) from error


def _busy(place: Place) -> IndexUnusableError:
    holder = described(place.home) if (place.home / HOLDER).exists() else "another process"
    return IndexUnusableError(
        f"The vectors in {place.url or place.folder} are busy: {holder} writes to them and does not end.",
        "Wait for it to finish, or end it, then try again.",
    )


def _client(place: Place, *, create: bool) -> Any:
    import chromadb
    from chromadb.config import Settings

    quiet = Settings(anonymized_telemetry=False)
    if place.url is not None:
        address = urlsplit(place.url)
        secure = address.scheme == "https"
        port = address.port or (443 if secure else 80)
        return chromadb.HttpClient(host=address.hostname or "", port=port, ssl=secure, settings=quiet)
    if not create and not place.folder.is_dir():
        raise IndexUnusableError(
            f"The vectors are missing: {place.folder}.", "Rebuild them from the catalogue: python -m ingest --rebuild."
        )
    if create:
        vector_file.make(place.folder)
    with _clients:
        return chromadb.PersistentClient(str(place.folder), settings=quiet)


def _close(client: Any) -> None:
    parts = (client, getattr(client, "_admin_client", None))
    sessions = [getattr(getattr(part, "_server", None), "_session", None) for part in parts]
    with _clients:
        client.close()
    for session in filter(None, sessions):
        session.close()  # a server's client leaves its two connections open


def _within(seconds: float, call: Callable[[], T]) -> T:
    """The call's result, or TimeoutError after `seconds`; the call is then left to end by itself."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future.result(timeout=seconds)


def _digest(home: Path) -> str:
    import hashlib

    return hashlib.sha256(str(home.resolve()).encode()).hexdigest()[:12]


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(".")
