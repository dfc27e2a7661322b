from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pydantic's, at LlamaIndex's own import
    from llama_index.core.evaluation import RetrieverEvaluator
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from rag.llamaindex import FootnoteEmbedding, HybridRetriever

from rag.filters import parse
from rag.library import Library
from rag.retrieve import search
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, write_lines


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("llamaindex")
    many = {**PAPERS[0], "authors": [f"Author {n}" for n in range(3000)]}
    fill(folder / "home", write_lines(folder / "papers.jsonl", [many, *PAPERS[1:]]))
    library = open_shelf(folder / "home")
    yield library
    library.close()


def test_the_retriever_finds_what_search_finds_in_its_order(library: Library) -> None:
    nodes = HybridRetriever(library, top_k=2).retrieve("radar and drought")

    assert [(n.node.node_id, n.score) for n in nodes] == [
        (hit.abstract.id, hit.score) for hit in search(library, "radar and drought", 2)
    ]


def test_filters_hold_inside_llama_index(library: Library) -> None:
    nodes = HybridRetriever(library, filters=parse({"year": "2023"})).retrieve("radar")

    assert [node.node.node_id for node in nodes] == ["pmid:3300001"]


def test_a_stock_query_engine_answers_from_it_and_sees_no_list_of_authors(library: Library) -> None:
    engine = RetrieverQueryEngine.from_args(HybridRetriever(library, top_k=3), llm=MockLLM())
    response = engine.query("Which attention heads does Heron remove?")

    assert len(response.source_nodes) == 3
    assert "Heron removes attention heads" in str(response)
    assert "Author 2999" not in str(response)


def test_a_stock_evaluator_scores_it(library: Library) -> None:
    evaluator = RetrieverEvaluator.from_metric_names(["mrr", "hit_rate"], retriever=HybridRetriever(library))
    result = evaluator.evaluate("How does IL-6 react to sleep?", expected_ids=["pmid:3300001"])

    assert result.metric_vals_dict == {"mrr": 1.0, "hit_rate": 1.0}


def test_the_embedding_is_the_embedders() -> None:
    embedder = HashingEmbedder()
    model = FootnoteEmbedding(embedder)

    assert model.model_name == embedder.identity
    assert model.get_text_embedding_batch(["a text", "another"]) == embedder.embed(["a text", "another"]).tolist()
    assert model.get_query_embedding("a text") == embedder.embed_query("a text").tolist()
