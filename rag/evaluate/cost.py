"""What an answer took: time by stage, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.evaluate.score import Sheet

STAGES = {"seconds_retrieve": "retrieve", "seconds_llm": "llm", "seconds_verify": "verify"}


def score_cost(answer: Mapping[str, Any], sheet: Sheet) -> None:
    """Stages that ran; tokens and money where a language model was asked, unscored where it did not say."""
    seconds, usage = answer.get("seconds") or {}, answer.get("usage") or {}
    if seconds:
        sheet.put("seconds", seconds.get("total"), "not measured")
    for name, stage in STAGES.items():
        if seconds.get(stage) is not None:
            sheet.put(name, seconds[stage])
    if answer.get("model") is not None:
        for name in ("prompt_tokens", "completion_tokens"):
            sheet.put(name, usage.get(name), "the server gave no count")
        sheet.put("cost_usd", usage.get("cost_usd"), "the price is unknown")
