"""A follow-up question made to stand alone: what it leaves out is taken from the turn before."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ellipsis import completed
from rag.objection import without_objection
from rag.text.names import names
from rag.text.terms import content_words
from rag.types import Turn

CARRIED = 8
"""Words taken over from the question before, at most: more would drown what is new."""
CARRIED_NAMES = 2
"""Names taken over from the answer before, at most."""
SHORT = 3
"""Content words up to which a question that opens with "and" continues even if it names something new."""

_AUXILIARY = (
    "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might|may|still|also|really|always|ever"
)
_OPENS_ANEW = re.compile(r"\W*(?:and |but |so |then |also |or )?(?:what(?:'s|s| is| are| does)|who(?:'s| is))\b", re.I)
_CONTINUES = re.compile(
    r"\W*(?:(?:and |but |so |then )?(?:what|how) about|why(?: not| so)?\W*$|how so|how come|really\W*$|same for|"
    r"(?:what|who|anything|any) (?:else|others?)|which (?:one|of (?:them|those|these))|tell me more|go on|more on|"
    r"(?:can you )?(?:explain|elaborate|clarify)(?: on)?(?: (?:that|this|it))?\W*$|in what way\W*$)",
    re.IGNORECASE,
)
_OPENS_WITH_CONJUNCTION = re.compile(r"\W*(?:and|but|so|then|also|or)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they|them|theirs|he|she|these|those)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)
# "is it better to", "does it matter whether": this "it" stands for nothing.
_EXPLETIVE = re.compile(r"\bit (?=(?:\w+ )?(?:to|that|whether|if)\b)", re.IGNORECASE)
# "that" and "this" which cannot introduce a clause or a noun of their own.
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|that|these|those)(?= ?(?:[?.!,;:]|$)| (?:down|up|too|and|or|then)\b)|"
    r"\b(?:like|than|of|about) (?:this|that|these|those)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(rf"\b(?:{_AUXILIARY}) (?:it|they|he|she|this|that|these|those)\b", re.IGNORECASE)
_ASKS = re.compile(rf"\W*(?:(?:and|but|so|then) )*(?:what|which|who|whose|when|where|why|how|{_AUXILIARY})\b", re.I)
_NAME = re.compile(r"[^\W\d_].*[^\W\d_]")
"""A name has two letters: `448K` is a figure, which an earlier answer may have wrong."""
_MARKER = re.compile(r"\[[^\[\]]*\]")


def standalone(question: str, history: Sequence[Turn]) -> str:
    """The question, with key words of the turn before added where it cannot be understood without them, or put in place
    of its counterpart in the question before where it names nothing else.

    A question that stands alone comes back unchanged, so that a change of topic is one. A turn that only presses for
    another answer asks again what was asked.
    """
    last = next((n for n in range(len(history) - 1, -1, -1) if history[n].role == "user"), None)
    claim = None if last is None else without_objection(question)
    if claim is not None:
        return standalone(claim, history) if _ASKS.match(claim) else _pressed(claim, history)
    if last is None or not leans_on_history(question):
        return question
    before = standalone(history[last].content, history[:last])
    whole = completed(question, before)
    if whole is not None:
        return whole
    replies = " ".join(_MARKER.sub(" ", turn.content) for turn in history[last + 1 :])
    said = {word.lower() for word in content_words(question)}
    carried = [word for word in content_words(before) if word.lower() not in said][:CARRIED]
    said |= {word.lower() for word in carried}
    named = [
        name
        for name in names(replies)
        if _NAME.search(name) and not said.issuperset(w.lower() for w in content_words(name))
    ]
    added = " ".join(dict.fromkeys([*carried, *named[:CARRIED_NAMES]]))
    return f"{question.rstrip()} ({added})" if added else question


def _pressed(claim: str, history: Sequence[Turn]) -> str:
    """The last question that was no objection, and what is claimed against its answer."""
    turns = [n for n, turn in enumerate(history) if turn.role == "user"]
    asked = next((n for n in reversed(turns) if without_objection(history[n].content) is None), turns[0])
    before = standalone(history[asked].content, history[:asked])
    said = {word.lower() for word in content_words(before)}
    new = [word for word in content_words(claim) if word.lower() not in said]
    return f"{before.rstrip()} {claim}" if new else before


def leans_on_history(question: str) -> bool:
    """Whether a question continues, leaves something out or points back to what was said before."""
    words = content_words(question)
    if not words or _CONTINUES.match(question) or _points_back(question):
        return True
    if _OPENS_ANEW.match(question):
        return False
    if _OPENS_WITH_CONJUNCTION.match(question):
        return len(words) <= SHORT or not names(question)
    return len(words) == 1 and not names(question)


def _points_back(question: str) -> bool:
    """Whether a pronoun has nothing before it in the question that it could stand for."""
    asked = _EXPLETIVE.sub("", question)
    for pattern, room in ((_DEMONSTRATIVE, 4), (_SUBJECT, 3), (_PRONOUN, 1), (_POSSESSIVE, 0)):
        found = pattern.search(asked)
        if found is None:
            continue
        before = asked[: found.start()]
        own_name = pattern is not _DEMONSTRATIVE and names(asked[: found.end()])
        if len(content_words(before)) <= room and not own_name:
            return True
    return False
