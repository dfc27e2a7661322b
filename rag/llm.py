"""Language models: any OpenAI-compatible server, asked with every option set explicitly.

Requests go through the `openai` client that LlamaIndex's OpenAILike holds, not through its `stream_chat`: that fails
on a chunk whose `choices` is null and takes a page or an error under status 200 for an empty answer. `llamaindex()`
gives the OpenAILike itself to whoever composes with LlamaIndex.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from itertools import count
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from rag.config import NO_KEY
from rag.errors import LLMError, SettingsError
from rag.llms.errors import FIXES, Failure, classify
from rag.llms.pace import Backoff, Message, Pace
from rag.types import Usage

if TYPE_CHECKING:
    from llama_index.llms.openai_like import OpenAILike  # type: ignore[import-untyped]
    from openai import OpenAI

    from rag.config import Settings
    from rag.llms.prices import Price

__all__ = ["DEFAULT_CONTEXT_WINDOW", "LLM", "NO_KEY", "OPENAI", "Message", "Reply", "make_llm", "window_and_reply"]

OPENAI = "https://api.openai.com/v1"
DEFAULT_CONTEXT_WINDOW = 8192

_ENDS_A_SENTENCE = (".", "!", "?", "]", ")", "。", "！", "？", "】", "`", "|")


class Reply:
    """A model's reply: iterate it once for its pieces; text, usage and finish reason are readable afterwards.

    Iterating raises LLMError. Closing the iterator (or leaving it to the garbage collector) closes the connection.
    """

    def __init__(self, llm: LLM, messages: Sequence[Message]) -> None:
        self._llm = llm
        self._messages = tuple(messages)
        self._pieces: list[str] = []
        self.usage = Usage()
        self.finish: str | None = None
        """`stop`, `length`, `content_filter` as the server says; None where it does not."""

    @property
    def text(self) -> str:
        """What has arrived."""
        return "".join(self._pieces)

    def __iter__(self) -> Generator[str, None, None]:
        pace = self._llm.pace
        for attempt in count(1):
            try:
                with pace.turn(self._messages):
                    yield from self._attempt()
                return
            except _failures() as error:
                failure = classify(error, self._llm.server)
            wait = pace.wait(failure, attempt)
            if wait is None or self._pieces:
                raise self._llm.error(failure)
            self._llm.sleep(wait)

    def _attempt(self) -> Iterator[str]:
        stream = self._llm.open(self._messages)
        events = 0
        try:
            for chunk in stream:
                events += 1
                piece = self._take(chunk)
                if piece:
                    self._pieces.append(piece)
                    yield piece
        finally:
            stream.close()
        self._check_end(stream, events)

    def _take(self, chunk: Any) -> str:
        """The text of one chunk; notes usage and finish reason."""
        usage = getattr(chunk, "usage", None)
        if usage is not None:
            self.usage = self._llm.priced(
                getattr(usage, "prompt_tokens", None),
                getattr(usage, "completion_tokens", None),
                getattr(usage, "cost", None),
            )
        choices = getattr(chunk, "choices", None) or ()
        if not choices:
            return ""
        self.finish = getattr(choices[0], "finish_reason", None) or self.finish
        return _content(getattr(choices[0], "delta", None))

    def _check_end(self, stream: Any, events: int) -> None:
        from rag.llms.http import WATCH

        server, text = self._llm.server, self.text.rstrip()
        if not events:
            raise self._llm.error(Failure("no_server", f"{server} answered with something that is no model's reply."))
        if not text:
            spent = " It spent all its tokens before the answer began." if self.finish == "length" else ""
            raise self._llm.error(Failure("empty_reply", f"The model {self._llm.model} answered nothing.{spent}"))
        watched = stream.response.extensions.get(WATCH)
        complete = self.finish or watched is None or watched.complete
        if not complete and not text.endswith(_ENDS_A_SENTENCE):
            raise self._llm.error(Failure("broken_stream", f"The reply of {server} broke off."))


class LLM:
    """One model on one server. Safe to use from several threads."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        api_key: str = NO_KEY,
        context_window: int = DEFAULT_CONTEXT_WINDOW,
        max_tokens: int = 1024,
        timeout: float = 60.0,
        price: Price | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self.server = base_url
        self.context_window = context_window
        self.max_tokens = max_tokens
        self.timeout = timeout
        self.price = price
        self.sleep = sleep
        self.pace: Pace = Backoff()
        """When requests start and are repeated; a run of many questions sets one that its threads share."""
        self.reply: Callable[[LLM, Sequence[Message]], Reply] = Reply
        """What `stream` gives; a run that remembers replies sets a kind of its own."""
        self._api_key = api_key
        self._options: dict[str, Any] = {
            "temperature": 0,
            "max_tokens": max_tokens,
            "stream_options": {"include_usage": True},
        }

    def stream(self, messages: Sequence[Message]) -> Reply:
        """The reply to these messages; nothing is sent before it is iterated."""
        return self.reply(self, messages)

    def complete(self, messages: Sequence[Message]) -> Reply:
        """The reply to these messages, whole. Raises LLMError."""
        reply = self.stream(messages)
        for _ in reply:
            pass
        return reply

    def llamaindex(self) -> OpenAILike:
        """The same model as a LlamaIndex LLM, on the same connections."""
        from llama_index.llms.openai_like import OpenAILike

        return OpenAILike(
            model=self.model,
            api_base=self.server,
            api_key=self._api_key,
            is_chat_model=True,
            is_function_calling_model=False,
            context_window=self.context_window,
            max_tokens=self.max_tokens,
            temperature=0.0,
            timeout=self.timeout,
            max_retries=0,
            openai_client=self._client,
        )

    def open(self, messages: Sequence[Message]) -> Any:
        """An open stream of chunks; asks again without an option that the server says it does not know."""
        # `chat.completions.create` sends the same, but walks every message by its type hints first: milliseconds.
        import openai
        from openai.types.chat import ChatCompletionChunk

        spoken = [{"role": role, "content": _encodable(content)} for role, content in messages]
        while True:
            options = dict(self._options)
            try:
                return self._client.post(
                    "/chat/completions",
                    body={"model": self.model, "messages": spoken, "stream": True, **options},
                    cast_to=ChatCompletionChunk,
                    stream=True,
                    stream_cls=openai.Stream[ChatCompletionChunk],
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if classify(error, self.server).kind != "no_server" or not self._give_up_option(str(error), options):
                    raise

    def models(self) -> list[str]:
        """The models that the server offers, sorted. Raises LLMError."""
        try:
            return sorted(model.id for model in self._client.models.list())
        except _failures() as error:
            raise self.error(classify(error, self.server)) from None

    def priced(self, prompt_tokens: int | None, completion_tokens: int | None, cost: object = None) -> Usage:
        """Usage with its cost: the server's own figure, else by the price in the settings, else unknown."""
        if isinstance(cost, int | float):
            return Usage(prompt_tokens, completion_tokens, float(cost))
        known = self.price.cost(prompt_tokens, completion_tokens) if self.price else None
        return Usage(prompt_tokens, completion_tokens, known)

    def prepare(self) -> None:
        """Load the client now, so that the first reply does not wait for it."""
        _ = self._client

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()

    def error(self, failure: Failure) -> LLMError:
        """The error to raise for a failure; the key never stands in it."""
        message = failure.message
        if self._api_key != NO_KEY:
            message = message.replace(self._api_key, "[key]")
        return LLMError(failure.kind, message, FIXES[failure.kind])

    def _give_up_option(self, message: str, tried: dict[str, Any]) -> bool:
        """Leave out the option that `message` rejects, from now on; False when it rejects none of them."""
        named = next((name for name in tried if name in message), None)
        if named is None:
            return False
        left = {name: value for name, value in tried.items() if name != named}
        if named == "max_tokens" and "max_completion_tokens" in message:
            left["max_completion_tokens"] = self.max_tokens
        self._options = left
        return True

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        from rag.llms.http import model_client

        client = OpenAI(
            api_key=self._api_key,
            base_url=self.server,
            max_retries=0,
            timeout=self.timeout,
            http_client=model_client(self.server, self.timeout),
        )
        if self.server != OPENAI:  # the environment's organisation is nobody else's business
            client.organization = client.project = None
        weakref.finalize(self, client.close)
        return client


def make_llm(settings: Settings) -> LLM | None:
    """The model that the settings name, or None when they name none.

    The key goes to api.openai.com, or to the address that is set beside it. Raises SettingsError where
    api.openai.com would be asked without a key.
    """
    if not settings.llm_model:
        return None
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    if not key and not settings.openai_base_url:
        raise SettingsError(
            "FOOTNOTE_LLM_MODEL is set, OPENAI_API_KEY is not.",
            "Set it, or OPENAI_BASE_URL for a server of your own; without FOOTNOTE_LLM_MODEL answers are quotes.",
        )
    window, reply = window_and_reply(settings)
    return LLM(
        settings.llm_model,
        base_url=settings.openai_base_url or OPENAI,
        api_key=key or NO_KEY,
        context_window=window,
        max_tokens=reply,
        timeout=settings.llm_timeout,
        price=settings.price,
    )


def window_and_reply(settings: Settings) -> tuple[int, int]:
    """Tokens the model holds, and how many of them are kept for its reply: at most half."""
    window = settings.llm_context_window or DEFAULT_CONTEXT_WINDOW
    return window, min(settings.llm_max_tokens, window // 2)


def _encodable(text: str) -> str:
    """`text` with lone surrogates, which no request can carry, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _content(delta: Any) -> str:
    """The text of a delta, which is a string, a list of parts, or absent."""
    content = delta.get("content") if isinstance(delta, dict) else getattr(delta, "content", None)
    if isinstance(content, list):
        parts = (part if isinstance(part, dict) else {} for part in content)
        return "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    return content or ""


def _failures() -> tuple[type[Exception], ...]:
    """What asking may raise: openai's and httpx's errors, and the decoders' for a broken event."""
    import httpx
    import openai

    return (openai.OpenAIError, httpx.HTTPError, httpx.InvalidURL, JSONDecodeError, UnicodeDecodeError)
