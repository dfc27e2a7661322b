"""A shelf, open: its catalogue, its vectors and the embedder that built them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.catalogue import Catalogue
from rag.chunk import SCHEME
from rag.config import Settings, load_settings
from rag.errors import FootnoteError, IndexUnusableError
from rag.quoting.thresholds import Thresholds
from rag.ranking.lexical import document_frequency
from rag.ranking.snapshot import Snapshot
from rag.text.terms import Vocabulary

if TYPE_CHECKING:
    from rag.embedding import Embedder
    from rag.llm import LLM
    from rag.rerank import Reranker
    from rag.types import Question
    from rag.vectors import Place, VectorStore
    from rag.verify import Verifier

T = TypeVar("T")

WORDS_KEPT = 1 << 15
"""Words whose number of abstracts is kept: looked up for every word of every question, it is the same until the next
ingest."""


@dataclass(slots=True, eq=False)
class _Opened:
    """What is open at present, and as of when; views of one shelf share it."""

    store: VectorStore | None = None
    store_generation: int = -1
    snapshot: Snapshot | None = None
    snapshot_state: tuple[int, str | None] = (-1, None)
    vocabulary: Vocabulary | None = None
    vocabulary_state: tuple[int, str | None] = (-1, None)


class Library:
    """What a question is asked of. Opened once per process and shared by its threads."""

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        """Open the shelf in `settings.home`; raises IndexUnusableError. `embedder` stands in for the configured one."""
        self.settings = settings
        self.catalogue = Catalogue(settings.home)
        self._embedder = embedder
        self._store_lock = threading.RLock()
        self._snapshot_lock = threading.Lock()
        self._opened = _Opened()
        self._workers = ThreadPoolExecutor(thread_name_prefix="library")

    def close(self) -> None:
        """Let go of both stores."""
        self._workers.shutdown()
        with self._store_lock:
            if self._opened.store is not None:
                self._opened.store.close()
                self._opened.store = None
        self.catalogue.close()

    def with_model(self, model: str) -> Library:
        """The same shelf, its stores shared, with another language model of the same server."""
        return self if model == self.settings.llm_model else self._apart(llm_model=model)

    def apart(self) -> Library:
        """The same shelf, its stores shared, with a language model of its own to set the pace of."""
        return self._apart()

    def _apart(self, **changes: Any) -> Library:
        other = copy(self)
        other.settings = self.settings.model_copy(update=changes)
        other.__dict__.pop("llm", None)
        return other

    def prepare(self) -> None:
        """Open the vector store meanwhile: importing Chroma takes as long as loading the embedder.

        What goes wrong is left to the first query, which says it where it is looked for.
        """

        def open_store() -> None:
            with suppress(FootnoteError), self._store_lock:
                self._current_store()

        threading.Thread(target=open_store, daemon=True).start()

    def beside(self, call: Callable[[], T]) -> Future[T]:
        """The call's result, worked out in another thread."""
        return self._workers.submit(call)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of the settings; raises IndexUnusableError where another one built the index."""
        from rag.embedding import make_embedder

        embedder = self._embedder or make_embedder(self.settings)
        check_identity(self.catalogue, index_identity(embedder.identity), self.settings.home)
        return embedder

    @property
    def index(self) -> str:
        """The index's identity: what embedded it and how it was cut."""
        return index_identity(self.embedder.identity)

    @cached_property
    def llm(self) -> LLM | None:
        """The language model of the settings, None where none is configured."""
        from rag.llm import make_llm

        return make_llm(self.settings)

    def model_for(self, question: Question) -> LLM | None:
        """The model that may be asked for anything about a question: none where it wants quotes only."""
        return None if question.style == "quotes" else self.llm

    @cached_property
    def reranker(self) -> Reranker | None:
        """What orders the best hits anew, None where the settings name none."""
        from rag.rerank import make_reranker

        return make_reranker(self.settings)

    @cached_property
    def verifier(self) -> Verifier:
        """What judges sentences against abstracts."""
        from rag.verify import Verifier

        return Verifier.load()

    @property
    def thresholds(self) -> Thresholds:
        """Where questions this shelf can answer begin, as measured when it was indexed."""
        measured = self.catalogue.meta("thresholds")
        return Thresholds.from_dict(json.loads(measured)) if measured else Thresholds()

    @property
    def vocabulary(self) -> Vocabulary:
        """What words this shelf knows."""
        with self._snapshot_lock:
            state = self._state()
            if self._opened.vocabulary is None or state != self._opened.vocabulary_state:
                frequency = lru_cache(maxsize=WORDS_KEPT)(partial(document_frequency, self.catalogue))
                self._opened.vocabulary = Vocabulary(self.catalogue.counts()[0], frequency)
                self._opened.vocabulary_state = state
            return self._opened.vocabulary

    @property
    def snapshot(self) -> Snapshot:
        """The shelf as it stands now, for ranking."""
        with self._snapshot_lock:
            state = self._state()
            if self._opened.snapshot is None or state != self._opened.snapshot_state:
                self._opened.snapshot, self._opened.snapshot_state = Snapshot.of(self.catalogue, self.index), state
            return self._opened.snapshot

    def _state(self) -> tuple[int, str | None]:
        """What moves with every change of the shelf."""
        return self.catalogue.generation, self.catalogue.meta("wordbook")

    def nearest(
        self, vector: NDArray[np.float32], limit: int, among: Sequence[str] | None = None
    ) -> list[tuple[str, float]]:
        """Passage ids with their cosine to a unit vector, best first, as the index stands now."""
        with self._store_lock:
            return self._current_store().query(vector, limit, among)

    def _current_store(self) -> VectorStore:
        # A writer in another process is invisible to an open client; reopening shows what it wrote.
        generation = self.catalogue.generation
        if self._opened.store is None or generation != self._opened.store_generation:
            from rag.vectors import VectorStore

            if self._opened.store is not None:
                self._opened.store.close()
            self._opened.store = VectorStore(store_place(self.settings, self.catalogue))
            self._opened.store_generation = generation
        return self._opened.store


def index_identity(embedder: str) -> str:
    """Identity of an index: the embedder's and the way abstracts are cut."""
    return f"{embedder}+{SCHEME}"


def check_identity(catalogue: Catalogue, identity: str, home: Path) -> None:
    """Raises IndexUnusableError where the index was built as something else than `identity`."""
    built = catalogue.meta("index")
    if built not in (None, identity):
        raise IndexUnusableError(
            f"The index in {home} was built by {built}, the settings ask for {identity}.",
            "Set FOOTNOTE_EMBED_MODEL back, or rebuild: python -m ingest --rebuild.",
        )


def store_place(settings: Settings, catalogue: Catalogue) -> Place:
    """Where the current version of the vector store is."""
    from rag.vectors import Place

    return Place(settings.home, int(catalogue.meta("store") or 0), settings.chroma_url)


def open_library(settings: Settings | None = None, **overrides: Any) -> Library:
    """The shelf that the settings name; without `settings` they are read from the environment and `.env`."""
    return Library(settings or load_settings(**overrides))
