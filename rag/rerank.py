"""A second look at the best hits by a model that reads question and abstract together: a server's, or a local one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.config import NO_KEY
from rag.errors import FootnoteError, SettingsError
from rag.types import Hit

if TYPE_CHECKING:
    from openai import OpenAI
    from sentence_transformers import CrossEncoder

    from rag.config import Settings

DEPTH = 50
"""Hits that are looked at again; more where more are asked for."""
TIMEOUT = 60.0
RETRIES = 2
"""After 408, 409, 429, 5xx and broken connections, or as long as Retry-After says."""

Scores = NDArray[np.float64]


class Reranker(Protocol):
    """How well texts answer a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """One number a text, higher is better, without a fixed range. Raises FootnoteError."""
        ...


class RemoteReranker:
    """A server's `/rerank`, as llama.cpp, vLLM, Cohere and Jina have it under their /v1 (Cohere: /v2)."""

    def __init__(self, base_url: str, model: str | None, api_key: str | None, retries: int = RETRIES) -> None:
        self._base_url = base_url
        self._model = model
        self._api_key = api_key or NO_KEY
        self._retries = retries
        self._lock = threading.Lock()
        self._client: OpenAI | None = None

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """As the server gives them."""
        import openai

        body = {"query": question, "documents": list(texts), "top_n": len(texts)}
        if self._model:
            body["model"] = self._model
        try:
            reply = self._connected().post("/rerank", body=body, cast_to=object)
        except openai.APITimeoutError as error:
            raise FootnoteError(f"The reranker {self._base_url} did not answer in time.", "Try again.") from error
        except openai.APIConnectionError as error:
            raise FootnoteError(
                f"No reranker answers at {self._base_url}.", "Start it, or unset FOOTNOTE_RERANK_URL."
            ) from error
        except openai.APIStatusError as error:
            said = " ".join(error.message.split())[:300]
            raise FootnoteError(
                f"{self._base_url} refused to rerank: {said}", _FIXES.get(error.status_code, "")
            ) from error
        except ValueError as error:
            raise self._unusable("something else") from error
        return self._read(reply, len(texts))

    def _connected(self) -> OpenAI:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                self._client = OpenAI(
                    api_key=self._api_key, base_url=self._base_url, timeout=TIMEOUT, max_retries=self._retries
                )
            return self._client

    def _read(self, reply: Any, expected: int) -> Scores:
        found = np.full(expected, np.nan)
        try:
            for one in reply["results"]:
                found[int(one["index"])] = float(one["relevance_score"])
        except (TypeError, KeyError, ValueError, IndexError) as error:
            raise self._unusable("something else") from error
        if not np.isfinite(found).all():
            raise self._unusable(f"scores for {int(np.isfinite(found).sum())} of {expected} abstracts")
        return found

    def _unusable(self, sent: str) -> FootnoteError:
        return FootnoteError(
            f"{self._base_url} sent {sent} instead of a ranking.",
            "FOOTNOTE_RERANK_URL is the address before /rerank, with its /v1; check it and the model's name.",
        )


class LocalReranker:
    """A cross-encoder by hub name or folder. Raises SettingsError where the library is missing."""

    def __init__(self, name: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise SettingsError(
                f"FOOTNOTE_RERANK_MODEL={name} without FOOTNOTE_RERANK_URL needs the package sentence-transformers.",
                "Install it: pip install sentence-transformers",
            )
        self._name = name
        self._lock = threading.Lock()
        self._model: CrossEncoder | None = None

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """The model's logits."""
        pairs = [(question, text) for text in texts]
        return np.asarray(self._loaded().predict(pairs, show_progress_bar=False), np.float64)

    def _loaded(self) -> CrossEncoder:
        from sentence_transformers import CrossEncoder

        with self._lock:
            if self._model is None:
                try:
                    self._model = CrossEncoder(self._name)
                except (OSError, ValueError) as error:
                    reason = str(error).strip().partition("\n")[0]
                    raise FootnoteError(
                        f"The reranker {self._name} cannot be loaded: {reason}",
                        "Give a folder, or check name and network.",
                    ) from error
            return self._model


_FIXES = {
    401: "Set FOOTNOTE_RERANK_API_KEY to a key this server knows.",
    403: "Set FOOTNOTE_RERANK_API_KEY to a key that may rerank with this model.",
    404: "FOOTNOTE_RERANK_URL is the address before /rerank, with its /v1; check it and FOOTNOTE_RERANK_MODEL.",
    429: "Wait, or unset FOOTNOTE_RERANK_URL.",
}


def make_reranker(settings: Settings) -> Reranker | None:
    """The reranker of the settings, None where none is set; models load, and servers are asked, at first use."""
    if settings.rerank_url:
        return RemoteReranker(settings.rerank_url, settings.rerank_model, _key(settings))
    return LocalReranker(settings.rerank_model) if settings.rerank_model else None


def _key(settings: Settings) -> str | None:
    """OPENAI_API_KEY goes to the server that OPENAI_BASE_URL names and to no other."""
    if settings.rerank_api_key:
        return settings.rerank_api_key.get_secret_value()
    if settings.openai_api_key and settings.rerank_url == settings.openai_base_url:
        return settings.openai_api_key.get_secret_value()
    return None


def reranked(reranker: Reranker, question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits by the reranker's scores, which take the place of theirs; ties keep their order."""
    if not hits:
        return []
    texts = [f"{hit.abstract.title}\n{hit.abstract.text}" if hit.abstract.title else hit.abstract.text for hit in hits]
    scores = reranker.scores(question, texts)
    best = np.argsort(-scores, kind="stable").tolist()
    return [replace(hits[place], score=float(scores[place])) for place in best]
