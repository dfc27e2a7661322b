"""Where a sentence says the opposite of a near copy: these signs are certain enough to need no weighing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rag.verification.alignment import changed_sides, word_credits
from rag.verification.numbers import Quantity, stated
from rag.verification.polarity import Direction
from rag.verification.reading import PREFIX, Reading

COVERED = 0.6
"""Share of the claim's content words that a sentence must have to be about the same."""
DENIED_WITHIN = 4
"""Words after a negation in which the word it denies stands."""
NEAR = 3
"""Words on either side of a direction word that tell what goes that way."""
SHARED, CLEARLY = 0.5, 2.0
"""Share of these that a sentence must have beside the opposite word, and how often that beside a like one."""


def opposes(claim: Reading, evidence: Sequence[Reading]) -> bool:
    """Whether a sentence that has most of the claim's words denies what it says, points the other way, or compares the
    other way round."""
    about = [reading for reading in evidence if _is_about_the_same(claim, reading)]
    denies = any(_denies(reading, claim) or _denies(claim, reading) for reading in about)
    turned = denies or any(changed_sides(claim, reading) for reading in about)
    return turned or any(_turned(claim, direction, about) for direction in claim.directions)


def other_counts(claim: Reading, evidence: Sequence[Reading]) -> list[Quantity]:
    """Numbers in words of which the evidence has another one of the same thing: `five hours` against `two hours`."""
    worded = [quantity for quantity in claim.lexicon.quantities if quantity.worded]
    if not worded:
        return []
    every = [q for reading in evidence for q in reading.lexicon.quantities]
    things = {counted(reading, q) for reading in evidence for q in reading.lexicon.quantities} - {None}
    return [quantity for quantity in worded if counted(claim, quantity) in things and not stated(quantity, every)]


def _is_about_the_same(claim: Reading, reading: Reading) -> bool:
    covered = word_credits(claim, reading.lexicon)
    return sum(covered) >= COVERED * max(1, len(covered))


def _denies(first: Reading, second: Reading) -> bool:
    """Whether one denies a word that the other has and, denying nothing at all, affirms."""
    if second.negations:
        return False
    affirmed = {second.stems[i] for i in second.content}
    return any(_same_word(word, affirmed) for word in _denied(first))


def _denied(reading: Reading) -> Iterable[str]:
    """The first content word after each negation."""
    for i in reading.negations:
        yield from (reading.stems[j] for j in [j for j in reading.content if i < j <= i + DENIED_WITHIN][:1])


def _same_word(word: str, others: Collection[str]) -> bool:
    """Whether the word is among the others, or one of them is a form of it."""
    return word in others or (len(word) >= PREFIX and any(other[:PREFIX] == word[:PREFIX] for other in others))


def _turned(claim: Reading, direction: Direction, evidence: Sequence[Reading]) -> bool:
    """Whether the words around a direction word stand around an opposite one, and hardly around any like it."""
    near = _near(claim, direction.position)
    if not near:
        return False
    same, opposite = 0.0, 0.0
    for reading in evidence:
        for other in reading.directions:
            if other.axis == direction.axis:
                shared = len(near & _near(reading, other.position)) / len(near)
                if other.sign == direction.sign:
                    same = max(same, shared)
                else:
                    opposite = max(opposite, shared)
    return opposite >= SHARED and opposite > CLEARLY * same


def _near(reading: Reading, position: int) -> set[str]:
    """Stems of the content words and numbers close by."""
    telling = {*reading.content, *(i for i, word in enumerate(reading.words) if word.text[:1].isdigit())}
    return {reading.stems[i] for i in telling if i != position and abs(i - position) <= NEAR}


def counted(reading: Reading, quantity: Quantity) -> str | None:
    """Stem of the word right after a number; None where it has a unit or ends the sentence."""
    if quantity.kind != "plain":
        return None
    following = next((i for i, word in enumerate(reading.words) if word.start >= quantity.end), None)
    return reading.stems[following] if following is not None and following in reading.content else None
