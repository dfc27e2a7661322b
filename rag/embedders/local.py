"""Any sentence-transformers model, from a hub or a folder: an optional dependency."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.embedding import Vectors
from rag.errors import FootnoteError, SettingsError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

MAX_CHARACTERS = 32_000
"""Cut before the tokenizer reads it; abstracts are far shorter."""


class LocalEmbedder:
    """A sentence-transformers model by hub name or folder. Raises SettingsError where the library is missing."""

    def __init__(self, name: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise SettingsError(
                f"FOOTNOTE_EMBED_MODEL=hf:{name} needs the package sentence-transformers.",
                "Install it: pip install sentence-transformers",
            )
        self.name = name
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None

    @property
    def identity(self) -> str:
        """The hub name; for a folder its name and a hash of its weights: a moved folder stays the same model."""
        folder = Path(self.name)
        if not folder.is_dir():
            return f"hf:{self.name}"
        digest = hashlib.sha256()
        for file in sorted([*folder.rglob("*.safetensors"), *folder.rglob("*.bin")]):
            digest.update(file.read_bytes())
        return f"hf:{folder.resolve().name}:{digest.hexdigest()[:12]}"

    @property
    def dimensions(self) -> int:
        """Length of the model's vectors."""
        return int(self.embed_query("dimensions").shape[0])

    @property
    def max_tokens(self) -> int:
        """What the model's configuration says."""
        return int(self._loaded().max_seq_length or 512)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows. Raises FootnoteError when the model cannot be loaded."""
        return self._encode(texts, "document") if texts else np.zeros((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """A unit vector; with the query prompt where the model has one."""
        vector: Vectors = self._encode([text], "query")[0]
        return vector

    def _encode(self, texts: Sequence[str], role: str) -> Vectors:
        model = self._loaded()
        options: dict[str, Any] = {"prompt_name": role} if role in model.prompts else {}
        cut = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        vectors = model.encode(cut, normalize_embeddings=True, show_progress_bar=False, **options)
        return np.asarray(vectors, np.float32)

    def _loaded(self) -> SentenceTransformer:
        with self._lock:
            if self._model is None:
                self._model = _load(self.name)
            return self._model


def _load(name: str) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(name)
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise FootnoteError(
            f"The embedding model {name} cannot be loaded: {reason}", "Give a folder, or check name and network."
        ) from error
