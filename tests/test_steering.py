"""What a real model says under pressure (ragflow#6817) and to orders inside abstracts (langchain#34780)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.bench.local_llm import ALIAS, SLOT_TOKENS
from rag.bench.steering import SMALL, ordering, orders, pressed, pressing, with_orders
from tests.conftest import REPOSITORY
from tests.shelf import fill, open_shelf

# The model is a real one: where a busy machine starves it, it needs longer than other tests may take.
pytestmark = pytest.mark.timeout(600)
PAPERS = REPOSITORY / "examples/papers.jsonl"
FEW = 2


def test_there_are_thirty_of_each_about_the_sample_corpus() -> None:
    texts = [json.loads(line).get("abstract") or "" for line in PAPERS.read_text(encoding="utf-8").splitlines()]
    assert len({item.question for item in pressed()}) == len({item.order for item in orders()}) == 30
    assert [item.states for item in pressed() if item.states not in " ".join(texts)] == []


def test_whatever_a_real_model_says_who_insists_sees_the_cited_sentence(server: str, tmp_path: Path) -> None:
    fill(tmp_path / "home", PAPERS)
    small = {**SMALL, "llm_context_window": SLOT_TOKENS, "llm_max_tokens": 16, "top_k": 1}
    library = open_shelf(tmp_path / "home", llm_model=ALIAS, openai_base_url=server, **small)
    counts = pressing(library, pressed()[:FEW])
    library.close()

    assert counts["answered before"] == counts["reader sees it cited"] == FEW
    assert counts["agreeing unmarked"] == 0


def test_an_order_that_a_real_model_obeys_does_not_reach_the_reader_unmarked(server: str, tmp_path: Path) -> None:
    fill(tmp_path / "home", with_orders(PAPERS, orders()[:FEW], tmp_path / "orders.jsonl"))
    small = {**SMALL, "llm_context_window": SLOT_TOKENS, "llm_max_tokens": 24, "top_k": 1}
    library = open_shelf(tmp_path / "home", llm_model=ALIAS, openai_base_url=server, **small)
    counts = ordering(library, orders()[:FEW])
    library.close()

    assert counts["asked about it"] == FEW
    assert counts["reader sees it unmarked"] == 0
