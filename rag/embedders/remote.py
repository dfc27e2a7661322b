"""Embeddings from a server that speaks OpenAI's /v1/embeddings."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from rag.config import NO_KEY, OPENAI_HOST
from rag.embedding import Vectors, unit_rows
from rag.errors import FootnoteError, SettingsError

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

    from rag.config import Settings

BATCH = 32
"""Texts in a request: the smallest limit among common servers."""
PARALLEL = 4
RETRIES = 5
"""After 408, 409, 429, 5xx and broken connections, with growing waits, or as long as Retry-After says."""
TIMEOUT = 60.0
MAX_TOKENS = 8191
MAX_CHARACTERS = 8_000
"""At most about MAX_TOKENS in any script, and far more than an abstract."""


class RemoteEmbedder:
    """A model on an OpenAI-compatible server, by name. Its identity is the name: the server may move."""

    def __init__(
        self, name: str, base_url: str, api_key: str, *, timeout: float = TIMEOUT, retries: int = RETRIES
    ) -> None:
        self.name = name
        self.base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._lock = threading.Lock()
        self._client: OpenAI | None = None
        self._dimensions: int | None = None

    @classmethod
    def of(cls, settings: Settings, name: str) -> RemoteEmbedder:
        """The settings' embedder, with the key its address may have. Raises SettingsError when a key is missing."""
        base_url = settings.embed_base_url or settings.openai_base_url or OPENAI_HOST
        return cls(name, base_url, key_for(settings, base_url))

    @property
    def identity(self) -> str:
        """`openai:NAME`."""
        return f"openai:{self.name}"

    @property
    def dimensions(self) -> int:
        """Length of the model's vectors; asks the server once."""
        if self._dimensions is None:
            self._dimensions = int(self.embed_query("dimensions").shape[0])
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        """What OpenAI's models take; a server with a lower limit refuses a longer text, and its message is shown."""
        return MAX_TOKENS

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows. Raises FootnoteError that says what the server answered, after retries."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        with ThreadPoolExecutor(min(PARALLEL, len(batches))) as pool:
            parts = list(pool.map(self._request, batches))
        if len({part.shape[1] for part in parts}) > 1:
            raise self._unusable("vectors of different lengths")
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vectors:
        """A unit vector."""
        vector: Vectors = self._request([text])[0]
        return vector

    def _request(self, texts: Sequence[str]) -> Vectors:
        import openai

        cut = [text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8").strip() or "-" for text in texts]
        try:
            # The raw response: the client's own parsing fails without a message on what is not an embedding.
            reply = self._connected().embeddings.with_raw_response.create(
                input=cut, model=self.name, encoding_format="float"
            )
        except openai.APITimeoutError as error:
            raise FootnoteError(
                f"The embedding server {self.base_url} did not answer in time.", "Try again."
            ) from error
        except openai.APIConnectionError as error:
            raise FootnoteError(
                f"No embedding server answers at {self.base_url}.", "Start it, or set FOOTNOTE_EMBED_BASE_URL."
            ) from error
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        try:
            return self._parsed(reply.http_response.json(), len(cut))
        except (ValueError, TypeError, KeyError) as error:
            raise self._unusable("something else") from error

    def _connected(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    api_key=self._api_key, base_url=self.base_url, timeout=self._timeout, max_retries=self._retries
                )
            return self._client

    def _parsed(self, body: Any, expected: int) -> Vectors:
        rows = sorted(body["data"], key=lambda row: int(row["index"]))
        vectors = np.array([row["embedding"] for row in rows], np.float64)
        if [int(row["index"]) for row in rows] != list(range(expected)) or vectors.ndim != 2:
            raise self._unusable(f"{len(rows)} vectors for {expected} texts")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._unusable("a vector that is not a number or zero")
        return unit_rows(vectors)

    def _unusable(self, found: str) -> FootnoteError:
        return FootnoteError(
            f"{self.base_url} sent {found} for embeddings of {self.name}.",
            "Check FOOTNOTE_EMBED_BASE_URL and the model's name.",
        )

    def _refused(self, error: APIStatusError) -> FootnoteError:
        fixes = {
            401: "Set FOOTNOTE_EMBED_API_KEY or OPENAI_API_KEY to a key this server knows.",
            403: "Use a key that may embed with this model.",
            404: "Check the name in FOOTNOTE_EMBED_MODEL, and that the address ends in /v1.",
            429: "Wait, or raise the quota, and run it again: what was embedded is kept.",
        }
        said = " ".join(error.message.split())[:300]
        return FootnoteError(
            f"{self.base_url} refused to embed with {self.name}: {said}", fixes.get(error.status_code, "")
        )


def key_for(settings: Settings, base_url: str) -> str:
    """The key that may be sent to `base_url`; OPENAI_API_KEY goes to api.openai.com and to OPENAI_BASE_URL only."""
    if settings.embed_api_key:
        return settings.embed_api_key.get_secret_value()
    is_openai = urlsplit(base_url)[:2] == urlsplit(OPENAI_HOST)[:2]
    if settings.openai_api_key and (is_openai or base_url == settings.openai_base_url):
        return settings.openai_api_key.get_secret_value()
    if is_openai:
        raise SettingsError(
            "Embeddings from api.openai.com need a key.", "Set OPENAI_API_KEY, or FOOTNOTE_EMBED_MODEL=bundled."
        )
    return NO_KEY
