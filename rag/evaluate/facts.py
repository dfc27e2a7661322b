"""Whether an answer states a gold fact: every number of it, and most of its words.

A coarse test: good for comparing runs, not to be read as accuracy.
"""

from __future__ import annotations

import re

SHARE = 0.6
"""Of a fact's content words (stems) that an answer must hold, besides all its numbers."""

_MARK = re.compile(r"\[\d+\]")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[a-zα-ω]+")
_STOP = frozenset(
    "a an and are as at be but by for from has have in into is it its of on or that the their this to was were "
    "with".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ers", "ies", "ed", "es", "er", "s", "ly", "e", "y")
_SHORTEST_STEM = 4


def has_fact(fact: str, answer: str) -> bool:
    """Whether `answer` (markers and all) states `fact`."""
    need, have = _tokens(fact), _tokens(_MARK.sub(" ", answer))
    numbers = [token for token in need if token[0].isdigit()]
    if any(number not in have for number in numbers):
        return False
    content = {_stem(token) for token in need if not token[0].isdigit() and token not in _STOP}
    if not content:
        return bool(numbers) or fact.strip().lower() in answer.lower()
    return len(content & set(map(_stem, have))) / len(content) >= SHARE


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower().replace("\\%", "%").replace(",", ""))


def _stem(token: str) -> str:
    for ending in _ENDINGS:
        if token.endswith(ending) and len(token) - len(ending) >= _SHORTEST_STEM:
            return token[: -len(ending)]
    return token
