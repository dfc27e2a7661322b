"""What a question takes for granted: "Why does pruning hurt?" that pruning hurts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.text.sentences import split
from rag.text.words import words
from rag.verification.polarity import NEGATIONS, effects_of_stems

FEWEST_WORDS = 3
"""Content words that a statement must have to be looked up..."""
MOST_WORDS = 60
"""... and words that it may have: a longer one is a pasted text."""


@dataclass(frozen=True, slots=True)
class Presupposed:
    """A statement that a question takes for granted, in about its own words; inflections are left as they come.

    `thing` is what it takes to be there, where it asks which or how many: the annotators of "How many annotators did
    Heron need?"
    """

    claim: str
    thing: str | None = None


_AFTER_QUESTION = re.compile(r"(?<=\?)\s+")
"""Where a sentence ends though the next begins small."""
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had)"
_OPENING = r"^\W*(?:(?:and|so|but|then|ok|okay|well|please)\W+)*"
_NOT = re.compile(r"^(?P<auxiliary>\w+)n['’]t\b", re.IGNORECASE)
# Words after which a new question or an afterthought begins.
_END = re.compile(
    r"[?;]|\s[-–—]\s|,?\s+(?:and|but|or)\s+(?:(?:by|in|on|at|to|for|with|from|of)\s+)?"
    r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|should|would|will|has|have)\b"
    r"|,\s+(?:what|which|who|when|where|why|how|is|are|do|does|did|can|could|should|would)\b",
    re.IGNORECASE,
)
_REPORT = (
    r"(?:prov(?:e[sdn]?|ing)|show(?:s|ed|n|ing)?|demonstrat(?:e[sd]?|ing)|find(?:s|ing)?|found|reveal(?:s|ed|ing)?"
    r"|confirm(?:s|ed|ing)?|establish(?:es|ed|ing)?|discover(?:s|ed|ing)?|conclud(?:e[sd]?|ing)"
    r"|explain(?:s|ed|ing)?(?: the fact)?|know(?:s|n)?|fact|reason)"
)
_GIVEN = re.compile(
    r"\b(?:given|considering|seeing|granted|assuming|knowing|now)(?:\s+the\s+fact)?\s+that\s+(?P<claim>[^?]+?)\s*"
    r"(?:,\s|\?|$)"
    r"|" + _OPENING + r"(?:since|because|as|although|though|even\s+though|whereas)\s+(?P<since>[^?]+?),\s+"
    r"(?=(?:\w+\s+){0,2}(?:what|which|who|when|where|why|how|is|are|do|does|did|can|could|should|would)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(_OPENING + r"(?:\w+\s+){0,2}?(?:what|which|who|whose|when|where|why|how)\b", re.IGNORECASE)
_IS_ASKED = re.compile(
    _OPENING
    + r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|would"
    r"|will|compare|list|name|tell|explain|describe|summari[sz]e|define)\b",
    re.IGNORECASE,
)
_THAT = re.compile(rf"\b{_REPORT}\s+that\s+(?P<claim>.+)", re.IGNORECASE)
_COME = re.compile(
    _OPENING
    + r"(?:how\s+come|why\s+(?:is|was)\s+it\s+(?:so\s+)?(?:that)?|(?:what\s+(?:is|was|are)|what['’]s)\s+the\s+reasons?"
    r"\s+(?:that|why|for\s+which)|what\s+explains\s+(?:why|the\s+fact\s+that))\s+(?P<claim>.+)",
    re.IGNORECASE,
)
_WHY = re.compile(_OPENING + rf"why\s+(?P<claim>{_AUXILIARY}(?:n['’]t)?\s+.+)", re.IGNORECASE)
_MAKES = re.compile(_OPENING + r"what\s+(?:makes|made|causes|caused|leads|led)\s+(?P<claim>.+)", re.IGNORECASE)
_HOW = re.compile(
    _OPENING + rf"how\s+(?:(?:exactly|then|precisely)\s+)?(?P<claim>{_AUXILIARY}\s+(?!(?:you|i|we|one)\b).+)",
    re.IGNORECASE,
)
_EXTENT = re.compile(
    _OPENING
    + r"(?:by\s+(?:how\s+(?:much|many\s+\w+)|what\s+\w+)|(?:to\s+what\s+extent|how\s+(?:much|strongly|far)))\s+"
    rf"(?P<claim>{_AUXILIARY}\s+.+)",
    re.IGNORECASE,
)
_THING = re.compile(
    _OPENING + r"(?:which|what|how\s+many|how\s+much)\s+(?P<thing>(?:[^\s,?]+\s+){1,4}?)(?:do|does|did|has|have|had)\s+"
    r"(?P<subject>.+?)\s+(?P<verb>use|need|require|call|call\s+on|rely\s+on|depend\s+on|employ|demand|take|consult)\b"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)


def presupposed(question: str) -> tuple[Presupposed, ...]:
    """Statements that a question takes for granted, each once; none for one that only asks whether something is so."""
    spans = split(question)
    sentences = [part for start, end in spans for part in _AFTER_QUESTION.split(question[start:end].strip())]
    found: dict[str, Presupposed] = {}
    for sentence in sentences:
        if _IS_ASKED.match(sentence) or sentence.endswith("?"):
            claims = _of_question(sentence)
        else:  # a lone line without a question is a search in key words
            claims = iter([Presupposed(sentence.rstrip(".! "))] if len(sentences) > 1 else [])
        for one in claims:
            if _can_be_looked_up(one.claim):
                found.setdefault(one.claim, one)
    return tuple(found.values())


def _can_be_looked_up(claim: str) -> bool:
    said = words(claim)
    if len(said) > MOST_WORDS or any(word.lower == "whether" for word in said):
        return False
    return sum(word.is_content for word in said) >= FEWEST_WORDS


def _of_question(sentence: str) -> Iterator[Presupposed]:
    given = _GIVEN.search(sentence)
    if given:
        yield Presupposed((given["claim"] or given["since"]).strip())
    if not _ASKS.match(sentence):
        return
    thing = _THING.match(sentence)
    if thing:
        rest = _cut(thing["rest"])
        yield Presupposed(f"{thing['subject']} {thing['verb']} {thing['thing'].strip()}{rest}", thing["thing"].strip())
    said = _THAT.search(sentence)
    if said:
        yield Presupposed(_cut(said["claim"]))
        return
    for pattern in (_COME, _MAKES):
        if match := pattern.match(sentence):
            yield Presupposed(_cut(match["claim"]))
            return
    for pattern in (_WHY, _HOW, _EXTENT):
        if match := pattern.match(sentence):
            yield from _asserted(_cut(match["claim"]))
            return


def _cut(text: str) -> str:
    """The text up to where another question begins."""
    end = _END.search(text)
    return (text[: end.start()] if end else text).rstrip(" .,?!")


def _asserted(question: str) -> Iterator[Presupposed]:
    """`does pruning hurt` as a statement: without its auxiliary, whose denial goes before the verb; none where that is
    not to be found."""
    auxiliary, _, rest = question.partition(" ")
    if not _NOT.match(auxiliary):
        yield Presupposed(rest)
        return
    table = effects_of_stems()
    verb = next((word for word in words(rest)[1:] if word.stem in table and word.lower not in NEGATIONS), None)
    if verb is not None:
        yield Presupposed(f"{rest[: verb.start]}not {rest[verb.start :]}")
