"""What to say above an answer that is not simply an answer."""

from __future__ import annotations

from typing import Literal, NamedTuple

from rag.chats.values import Failure
from rag.errors import FootnoteError
from rag.llms.errors import FIXES
from rag.types import Answer
from rag.ui import markdown


class Banner(NamedTuple):
    """`text` is markdown."""

    kind: Literal["warning", "error"]
    text: str


_FAILED = {
    "no_server": "The language model's server cannot be reached.",
    "bad_key": "The language model's server refused the key.",
    "unknown_model": "The server does not know this model.",
    "rate_limited": "The language model's server asks to slow down.",
    "quota": "The account with the language model is used up.",
    "context": "The abstracts do not fit into the language model's context.",
    "timeout": "The language model did not answer in time.",
    "broken_stream": "The connection to the language model broke off.",
    "empty_reply": "The language model sent an empty reply.",
    "index": "The index cannot be used.",
}
_DOCTOR = "python -m rag doctor says what is wrong and how to mend it."
_PARTIAL = {
    "stopped": "Stopped before the end.",
    "length": "Cut at the longest answer allowed (FOOTNOTE_LLM_MAX_TOKENS).",
}


def banner(answer: Answer) -> Banner | None:
    """What an answer's status and reason mean for the reader; None for a plain answer."""
    said = {"error": _failed, "not_found": _not_found, "partial": _partial, "answered": _answered}
    return said[answer.status](answer)


def says_it_all(answer: Answer) -> bool:
    """Whether the banner, with the list of closest titles, stands for the answer's text."""
    return answer.status == "not_found" and answer.reason == "nothing_relevant"


def of_error(error: FootnoteError) -> Banner:
    """An error's message and, on a line of its own, its fix."""
    return Banner("error", _two_lines(error.message, error.fix))


def of_trouble(error: FootnoteError) -> Banner:
    """Why no language model can be asked, and that answers go on without."""
    return Banner("warning", _two_lines(f"{error.message} Until then answers are quotes.", error.fix))


def of_failure(failure: Failure) -> Banner:
    """Why a turn has no answer."""
    return Banner("error", _two_lines(failure.message, failure.fix))


INTERRUPTED = Banner(
    "warning", "**Interrupted.** The server ended before this answer did. What came is kept, unchecked; ask again."
)


def _failed(answer: Answer) -> Banner:
    return Banner("error", _failure(answer, ""))


def _not_found(answer: Answer) -> Banner:
    if says_it_all(answer):
        return Banner("warning", "**Not found.** No abstract on this shelf is about this.")
    return Banner("warning", "**Not stated.** The abstracts are about this, but do not say what was asked.")


def _partial(answer: Answer) -> Banner:
    why = _PARTIAL.get(answer.reason or "", "The abstracts cover only a part of the question.")
    if answer.reason is None and any(s.verdict in ("unsupported", "contradicted") for s in answer.sentences):
        why = "Not every sentence is supported by the abstracts; those that are not are marked."
    elif answer.reason is None and (against := _left_out(answer)):
        why = f"The abstracts disagree, and the answer leaves out the other side: {against}."
    return Banner("warning", f"**Partly answered.** {why}")


def _left_out(answer: Answer) -> str:
    """Titles of the abstracts that say the opposite of a sentence and are not cited; empty where there are none."""
    opposed = {identity for sentence in answer.sentences for identity in sentence.opposed}
    return "; ".join(f"“{markdown.line(hit.title or hit.id)}”" for hit in answer.hits if hit.id in opposed)


def _answered(answer: Answer) -> Banner | None:
    if answer.reason == "premise_contradicted":
        return Banner("warning", "**The question assumes something else** than what the abstracts state.")
    if answer.reason is not None and answer.mode == "quotes":
        return Banner("warning", _failure(answer, "These are quotes from the abstracts instead."))
    return None


def _failure(answer: Answer, instead: str) -> str:
    """What failed; below it the server's own words with what to do, as far as known."""
    kind = answer.reason or ""
    what = _FAILED.get(kind, "The language model failed.")
    return _two_lines(f"{what} {instead}".strip(), answer.detail or FIXES.get(kind, _DOCTOR))


def _two_lines(message: str, fix: str) -> str:
    return f"**{markdown.line(message)}**" + (f"  \n{markdown.line(fix)}" if fix else "")
