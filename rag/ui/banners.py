"""What to say above an answer that is not simply an answer."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rag.errors import FootnoteError
from rag.types import Answer
from rag.ui import markdown


class Banner(NamedTuple):
    """`text` is markdown."""

    kind: Literal["warning", "error"]
    text: str


FAILURES = {
    "no_server": (
        "The language model's server cannot be reached.",
        "See that it runs and that OPENAI_BASE_URL is right.",
    ),
    "bad_key": ("The language model's server refused the key.", "Check OPENAI_API_KEY."),
    "unknown_model": ("The server does not know this model.", "Check FOOTNOTE_LLM_MODEL."),
    "rate_limited": ("The server asks to slow down.", "Wait a minute, then ask again."),
    "quota": ("The account's quota is used up.", "See to the account, or name another server or model."),
    "context": (
        "The abstracts do not fit into the model's context.",
        "Set FOOTNOTE_LLM_CONTEXT_WINDOW or a smaller FOOTNOTE_TOP_K.",
    ),
    "timeout": ("The language model did not answer in time.", "Ask again, or raise FOOTNOTE_LLM_TIMEOUT."),
    "broken_stream": ("The connection to the language model broke off.", "Ask again."),
    "empty_reply": ("The language model sent an empty reply.", "Ask again, or name another model."),
    "index": ("The index cannot be used.", "python -m rag doctor says what is wrong and how to mend it."),
}
_UNKNOWN = ("The language model failed.", "Ask again; python -m rag doctor tests the connection.")
_PARTIAL = {
    "stopped": "Stopped before the end.",
    "length": "Cut at the longest answer allowed (FOOTNOTE_LLM_MAX_TOKENS).",
}


def banner(answer: Answer) -> Banner | None:
    """What an answer's status and reason mean for the reader; None for a plain answer."""
    said = {"error": _failed, "not_found": _not_found, "partial": _partial, "answered": _answered}
    return said[answer.status](answer)


def says_it_all(answer: Answer) -> bool:
    """Whether the banner holds the answer's text."""
    return answer.status == "not_found" and answer.reason != "not_stated"


def of_error(error: FootnoteError) -> Banner:
    """An error's message and, on a line of its own, its fix."""
    return Banner("error", _two_lines(error.message, error.fix))


def _failed(answer: Answer) -> Banner:
    return Banner("error", _two_lines(*FAILURES.get(answer.reason or "", _UNKNOWN)))


def _not_found(answer: Answer) -> Banner:
    if answer.reason == "not_stated":
        return Banner("warning", "**Not stated.** The abstracts are about this, but do not say what was asked.")
    return Banner("warning", f"**Not found.** {markdown.line(answer.answer)}")


def _partial(answer: Answer) -> Banner:
    why = _PARTIAL.get(answer.reason or "", "The abstracts cover only a part of the question.")
    if answer.reason is None and any(s.verdict in ("unsupported", "contradicted") for s in answer.sentences):
        why = "Not every sentence is supported by the abstracts; those that are not are marked."
    return Banner("warning", f"**Partly answered.** {why}")


def _answered(answer: Answer) -> Banner | None:
    if answer.reason == "premise_contradicted":
        return Banner("warning", "**The question assumes something else** than what the abstracts state.")
    if answer.reason is not None and answer.mode == "quotes":
        message, fix = FAILURES.get(answer.reason, _UNKNOWN)
        return Banner("warning", _two_lines(f"{message} These are quotes from the abstracts instead.", fix))
    return None


def _two_lines(message: str, fix: str) -> str:
    return f"**{markdown.line(message)}**" + (f"  \n{markdown.line(fix)}" if fix else "")
