"""How one sentence lies against another: words found again, directions, order, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from rag.verification.polarity import Direction, comparison_stems, opposites_by_prefix
from rag.verification.reading import Lexicon, Reading, Sought

CONTEXT = 8
"""Words on either side of a direction word that tell what it is about."""
FORM_CREDIT = 0.6
"""Credit for a word found only in another form (generalise, generalisation)."""
SAME_WORD_BONUS, BASE = 0.15, 0.05
"""Small additions that let the same direction word win over another of its axis, and any over none."""
CLEAR = 0.3
SIDE = 4
"""Content words before and after a comparing word that name what is compared."""
MARGIN = 2
"""Words beside the tightest stretch of shared words that still belong to what is said about them."""


class Agreement(NamedTuple):
    """Direction words of a claim against the evidence's: means over the claim's, the worst conflict, and how many."""

    agree: float
    conflict: float
    worst: float
    absent: float
    conflicts: int


def word_credits(claim: Reading, found_in: Lexicon) -> list[float]:
    """For each content word of the claim 1 if the evidence has it, its expansion or acronym; part for another form."""
    spelled = _spelled_out(claim, found_in) | _written_apart(claim, found_in)
    return [1.0 if word.position in spelled else _credit(word, found_in) for word in claim.sought]


def _credit(word: Sought, found_in: Lexicon) -> float:
    if word.stem in found_in.stems or word.stem in found_in.compounds:
        return 1.0
    if word.acronym is not None and word.acronym in found_in.letters:
        return 1.0
    return FORM_CREDIT if word.prefix in found_in.prefixes else 0.0


def _spelled_out(claim: Reading, found_in: Lexicon) -> set[int]:
    """Positions of claim words that the evidence writes as an acronym."""
    found: set[int] = set()
    for acronym in found_in.acronyms:
        start = claim.lexicon.letters.find(acronym)
        if start >= 0:
            found.update(range(start, start + len(acronym)))
    return found


def _written_apart(claim: Reading, found_in: Lexicon) -> set[int]:
    """Positions of claim words that the evidence writes as one: `fine tuning` against `finetuning`."""
    found: set[int] = set()
    for i, joined in enumerate(claim.joined):
        if joined in found_in.stems:
            found.update((i, i + 1))
    return found


def directions(claim: Reading, evidence: Sequence[Reading]) -> Agreement:
    """Whether the evidence points where the claim points, each direction word weighed by the context it shares."""
    best: dict[int, tuple[float, int]] = {}
    for direction in claim.directions:
        weight, sign = _counterpart(claim, direction, evidence)
        if weight >= best.get(direction.position, (-1.0, 0))[0]:
            best[direction.position] = (weight, sign)
    n = max(1, len(best))
    agree = [w for w, sign in best.values() if sign > 0]
    conflict = [w for w, sign in best.values() if sign < 0]
    absent = len(best) - len(agree) - len(conflict)
    return Agreement(sum(agree) / n, sum(conflict) / n, max(conflict, default=0.0), absent / n, _some(conflict))


def _some(weights: Sequence[float]) -> int:
    """How many conflicts are more than a chance meeting, counted to 3."""
    return min(3, sum(weight >= CLEAR for weight in weights))


def lone_directions(claim: Reading, anywhere: Lexicon) -> int:
    """How many direction words of the claim the evidence matches on none of their axes, counted to 3."""
    matched = {d.position: False for d in claim.directions}
    for d in claim.directions:
        matched[d.position] |= (d.axis, d.sign) in anywhere.ways
    return min(3, sum(not found for found in matched.values()))


def _counterpart(claim: Reading, direction: Direction, evidence: Sequence[Reading]) -> tuple[float, int]:
    """(weight, +1 same way, -1 opposite, 0 none) of the evidence's direction word in the most similar context."""
    context = _context(claim, direction.position)
    best = (0.0, 0)
    for reading in evidence:
        for other in reading.directions:
            if other.axis != direction.axis:
                continue
            shared = len(context & _context(reading, other.position)) / max(1, len(context))
            same = reading.stems[other.position] == claim.stems[direction.position]
            weight = min(1.0, shared + BASE + SAME_WORD_BONUS * same)
            best = max(best, (weight, direction.sign * other.sign))
    return best


def _context(reading: Reading, position: int) -> set[str]:
    return {reading.stems[j] for j in reading.content if j != position and abs(j - position) <= CONTEXT}


def parity(claim: Reading, evidence: Reading) -> tuple[int, bool]:
    """+1 if claim and evidence state an effect of one direction, -1 if of opposite ones, 0 if they share no words.

    The direction is the product of all raising, lowering and denying words: those of the claim, and those of the
    evidence in and beside the tightest stretch that holds all shared words. The flag tells whether both have any.
    """
    stretch = _tightest(claim, evidence)
    if stretch is None:
        return 0, False
    ours = [e for e in claim.effects if e]
    theirs = [e for e in evidence.effects[max(0, stretch[0] - MARGIN) : stretch[1] + MARGIN + 1] if e]
    return prod(ours) * prod(theirs), bool(ours) and bool(theirs)


