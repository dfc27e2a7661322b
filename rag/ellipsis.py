"""A follow-up that names only what is different: "and tea?" after "Does coffee raise blood pressure?"."""

from __future__ import annotations

import re

from rag.text.names import names
from rag.text.terms import content_words
from rag.text.words import words
from rag.verification.polarity import effects_of_stems

LONGEST = 4
"""Words of what is named, and of a subject that it may stand for."""

_PREPOSITIONS = "for|in|on|with|at|of|from|to|by|under|over|without|during|after|before"
_ELLIPTIC = re.compile(
    rf"\W*(?:(?:and|but|so|or|then)\s+)?(?:(?:what|how)\s+about\s+|(?<=\s))(?:(?P<preposition>{_PREPOSITIONS})\s+)?"
    r"(?P<other>\S+(?:\s+\S+){0,3}?)\W*",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"\b(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should"
    r"|it|its|they|their|them|this|that|these|those|he|she|not|if|so|then|ones?|others?|else|rest|more)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^\W*(?:(?:why|how|when|where)\s+)?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|might)\s+"
    r"(?P<subject>.+)",
    re.IGNORECASE,
)


def completed(question: str, before: str) -> str | None:
    """The question before with what a follow-up names in place of its counterpart; None where that is not plain.

    The counterpart stands behind the same preposition, or is the only name where a name follows, or the subject.
    """
    elliptic = _ELLIPTIC.fullmatch(question)
    if elliptic is None or _NO_THING.search(elliptic["other"]) or not content_words(elliptic["other"]):
        return None
    other = elliptic["other"].strip(" ?.!")
    if elliptic["preposition"]:
        return _behind(elliptic["preposition"], other, before)
    named = names(before)
    if names(f"x {other}") or other.isupper():
        return before.replace(named[0], other) if len(named) == 1 else None
    return None if named else _as_subject(other, before)


def _behind(preposition: str, other: str, before: str) -> str | None:
    phrase = re.compile(
        rf"\b{preposition}\s+(?P<old>[^\s,?.;]+(?:\s+(?!(?:{_PREPOSITIONS}|and|or|than)\b)[^\s,?.;]+){{0,3}})",
        re.IGNORECASE,
    )
    found = list(phrase.finditer(before))
    if len(found) != 1:
        return None
    return before[: found[0].start("old")] + other + before[found[0].end("old") :]


def _as_subject(other: str, before: str) -> str | None:
    """What stands between the auxiliary and a verb of more or less, replaced."""
    asked = _SUBJECT.match(before)
    if asked is None:
        return None
    table, start = effects_of_stems(), asked.start("subject")
    verb = next((w for w in words(asked["subject"])[1 : LONGEST + 1] if w.stem in table), None)
    return None if verb is None else f"{before[:start]}{other} {before[start + verb.start :]}"
