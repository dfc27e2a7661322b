"""Footnote inside LlamaIndex: its retriever and its embedder as LlamaIndex knows them."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag.embedding import Embedder
from rag.library import Library
from rag.retrieve import search
from rag.types import Filters, Hit

METADATA = ("title", "authors", "year", "venue", "url", "source")


class HybridRetriever(BaseRetriever):
    """The shelf's own search, by meaning and by words, as a LlamaIndex retriever: one node an abstract, best first."""

    def __init__(self, library: Library, top_k: int = 10, filters: Filters = Filters(), **options: Any) -> None:
        """`options` go to LlamaIndex's BaseRetriever."""
        self._library = library
        self._top_k = top_k
        self._filters = filters
        super().__init__(**options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = search(self._library, query_bundle.query_str, self._top_k, self._filters)
        return [NodeWithScore(node=node_of(hit), score=hit.score) for hit in hits]


def node_of(hit: Hit) -> TextNode:
    """An abstract as a node: its id, its whole text, and its bibliographic fields, which no prompt or embedder sees.

    Left visible, metadata longer than a chunk makes LlamaIndex's splitters fail, as that of a paper by 3,000 authors.
    """
    abstract = hit.abstract
    fields = {
        "title": abstract.title,
        "authors": list(abstract.authors),
        "year": abstract.year,
        "venue": abstract.venue,
        "url": abstract.url,
        "source": abstract.sources[0] if abstract.sources else None,
    }
    hidden = [name for name in METADATA if name != "title"]
    return TextNode(
        id_=abstract.id,
        text=abstract.text,
        metadata=fields,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=list(METADATA),
    )


class FootnoteEmbedding(BaseEmbedding):
    """An embedder of Footnote's as a LlamaIndex embedding model."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder, **options: Any) -> None:
        """`options` go to LlamaIndex's BaseEmbedding."""
        super().__init__(model_name=embedder.identity, **options)
        self._embedder = embedder

    def _get_query_embedding(self, query: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(query).tolist()
        return vector

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._embedder.embed(texts).tolist()
        return rows
