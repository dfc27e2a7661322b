"""Asking a model over HTTP: what arrives, what fails and how, and what the server was asked.

Named threads are the reports these tests come from.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from email.utils import formatdate
from typing import Any

import pytest
from pydantic import SecretStr

from rag.config import Settings
from rag.errors import LLMError, SettingsError
from rag.llm import DEFAULT_CONTEXT_WINDOW, LLM, NO_KEY, OPENAI, Message, Reply, make_llm
from rag.llms.http import DRAIN
from rag.llms.prices import Price
from rag.types import Usage
from tests.fake_llm import DONE, MODEL, Fail, FakeLLM, Raw, Say, content, error, event

ASK = [Message("system", "Answer."), Message("user", "Why? {x} %s \U0001f600 שלום")]
KEY = "sk-secret-1234567890"


def asking(fake: FakeLLM, **options: Any) -> LLM:
    """A model on the fake server, which waits for nothing."""
    return LLM(MODEL, base_url=fake.url, **{"timeout": 5.0, "sleep": lambda _: None, **options})


def failure(*replies: Any, **options: Any) -> tuple[LLMError, FakeLLM]:
    """The error that asking ends in, and the server that caused it."""
    with FakeLLM(*replies) as fake, pytest.raises(LLMError) as caught:
        asking(fake, **options).complete(ASK)
    return caught.value, fake


def settings(**values: Any) -> Settings:
    """Settings of these values alone."""
    return Settings.model_construct(**values)


def test_a_reply_is_streamed_and_its_usage_known_afterwards() -> None:
    with FakeLLM(Say("It works [1].", usage=(21, 4))) as fake:
        reply = asking(fake).stream(ASK)
        assert list(reply) == ["It", " works", " [1]."]
    assert (reply.text, reply.usage, reply.finish) == ("It works [1].", Usage(21, 4), "stop")


def test_a_whole_reply_is_the_same_object() -> None:
    with FakeLLM(Say("It works.", finish="length")) as fake:
        reply = asking(fake).complete(ASK)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.usage, reply.finish) == ("It works.", Usage(11, 7), "length")


def test_everything_is_asked_explicitly() -> None:
    with FakeLLM(Say("Yes.")) as fake:
        asking(fake, max_tokens=77).complete(ASK)
    (asked,) = fake.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": MODEL,
        "messages": [{"role": role, "content": text} for role, text in ASK],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        "max_tokens": 77,
    }


# gradio#11729, mlflow#13361, shell_gpt#457
@pytest.mark.parametrize(
    "chunks",
    [
        (event(choices=[]), *content("né", "e."), event(finish="stop"), DONE),
        (*content("né", "e."), event(finish="stop"), event(choices=[], usage={"prompt_tokens": 1}), DONE),
        (*content("née."), b'data: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n', DONE),
        (*content("née."), b'data: {"choices":null}\n\n', DONE),
        (event({"role": "assistant"}), *content("née."), event({"content": None}, finish="stop"), DONE),
        (b": keep-alive\n\n", *content("né"), b":\n\n", *content("e."), DONE),
        (*content("née."), b'data: {"choices":[{"index":0,"finish_reason":"stop"}]}\n\n', DONE),
        (*content("née."), b'data: {"choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}\n\n'),
        (*content("née."), event(finish="stop")),
        content("née."),
        tuple(chunk.replace(b"\n", b"\r\n") for chunk in (*content("né", "e."), event(finish="stop"), DONE)),
        tuple(bytes([byte]) for byte in b"".join((*content("née."), event(finish="stop"), DONE))),
        (b"".join((*content("né", "e."), event(finish="stop"), DONE)),),
        (event({"reasoning_content": "hm"}), *content("née."), DONE),
        (event({"content": [{"type": "text", "text": "née."}]}), DONE),
        (b"data:" + content("née.")[0][6:], b"data:[DONE]\n\n"),
        (b"event: message\n" + content("née.")[0], DONE),
    ],
)
def test_odd_streams_are_read(chunks: tuple[bytes, ...]) -> None:
    with FakeLLM(Raw(chunks)) as fake:
        assert asking(fake).complete(ASK).text == "née."


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}],"usage":null}', "application/json"),
        (b"".join(content("Yes.")), "application/json; charset=utf-8"),
        (b"".join(content("Yes.")), "text/plain"),
    ],
)
def test_a_server_that_does_not_stream_properly_is_read(body: bytes, kind: str) -> None:
    with FakeLLM(Raw((body,), content_type=kind)) as fake:
        assert asking(fake).complete(ASK).text == "Yes."


STATUSES: list[tuple[int, Mapping[str, Any] | str, str]] = [
    (401, error("Incorrect API key provided"), "bad_key"),
    (403, error("Forbidden"), "bad_key"),
    (404, error("The model `x` does not exist", code="model_not_found"), "unknown_model"),
    (404, error('model "x" not found, try pulling it first'), "unknown_model"),
    (400, error("Invalid model identifier: unknown model x"), "unknown_model"),
    (404, {"detail": "Not Found"}, "no_server"),
    (404, "<html><body>nginx</body></html>", "no_server"),
    (403, "<html><body>Sign in</body></html>", "no_server"),
    (429, error("Rate limit reached for requests", code="rate_limit_exceeded"), "rate_limited"),
    (429, "slow down", "rate_limited"),
    (429, error("You exceeded your current quota", code="insufficient_quota"), "quota"),
    (429, error("Rate limit reached on requests per day (RPD)"), "quota"),
    (402, error("Insufficient credits"), "quota"),
    (400, error("maximum context length is 2048 tokens; max_tokens", code="context_length_exceeded"), "context"),
    (400, error("the request exceeds the available context size", kind="exceed_context_size_error"), "context"),
    (413, "too large", "context"),
    (504, "<html>Gateway Time-out</html>", "timeout"),
    (500, error("CUDA out of memory"), "no_server"),
    (503, error("Loading model"), "no_server"),
]


@pytest.mark.parametrize(("status", "body", "kind"), STATUSES)
def test_an_error_status_has_one_kind(status: int, body: Mapping[str, Any] | str, kind: str) -> None:
    caught, _ = failure(*[Fail(status, body)] * 4)
    assert caught.kind == kind
    assert caught.fix
    assert "\n" not in str(caught)
    assert "<" not in str(caught)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Raw((b"<!doctype html><html>Log in</html>",), content_type="text/html"), "no_server"),
        (Raw((b"<!doctype html><html>Log in</html>",), content_type="text/plain"), "no_server"),
        (Raw((b'{"status":"ok"}',), content_type="application/json"), "no_server"),
        (Raw((b"{nonsense",), content_type="application/json"), "no_server"),
        (Raw((json.dumps(error("boom")).encode(),), content_type="application/json"), "broken_stream"),
        (Raw((json.dumps(error("no", code="insufficient_quota")).encode(),), content_type="application/json"), "quota"),
        (Raw((b'data: {"error":{"message":"too many tokens","code":400}}\n\n',)), "context"),
        (Raw((*content("It "), b'data: {"error":{"message":"boom","code":500}}\n\n')), "no_server"),
        (Raw((*content("It "), b'data: {"choices": [{"del\n\n')), "broken_stream"),
        (Raw(content("It ", "works"), end="cut"), "broken_stream"),
        (Raw(content("It ", "works"), end="reset"), "broken_stream"),
        (Raw(content("It ", "works"), end="eof"), "broken_stream"),
        (Raw((event({"role": "assistant"}), event(finish="stop"), DONE)), "empty_reply"),
        (Raw((*content(" \n"), event(finish="stop"), DONE)), "empty_reply"),
        (Raw((event({"reasoning_content": "hm"}), event(finish="length"), DONE)), "empty_reply"),
    ],
)
def test_a_reply_that_is_none_is_an_error(reply: Raw, kind: str) -> None:
    caught, fake = failure(reply)
    assert caught.kind == kind
    assert len(fake.asked) == 1


def test_a_stream_that_ends_with_the_connection_after_a_sentence_is_complete() -> None:
    with FakeLLM(Raw(content("It ", "works [1]."), end="eof")) as fake:
        assert asking(fake).complete(ASK).text == "It works [1]."


def test_what_arrived_before_the_break_is_readable() -> None:
    with FakeLLM(Raw(content("It ", "works"), end="cut")) as fake:
        reply = asking(fake).stream(ASK)
        with pytest.raises(LLMError):
            list(reply)
    assert reply.text == "It works"


def test_no_server_is_said_at_once() -> None:
    with FakeLLM() as fake:
        url = fake.url
    waits: list[float] = []
    with pytest.raises(LLMError) as caught:
        LLM("m", base_url=url, sleep=waits.append).complete(ASK)
    assert (caught.value.kind, waits) == ("no_server", [])
    assert url in str(caught.value)


def test_a_silent_server_is_a_timeout() -> None:
    caught, fake = failure(Say("late", before=3.0), timeout=0.2)
    assert caught.kind == "timeout"
    assert len(fake.asked) == 1


def test_comments_do_not_keep_a_silent_server_alive() -> None:
    caught, _ = failure(Raw((b": ping\n\n",) * 40, pause=0.05), timeout=0.3)
    assert caught.kind == "timeout"


def test_retries_wait_as_long_as_the_server_asks() -> None:
    waits: list[float] = []
    limited = error("Rate limit reached", code="rate_limit_exceeded")
    replies = (
        Fail(429, limited, {"Retry-After": "7"}),
        Fail(503, error("busy"), {"retry-after-ms": "1500"}),
        Fail(429, limited, {"Retry-After": formatdate(0, usegmt=True)}),
        Say("Yes."),
    )
    with FakeLLM(*replies) as fake:
        assert asking(fake, sleep=waits.append).complete(ASK).text == "Yes."
    assert waits == [7.0, 1.5, 0.0]


def test_retries_without_advice_wait_longer_each_time_and_end() -> None:
    waits: list[float] = []
    caught, fake = failure(*[Fail(429, error("Rate limit reached"))] * 9, sleep=waits.append)
    assert (caught.kind, waits, len(fake.asked)) == ("rate_limited", [0.5, 1.0, 2.0], 4)


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    waits: list[float] = []
    caught, fake = failure(Fail(429, error("slow"), {"Retry-After": "3600"}), sleep=waits.append)
    assert (caught.kind, waits, len(fake.asked)) == ("rate_limited", [], 1)


# promptfoo#7727
@pytest.mark.parametrize("code", ["insufficient_quota", "billing_hard_limit_reached"])
def test_a_spent_quota_is_never_retried(code: str) -> None:
    caught, fake = failure(Fail(429, error("no", code=code), {"Retry-After": "1"}))
    assert (caught.kind, len(fake.asked)) == ("quota", 1)


def test_nothing_is_asked_again_once_text_was_shown() -> None:
    _, fake = failure(Raw(content("It "), end="reset"), Say("Yes."))
    assert len(fake.asked) == 1


def test_a_connection_that_dies_before_the_first_word_is_asked_again() -> None:
    with FakeLLM(Raw((), end="reset"), Say("Yes.")) as fake:
        assert asking(fake).complete(ASK).text == "Yes."


@pytest.mark.parametrize(
    ("message", "absent", "present"),
    [
        ("Unrecognized request argument supplied: stream_options", "stream_options", "max_tokens"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", "max_tokens", "max_completion_tokens"),
        ("Unsupported value: 'temperature' does not support 0", "temperature", "max_tokens"),
    ],
)
def test_an_option_the_server_rejects_is_left_out_from_then_on(message: str, absent: str, present: str) -> None:
    with FakeLLM(Fail(400, error(message)), otherwise=Say("Yes.")) as fake:
        llm = asking(fake)
        assert [llm.complete(ASK).text, llm.complete(ASK).text] == ["Yes.", "Yes."]
    assert [absent in body for body in fake.bodies] == [True, False, False]
    assert [present in body for body in fake.bodies[1:]] == [True, True]


def test_closing_the_stream_closes_the_connection() -> None:
    with FakeLLM(Say("", pieces=("word ",) * 2000, pause=0.005)) as fake:
        pieces = iter(asking(fake).stream(ASK))
        assert next(pieces) == "word "
        pieces.close()
        assert fake.asked[0].hung_up.wait(5)


def test_unknown_usage_is_not_zero() -> None:
    with FakeLLM(Say("Yes.", usage=None)) as fake:
        assert asking(fake).complete(ASK).usage == Usage(None, None, None)


def test_a_price_is_passed_on() -> None:
    priced = event(choices=[], usage={"prompt_tokens": 3, "completion_tokens": 2, "cost": 0.25})
    with FakeLLM(Raw((*content("Yes."), priced, DONE))) as fake:
        assert asking(fake).complete(ASK).usage == Usage(3, 2, 0.25)


def test_text_no_request_can_carry_is_replaced() -> None:
    with FakeLLM(Say("Yes.")) as fake:
        asking(fake).complete([Message("user", "a\ud800b")])
    assert fake.bodies[0]["messages"][0]["content"] == "a?b"


# haiku.rag changelog: secrets in errors
def test_the_key_never_stands_in_an_error() -> None:
    caught, fake = failure(Fail(401, error(f"Incorrect API key provided: {KEY}")), api_key=KEY)
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught)


# paper-qa#582
def test_the_environment_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.invalid/v1")
    monkeypatch.setenv("HTTP_PROXY", "http://elsewhere.invalid:3128")
    with FakeLLM(otherwise=Say("Yes.")) as fake:
        llm = asking(fake)
        llm.complete(ASK)
        from llama_index.core.llms import ChatMessage

        assert llm.llamaindex().chat([ChatMessage(role="user", content="q")]).message.content == "Yes."
    assert len(fake.asked) == 2
    assert KEY not in json.dumps([asked.headers for asked in fake.asked])
    assert "org-secret" not in json.dumps([asked.headers for asked in fake.asked])


# llama_index#18691
def test_any_model_name_works_and_its_window_comes_from_the_settings() -> None:
    llm = make_llm(settings(llm_model=MODEL, openai_base_url="http://127.0.0.1:9/v1", llm_context_window=4096))
    assert llm is not None
    assert (llm.model, llm.context_window) == (MODEL, 4096)
    metadata = llm.llamaindex().metadata
    assert (metadata.model_name, metadata.context_window, metadata.is_chat_model) == (MODEL, 4096, True)


def test_no_model_set_means_no_model() -> None:
    assert make_llm(settings(openai_api_key=SecretStr(KEY))) is None


def test_a_server_of_ones_own_needs_no_key() -> None:
    llm = make_llm(settings(llm_model="m", openai_base_url="http://127.0.0.1:9/v1"))
    assert llm is not None
    assert (llm._api_key, llm.context_window) == (NO_KEY, DEFAULT_CONTEXT_WINDOW)


def test_the_key_goes_to_the_address_set_beside_it() -> None:
    key = SecretStr(KEY)
    here = make_llm(settings(llm_model="m", openai_base_url="http://127.0.0.1:9/v1", openai_api_key=key))
    there = make_llm(settings(llm_model="m", openai_api_key=key))
    assert here is not None
    assert there is not None
    assert (here.server, here._api_key) == ("http://127.0.0.1:9/v1", KEY)
    assert (there.server, there._api_key) == (OPENAI, KEY)


# create-llama, rags: a key is mandatory and missed late
def test_a_missing_key_is_found_before_any_work() -> None:
    with pytest.raises(SettingsError) as caught:
        make_llm(settings(llm_model="gpt-4o-mini"))
    assert caught.value.exit_code == 2
    assert "quotes" in str(caught.value)


def test_importing_and_making_a_model_loads_no_library() -> None:
    code = (
        "import sys; from rag.llm import LLM; LLM('m'); import rag.citations, rag.packing;"
        "print(sorted({'openai', 'httpx', 'llama_index', 'tiktoken'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reply_is_priced_by_the_settings_unless_the_server_prices_it() -> None:  # OpenScholar run.py
    with FakeLLM(Say("Yes.", usage=(2_000_000, 1_000_000))) as fake:
        reply = asking(fake, price=Price(0.5, 2.0)).complete(ASK)

    assert reply.usage == Usage(2_000_000, 1_000_000, 3.0)
    assert LLM("m", price=Price(0.5, 2.0)).priced(10, 10, 0.25) == Usage(10, 10, 0.25)
    assert LLM("m").priced(10, 10) == Usage(10, 10, None)
    assert LLM("m", price=Price(0.5, 2.0)).priced(10, None) == Usage(10, None, None)


def test_a_connection_is_used_again() -> None:
    with FakeLLM(otherwise=Say("Yes.")) as fake:
        llm = asking(fake)
        for _ in range(5):
            llm.complete(ASK)
            wait_until_free()

    assert len({asked.port for asked in fake.asked}) == 1


def wait_until_free() -> None:
    """Until the end of the last reply has been read, which happens behind the reader's back."""
    for thread in threading.enumerate():
        if thread.name == DRAIN:
            thread.join(5)
