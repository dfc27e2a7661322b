"""A model of ours as a LlamaIndex LLM, so that its evaluators ask with our pace, cache and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import CustomLLM

from rag.llm import LLM, Message


class JudgeLLM(CustomLLM):
    """Asks through `LLM.complete`; raises LLMError as that does. Safe to use from several threads."""

    _llm: LLM = PrivateAttr()

    def __init__(self, llm: LLM, **options: Any) -> None:
        """`options` go to LlamaIndex's CustomLLM."""
        super().__init__(**options)
        self._llm = llm

    @property
    def metadata(self) -> LLMMetadata:
        """What prompts are cut to."""
        return LLMMetadata(
            context_window=self._llm.context_window,
            num_output=self._llm.max_tokens,
            is_chat_model=True,
            model_name=self._llm.model,
        )

    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        """The whole reply to these messages."""
        reply = self._llm.complete([_message(message) for message in messages])
        return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=reply.text))

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002 - all alike
        """The whole reply to a prompt."""
        return CompletionResponse(text=self._llm.complete([Message("user", prompt)]).text)

    def stream_complete(self, prompt: str, formatted: bool = False, **options: Any) -> Any:
        """The reply in one piece."""
        yield self.complete(prompt, formatted, **options)


def _message(message: ChatMessage) -> Message:
    roles = {MessageRole.SYSTEM: "system", MessageRole.ASSISTANT: "assistant"}
    return Message(roles.get(message.role, "user"), message.content or "")  # type: ignore[arg-type]