def leaning(question: Reading, sentence: Reading) -> int:
    """+1 if a sentence states an effect in what it shares with a question, -1 if it denies or lowers it, 0 for neither.

    Two sentences of unlike signs answer the question in opposite ways.
    """
    stretch = _tightest(question, sentence)
    if stretch is None:
        return 0
    theirs = [e for e in sentence.effects[max(0, stretch[0] - MARGIN) : stretch[1] + MARGIN + 1] if e]
    return prod(theirs) if theirs else 0


def _tightest(claim: Reading, evidence: Reading) -> tuple[int, int] | None:
    """First and last position of the shortest stretch of the evidence with every shared word that has no effect."""
    wanted = {claim.stems[i] for i in claim.content if not claim.effects[i]}
    positions = [i for i, stem in enumerate(evidence.stems) if stem in wanted]
    if not positions:
        return None
    need = len({evidence.stems[i] for i in positions})
    return min((last - first, first, last) for first, last in _stretches(evidence, positions, need))[1:]


def _stretches(evidence: Reading, positions: Sequence[int], need: int) -> Iterator[tuple[int, int]]:
    for k, first in enumerate(positions):
        seen: set[str] = set()
        for last in positions[k:]:
            seen.add(evidence.stems[last])
            if len(seen) == need:
                yield first, last
                break


def denial(claim: Reading, evidence: Sequence[Reading]) -> tuple[float, float, float]:
    """(claim alone denies, evidence alone denies, both deny); the latter two weighed by shared context."""
    content = {claim.stems[i] for i in claim.content}
    theirs = 0.0
    for reading in evidence:
        for i in reading.negations:
            near = set(reading.stems[max(0, i - 5) : i + 7])
            theirs = max(theirs, len(near & content) / max(1, min(5, len(content))))
    if claim.negations:
        return float(theirs == 0), 0.0, theirs
    return 0.0, theirs, 0.0


def disorder(claim: Reading, evidence: Reading) -> tuple[float, int]:
    """Share of shared content words' pairs that stand in the opposite order, and the number of shared words."""
    shared = [evidence.stems.index(s) for s in _distinct(claim) if s in evidence.lexicon.stems]
    n = len(shared)
    inversions = sum(shared[i] > shared[j] for i in range(n) for j in range(i + 1, n))
    return inversions / max(1, n * (n - 1) / 2), n


def _distinct(claim: Reading) -> list[str]:
    return list(dict.fromkeys(claim.stems[i] for i in claim.content))


def sides(claim: Reading, evidence: Reading) -> tuple[float, float]:
    """For comparisons: -1 (all words on the other side) .. +1 (all on the same), and 1 if names changed places."""
    capitals = {w.stem for w in claim.words if not w.text.islower()}
    best = (0.0, 0.0, 0)
    for ours in _sides_of_comparisons(claim):
        for theirs in _sides_of_comparisons(evidence):
            same = len(ours[0] & theirs[0]) + len(ours[1] & theirs[1])
            left, right = ours[0] & theirs[1], ours[1] & theirs[0]
            total = same + len(left) + len(right)
            if total > best[2]:
                changed = bool(left & capitals) and bool(right & capitals)
                best = ((2 * same - total) / total, float(changed), total)
    return best[0], best[1]


def changed_sides(claim: Reading, evidence: Reading) -> bool:
    """Whether both compare by the same word and what the claim begins with stands behind it in the evidence, and
    something from behind it before.

    Unlike `sides` it looks at whole sentences; words on both sides of one are left out.
    """
    return any(
        bool(ours) and word == other and ours[0] in theirs_after and bool(set(ours_after) & set(theirs))
        for word, ours, ours_after in _halves(claim)
        for other, theirs, theirs_after in _halves(evidence)
    )


def _halves(reading: Reading) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each comparing word with the content words before and behind it, in order."""
    comparisons = comparison_stems()
    telling = [i for i in reading.content if reading.stems[i] not in comparisons]
    for k, stem in enumerate(reading.stems):
        if stem in comparisons:
            before = [reading.stems[i] for i in telling if i < k]
            after = [reading.stems[i] for i in telling if i > k]
            yield stem, [w for w in before if w not in after], [w for w in after if w not in before]


def _sides_of_comparisons(reading: Reading) -> Iterator[tuple[set[str], set[str]]]:
    comparisons = comparison_stems()
    for k, stem in enumerate(reading.stems):
        if stem in comparisons:
            named = [i for i in reading.content if reading.stems[i] not in comparisons]
            left = {reading.stems[i] for i in [i for i in named if i < k][-SIDE:]}
            right = {reading.stems[i] for i in [i for i in named if i > k][:SIDE]}
            yield left - right, right - left


def has_opposite_form(claim: Reading, evidence: Sequence[Reading]) -> bool:
    """Whether a claim word that the evidence lacks stands there with a negative prefix put on or taken off."""
    content = {claim.stems[i] for i in claim.content}
    return any(
        opposites_by_prefix(word) & reading.lexicon.stems
        for reading in evidence
        for word in content - reading.lexicon.stems
    )


def longest_run(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest sequence of stems that both have without a gap."""
    best, previous = 0, [0] * (len(second) + 1)
    for stem in first:
        current = [0] * (len(second) + 1)
        for j, other in enumerate(second):
            if stem == other:
                current[j + 1] = previous[j] + 1
        best, previous = max(best, max(current)), current
    return best
