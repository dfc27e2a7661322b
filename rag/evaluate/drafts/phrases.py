"""Noun phrases around numbers, by a dictionary of parts of speech."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.text.words import FUNCTION_WORDS

NO_COUNTS = frozenset(
    "times points percent percentage folds orders hours minutes seconds days weeks months years gpus gb mb ms tokens "
    "bits dimensions fps hz others ones cases terms ways details seeds series analysis basis bias loss".split()
)
_UNITS = frozenset("digit bit way shot point layer step dimensional".split())
"""What makes of a number and a noun something else than a count: five digit numbers."""
_WORD = re.compile(r" (?P<word>[A-Za-z][\w-]*)")
_MODIFIERS = 3


@lru_cache(maxsize=1 << 14)
def parts_of_speech(word: str) -> frozenset[str]:
    """What a word may be, in Universal POS tags; empty for one that is not in the dictionary."""
    from lemminflect import getAllLemmas

    return frozenset(getAllLemmas(word.lower()))


def counted_things(text: str) -> str | None:
    """The noun phrase right at the start of `text`, up to its plural noun: ` leading LLMs reveal` -> `leading LLMs`."""
    end = 0
    for _ in range(_MODIFIERS + 1):
        match = _WORD.match(text, end)
        if match is None or match["word"].lower() in FUNCTION_WORDS | _UNITS:
            return None
        word, end = match["word"], match.end()
        if is_plural_noun(word):
            return None if word.lower() in NO_COUNTS else text[:end].strip()
        if not is_modifier(word):
            return None
    return None


def is_plural_noun(word: str) -> bool:
    """Whether it may be the plural of a noun; an unknown word in -s is taken for one."""
    lower = word.lower()
    if not lower.endswith("s") or lower.endswith(("ss", "us", "is")):
        return False
    return may_be_noun(word.rsplit("-", 1)[-1])


def may_be_noun(word: str) -> bool:
    """Whether the dictionary has it as a noun, or not at all."""
    parts = parts_of_speech(word)
    return not parts or bool(parts & {"NOUN", "PROPN"})


def is_modifier(word: str) -> bool:
    """Whether it may stand between a number and its noun."""
    last = word.rsplit("-", 1)[-1]
    parts = parts_of_speech(last)
    return not parts or bool(parts & {"ADJ", "NOUN", "PROPN"}) or last.lower().endswith(("ed", "ing"))
