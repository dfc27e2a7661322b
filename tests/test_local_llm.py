"""The client against a real server with a real model: what no script can pretend."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

from rag.bench.local_llm import ALIAS, SLOT_TOKENS
from rag.citations import normalise, sentences_of
from rag.config import Settings
from rag.errors import LLMError
from rag.llm import LLM, Message
from rag.packing import build
from rag.types import Abstract, Hit, Ranks, Span

TEXT = "The Moth net counts moths at night. It reaches an accuracy of 91.5% on the Lamp data set."
HIT = Hit(Abstract("pmid:1", TEXT, TEXT, title="Moth net"), 1.0, Ranks(1, 1), Span(0, len(TEXT)))


@pytest.fixture
def llm(server: str) -> Iterator[LLM]:
    model = LLM(ALIAS, base_url=server, context_window=SLOT_TOKENS, max_tokens=12, timeout=60.0)
    yield model
    model.close()


def ask(text: str) -> list[Message]:
    return [Message("user", text)]


def test_a_real_reply_is_streamed_with_its_usage(llm: LLM) -> None:
    reply = llm.stream(ask("Count from one to twenty."))
    pieces = list(reply)
    assert len(pieces) > 3
    assert reply.text == "".join(pieces)
    assert reply.finish == "length"
    assert reply.usage.completion_tokens == 12
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.prompt_tokens > 5


def test_a_prompt_beyond_the_real_window_is_an_error_of_its_own_kind(llm: LLM) -> None:
    with pytest.raises(LLMError) as caught:
        llm.complete(ask("word " * (SLOT_TOKENS + 200)))
    assert caught.value.kind == "context"


def test_a_cancelled_reply_frees_the_server(server: str) -> None:
    model = LLM(ALIAS, base_url=server, max_tokens=SLOT_TOKENS - 100)
    for _ in range(3):  # more than the server has slots: an abandoned reply would hold one
        pieces = iter(model.stream(ask("Write a very long story about a lighthouse.")))
        assert len(list(islice(pieces, 2))) == 2
        pieces.close()
    # A whole story takes longer than this waits: the next one is answered only because the slots are free.
    assert LLM(ALIAS, base_url=server, max_tokens=4, timeout=15.0).complete(ask("Hi")).text
    model.close()


def test_a_burst_is_answered_whole(llm: LLM) -> None:
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda n: llm.complete(ask(f"Say the number {n}.")), range(6)))
    assert all(reply.text and reply.usage.completion_tokens for reply in replies)


def test_a_packed_prompt_fits_as_counted_and_any_real_answer_keeps_the_contract(llm: LLM) -> None:
    settings = Settings.model_construct(llm_model=ALIAS, llm_context_window=SLOT_TOKENS, llm_max_tokens=48)
    packed = build("What accuracy does the Moth net reach?", [HIT], [], settings)
    reply = LLM(ALIAS, base_url=llm.server, max_tokens=48).complete(packed.messages)
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.prompt_tokens <= packed.prompt_tokens * 1.25
    marked = normalise(reply.text, packed.issued)
    assert set(marked.used) <= {1}
    assert {n for sentence in sentences_of(marked.text) for n in sentence.numbers} == set(
        range(1, len(marked.used) + 1)
    )
