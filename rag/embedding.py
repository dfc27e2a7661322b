"""What turns texts into vectors: the interface, and the choice by setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rag.types import Span

if TYPE_CHECKING:
    from rag.config import Settings

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts in, unit vectors out; usable from several threads at once.

    `identity` names the model that made the vectors (two embedders of one identity are interchangeable);
    `max_tokens` is how much of a text counts: what follows is left out, never an error.
    """

    @property
    def identity(self) -> str:
        """Name of the model."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that count."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), float32, every row of length 1, in the order of the texts."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimensions,), float32, of length 1."""
        ...


@runtime_checkable
class SpanEmbedder(Protocol):
    """An embedder that sees a text whole when it embeds its parts ("late chunking", arXiv:2409.04701)."""

    def embed_spans(self, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> list[Vectors]:
        """For each text unit rows: the whole text's, then one for each of its spans, which stand in order."""
        ...


def embed_spans(embedder: Embedder, texts: Sequence[str], spans: Sequence[Sequence[Span]]) -> list[Vectors]:
    """As `SpanEmbedder.embed_spans`; with an embedder that is none the spans are embedded as texts of their own."""
    if isinstance(embedder, SpanEmbedder):
        return embedder.embed_spans(texts, spans)
    pieces = [[text, *(text[start:end] for start, end in some)] for text, some in zip(texts, spans, strict=True)]
    numbers = {piece: n for n, piece in enumerate(dict.fromkeys(piece for some in pieces for piece in some))}
    vectors = embedder.embed(list(numbers))
    return [vectors[[numbers[piece] for piece in some]] for some in pieces]


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that `settings.embed_model` names; a model's files are read, and a server asked, at first use.

    Raises SettingsError for a kind that does not exist, or a key that is needed and missing.
    """
    kind, _, name = settings.embed_model.partition(":")
    if kind == "bundled" and not name:
        from rag.embedders.bundled import BundledEmbedder

        return BundledEmbedder()
    if kind == "openai" and name:
        from rag.embedders.remote import RemoteEmbedder

        return RemoteEmbedder.of(settings, name)
    if kind == "hf" and name:
        from rag.embedders.local import LocalEmbedder

        return LocalEmbedder(name)
    from rag.errors import SettingsError

    raise SettingsError(
        f"FOOTNOTE_EMBED_MODEL is {settings.embed_model!r}.", "Write bundled, openai:NAME or hf:NAME-or-folder."
    )


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """The rows scaled to length 1, as float32; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
