"""Text of others as data in a prompt: whatever could pass for a part of the prompt is disarmed, no letter is lost."""

from __future__ import annotations

import re
from functools import lru_cache

_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_MARKER = re.compile(
    r"[\[【［](\^?(?:(?:source|ref|reference|abstract|citation)s?\.?\s*)?#?\d+(?:\s*(?:[,;–-]|and)\s*#?\d+)*)[\]】］]",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<(?=\||/?(?:abstracts?|conversation|question|think(?:ing)?|reasoning|thought|system|user|assistant|human|developer"
    r"|instructions?|tool|function|s|sys|eos|bos|end_of_turn|start_of_turn)\b|</?sys)",
    re.IGNORECASE,
)
_INST = re.compile(r"\[(/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS))\]", re.IGNORECASE)
_ROLE = re.compile(r"\b(system|user|assistant|human|developer|instructions?)(\s*):", re.IGNORECASE)
_SENTINEL = re.compile(r"\b(NOT STATED|FALSE PREMISE)(\s*):", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|prompts?|rules?|messages?|guidelines|above|previous)\b"
    r"|\byou (?:are now|must now|must (?:answer|say|reply|respond|output|ignore|cite))\b"
    r"|\b(?:respond|reply|answer|output)\b.{0,20}\bonly (?:with|in)\b"
    r"|\b(?:reveal|print|repeat|show)\b.{0,30}\b(?:system|hidden|initial) prompt\b|\bnew instructions?\s*:",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)  # the same abstracts go into many prompts
def as_data(text: str) -> str:
    """`text` on one line, for the inside of a prompt's fence.

    Bracketed numbers stand in ⟦ ⟧, tags begin with ‹, a role's colon is ∶, a sentence that gives orders stands in « »;
    control characters and invisible ones are left out. Everything visible keeps its place.
    """
    flat = _INVISIBLE.sub("", " ".join(text.split()))
    flat = _MARKER.sub(r"⟦\1⟧", flat)
    flat = _INST.sub(r"⟦\1⟧", _TAG.sub("‹", flat))
    flat = _SENTINEL.sub(r"\1\2∶", _ROLE.sub(r"\1\2∶", flat))
    return _quote_orders(flat) if _INSTRUCTION.search(flat) else flat


def without_tags(text: str) -> str:
    """A user's own words: only what could close the prompt's fence or open a role is disarmed."""
    return _INST.sub(r"⟦\1⟧", _TAG.sub("‹", _INVISIBLE.sub("", text))).strip()


def _quote_orders(text: str) -> str:
    from rag.text.sentences import split

    pieces: list[str] = []
    end = 0
    for span in split(text):
        sentence = text[span.start : span.end]
        pieces += [text[end : span.start], f"«{sentence}»" if _INSTRUCTION.search(sentence) else sentence]
        end = span.end
    return "".join(pieces) + text[end:]
