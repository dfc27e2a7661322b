"""Questions made of other words: keywords as people type them into a search box, and slips of the hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from rag.evaluate.drafts.draft import Draft
from rag.evaluate.drafts.phrases import parts_of_speech
from rag.ranking.english import is_english
from rag.text.names import names
from rag.text.sentences import split
from rag.text.terms import content_words
from rag.types import Abstract

PHRASES = 3
_CANDIDATES = 40
"""Phrases of an abstract whose frequency is looked up."""
_MOST_HOLDING = 3
"""Abstracts that may hold a phrase."""
_PAIR = re.compile(
    r"(?<![\w-])(?=([a-z]+(?:-[a-z]+)*) ([a-z]{3,})"
    r"(?=[.,;:)]|$| (?:of|in|on|for|with|by|to|from|as|and|or|is|are|was|were|that|which|while|can)\b))"
)
_GENERAL = frozenset(
    "approach approaches work works result results performance experiments state art recent novel different various "
    "several large such many new first main key significant important extensive existing previous same best high low "
    "number set sets way ways use fact order case cases light end research problem problems challenge challenges "
    "step steps gap gaps limitation limitations code others progress demand efforts attention capability ability "
    "state-of-the-art themselves effective simple further average further other particular possible".split()
)
_SHORTEST_SLIP = 5
_SLIPS = 2
"""Words misspelt in a question."""


def keywords(abstract: Abstract, frequency: Callable[[str], int]) -> Draft | None:
    """Three noun phrases of an abstract that few others hold, in its order; None where it has fewer.

    Without the paper's own names, which would tell it alone.
    """
    sentences = [abstract.text[a:b] for a, b in split(abstract.text)]
    places = {phrase: n for n, text in reversed(list(enumerate(sentences))) for phrase in _phrases(text)}
    counted = {phrase: frequency(phrase) for phrase in list(places)[:_CANDIDATES]}
    # Of phrases as rare as each other the longer ones tell more.
    ranked = sorted((count, -len(phrase), phrase) for phrase, count in counted.items() if 0 < count <= _MOST_HOLDING)
    chosen: list[str] = []
    for _, _, phrase in ranked:
        if len(chosen) < PHRASES and not any(set(phrase.split()) & set(other.split()) for other in chosen):
            chosen.append(phrase)
    if len(chosen) < PHRASES:
        return None
    chosen.sort(key=lambda phrase: (places[phrase], sentences[places[phrase]].find(phrase)))
    quote = tuple(dict.fromkeys(sentences[places[phrase]] for phrase in chosen))
    return Draft("keyword", " ".join(chosen), "keywords", abstract.id, (abstract.id,), "", (), quote)


def _phrases(sentence: str) -> list[str]:
    """Pairs of words in small letters, an adjective or noun before a noun, that stand by themselves."""
    if re.search(r"[$\\{}<>|`_^]|https?:", sentence):
        return []
    telling = set(content_words(sentence)) | set(re.findall(r"[a-z]+(?:-[a-z]+)+", sentence))
    found = []
    for match in _PAIR.finditer(sentence):
        first, last = match[1], match[2]
        if first in telling and last in telling and _describes(first) and _is_thing(last):
            found.append(f"{first} {last}")
    return found


def _describes(word: str) -> bool:
    parts = parts_of_speech(word.rsplit("-", 1)[-1])
    return bool(parts & {"NOUN", "ADJ"}) and "ADV" not in parts and word not in _GENERAL and word[-1] != "s"


def _is_thing(word: str) -> bool:
    return "NOUN" in parts_of_speech(word) and word not in _GENERAL


def misspelt(draft: Draft, rng: Random) -> Draft | None:
    """The draft asked in haste: small letters, no question mark, slips in two words; names stay. None: no words."""
    named = {part for name in names(draft.question) for part in re.findall(r"\w+", name) if not part[1:].islower()}
    question = draft.question.rstrip("?")
    places = [
        m
        for m in re.finditer(r"(?<![\w-])[A-Za-z]+(?![\w-])", question)
        if len(m[0]) >= _SHORTEST_SLIP and m[0] not in named
    ]
    chosen = sorted(rng.sample(range(len(places)), min(_SLIPS, len(places))))
    changed = 0
    for match in (places[n] for n in reversed(chosen)):
        wrong = _slip(match[0].lower(), rng)
        if wrong is not None:
            question = question[: match.start()] + wrong + question[match.end() :]
            changed += 1
    lowered = " ".join(w if re.sub(r"\W", "", w) in named else w.lower() for w in question.split())
    return draft.asking(lowered, "typo", f"typo of {draft.how}") if changed else None


def _slip(word: str, rng: Random) -> str | None:
    """Two neighbours swapped, a letter left out or doubled, not the first; never another English word."""
    place = rng.randrange(1, len(word) - 1)
    ways = [
        word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        word[:place] + word[place + 1 :],
        word[:place] + word[place] + word[place:],
    ]
    rng.shuffle(ways)
    return next((way for way in ways if way != word and not is_english(way)), None)
