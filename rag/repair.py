"""A second attempt at an answer whose sentences the abstracts do not carry, asked for once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rag.citations import WORD_JOINER
from rag.config import Settings
from rag.draft import Draft
from rag.packing import Packed, fits
from rag.prompts import dispute_line, fault_line, repair_messages
from rag.types import Sentence

_MARKER = re.compile(r"\[(\d+)\]")


def repair_prompt(packed: Packed, draft: Draft, settings: Settings) -> Packed | None:
    """The prompt that sends an answer back to be corrected.

    None where no sentence is at fault or one-sided, the answer was cut short, or the window has no room for it.
    """
    faulty = [sentence for sentence in draft.sentences if _is_faulty(sentence)]
    if not faulty or draft.reason in ("stopped", "length"):
        return None
    sent = {one.hit.abstract.id: number for number, one in enumerate(packed.sent, 1)}
    issued = {citation.number: sent[citation.id] for citation in draft.citations}
    lines = [_fault(sentence, issued, sent) for sentence in faulty]
    messages = tuple(repair_messages(packed.messages, _as_issued(draft.text, issued), lines))
    return replace(packed, messages=messages) if fits(messages, settings) else None


def is_better(second: Draft, first: Draft) -> bool:
    """Whether fewer sentences are at fault and none that were accepted are lost; a reply cut short is not."""
    whole = second.reason not in ("stopped", "length") and bool(second.text)
    return whole and _faults(second) < _faults(first) and _accepted(second) >= _accepted(first)


def _is_faulty(sentence: Sentence) -> bool:
    return sentence.verdict in ("unsupported", "contradicted") or bool(sentence.opposed)


def _faults(draft: Draft) -> int:
    return sum(_is_faulty(sentence) for sentence in draft.sentences)


def _accepted(draft: Draft) -> int:
    return sum(sentence.verdict in ("supported", "partly") for sentence in draft.sentences)


def _fault(sentence: Sentence, issued: Mapping[int, int], sent: Mapping[str, int]) -> str:
    markers = "".join(f"[{issued[number]}]" for number in sentence.citations)
    suggested = [sent[identity] for identity in sentence.suggested]
    evidence = [evidence.quote for evidence in sentence.evidence]
    said = f"{sentence.text} {markers}".strip()
    if sentence.opposed:
        return dispute_line(said, [sent[identity] for identity in sentence.opposed])
    return fault_line(said, evidence, suggested)


def _as_issued(text: str, issued: Mapping[int, int]) -> str:
    """The answer's text with the numbers of the prompt in place of its own."""
    return _MARKER.sub(lambda match: f"[{issued[int(match[1])]}]", text).replace(WORD_JOINER, "")
