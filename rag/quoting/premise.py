"""Whether an abstract states the opposite of what a question takes for granted.

A false alarm costs more than a miss: only near copies are called contradicted, and nothing is where any abstract found
carries the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rag.quotes import Candidate
from rag.quoting.presupposed import Presupposed, presupposed
from rag.text.names import names
from rag.text.terms import stems
from rag.text.words import Word
from rag.verification.alignment import longest_run, parity, word_credits
from rag.verification.claims import prose
from rag.verification.numbers import quantities, stated
from rag.verification.opposition import counted, opposes
from rag.verification.polarity import is_negation
from rag.verification.reading import PREFIX, Lexicon, Reading, read, read_all

if TYPE_CHECKING:
    from rag.verify import Verifier

COVERED, NEARLY = 0.75, 0.9
"""Shares of the statement's words that point nowhere (no direction, denial or number) that a sentence must have; one
that has fewer than the second must besides state an effect of the opposite sign."""
NEAR = 0.4
"""Share of the statement's content words, as they are, below which a sentence is not read at all."""
FEWEST = 2
"""Such words that a statement must have."""
LONGEST = 60
"""Words of a sentence; a longer one, or a text without stops, has room for everything and its opposite."""
COPY = 0.95
"""Share of a statement's words that a sentence has in one run: it is the statement itself."""
DISPENSED_WITHIN = 6
"""Words after a denial in which what is done without stands."""

COUNTED_WITHIN = 3
"""Words after a number in which the thing it counts stands."""

_AIM = re.compile(
    r"\b(?:whether|objectives?|purposes?|aim(?:s|ed)?|goals?|hypothesi[sz]\w*"
    r"|(?:to|we) (?:assess|evaluate|investigate|determine|examine|explore|test|study|compare|measure)"
    r"|(?:study|paper|work) (?:examine|investigate|evaluate|assesse|explore|compare|addresse?)[sd]?)\b",
    re.IGNORECASE,
)
"""A sentence that says what was to be found out states nothing."""
_DISPENSES = re.compile(r"eliminat|remov|avoid|obviat|dispens|bypass|circumvent|forgo", re.IGNORECASE)
_MORE = frozenset("additional extra further more other new explicit large expensive costly manual".split())
"""`no additional labels` leaves room for some."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A sentence, `candidate.spans[sentence]`, that states the opposite of `claim`."""

    claim: str
    candidate: Candidate
    sentence: int


def contradiction(
    question: str, candidates: Sequence[Candidate], verifier: Callable[[], Verifier]
) -> Contradiction | None:
    """The sentence of `candidates`, best first, that contradicts what the question takes for granted, if one does.

    The verifier is called for only where there is such a sentence.
    """
    for one in presupposed(question):
        against = _first(candidates, *(_lacking(one) if one.thing else _turning(one)))
        if against and (one.thing or not _is_carried(one.claim, candidates, verifier())):
            return Contradiction(one.claim, *against)
    return None


Near = Callable[[str, Candidate], bool]
"""Whether a sentence is worth reading, told from its words alone; reading it is the costly part."""
Test = Callable[[Reading, Candidate], bool]


def _turning(one: Presupposed) -> tuple[Near, Test]:
    claim = read(one.claim)
    sought = [claim.stems[i] for i in claim.content]
    fewest = NEAR * len(sought)

    def near(text: str, _: Candidate) -> bool:
        return len(stems(text).intersection(sought)) >= fewest

    return near, partial(_contradicts, claim)


def _lacking(one: Presupposed) -> tuple[Near, Test]:
    named = [re.compile(rf"\b{re.escape(name)}\b") for name in names(f"x {one.claim}")]

    def near(_: str, candidate: Candidate) -> bool:
        return bool(named) and all(name.search(candidate.hit.abstract.text) for name in named)

    wanted = read(one.thing or "")
    return near, partial(_does_without, [wanted.stems[i] for i in wanted.content])


def _first(candidates: Sequence[Candidate], near: Near, test: Test) -> tuple[Candidate, int] | None:
    """The first sentence that passes the test, as a candidate and its number."""
    found = ((one, n) for one in candidates for n in _stating(one, near) if test(read(one.sentence(n)), one))
    return next(found, None)


def _stating(candidate: Candidate, near: Near) -> Iterator[int]:
    """Numbers of the sentences worth reading that state something, and not too much at once."""
    texts = tuple(map(candidate.sentence, range(len(candidate.spans))))
    close = (n for n in prose(texts) if near(texts[n], candidate) and not _AIM.search(texts[n]))
    yield from (n for n in close if len(read(texts[n]).words) <= LONGEST)


def _contradicts(claim: Reading, sentence: Reading, candidate: Candidate) -> bool:
    if longest_run(claim.stems, sentence.stems) >= COPY * len(claim.stems):
        return False
    share = _share(claim, sentence, candidate)
    if share < COVERED:
        return False
    turned = opposes(claim, [sentence]) and (share >= NEARLY or parity(claim, sentence)[0] < 0)
    return turned or _has_other_number(claim, sentence, candidate)


def _share(claim: Reading, sentence: Reading, candidate: Candidate) -> float:
    """Share of the claim's words that name what it speaks of which the sentence has.

    0 where they are too few, or where some are missing that stand elsewhere in the abstract: the sentence is about
    something else then.
    """
    pointing = {direction.position for direction in claim.directions}
    telling = [
        k
        for k, i in enumerate(claim.content)
        if i not in pointing and not claim.effects[i] and not claim.words[i].text[:1].isdigit()
    ]
    here = word_credits(claim, sentence.lexicon)
    share = sum(here[k] for k in telling) / max(1, len(telling))
    if len(telling) < FEWEST or share < COVERED:
        return 0.0
    if share < NEARLY:
        anywhere = word_credits(claim, _whole(candidate))
        if any(anywhere[k] > here[k] for k in telling):
            return 0.0
    return share


def _whole(candidate: Candidate) -> Lexicon:
    return read_all(tuple(map(candidate.sentence, range(len(candidate.spans)))))


def _has_other_number(claim: Reading, sentence: Reading, candidate: Candidate) -> bool:
    """Whether the claim has a number in digits that the abstract has not, and the sentence another of the same."""
    known = quantities(candidate.hit.abstract.text)
    missing = [q for q in claim.lexicon.quantities if not q.worded and not stated(q, known)]
    there = {(q.kind, counted(sentence, q)) for q in sentence.lexicon.quantities if not q.worded}
    return bool(missing) and all((q.kind, counted(claim, q)) in there for q in missing)


def _does_without(things: Sequence[str], sentence: Reading, candidate: Candidate) -> bool:
    """Whether the sentence says that what the question names needs none of the things asked for, told by their stems.

    Not where the abstract gives a number of them.
    """
    if not things or any(_counts(read(candidate.sentence(n)), things[-1]) for n in range(len(candidate.spans))):
        return False
    return any(_dispenses(sentence, i, things) for i, word in enumerate(sentence.words) if _is_denial(word))


def _counts(sentence: Reading, thing: str) -> bool:
    """Whether a number stands before the thing: `12 trained annotators`."""
    for quantity in sentence.lexicon.quantities:
        after = [word for word in sentence.words if word.start >= quantity.end][:COUNTED_WITHIN]
        if quantity.value and any(_is_form(thing, word.stem) for word in after):
            return True
    return False


def _is_denial(word: Word) -> bool:
    return is_negation(word) or _DISPENSES.match(word.lower) is not None


def _dispenses(sentence: Reading, i: int, things: Sequence[str]) -> bool:
    """Whether what is denied at `i` is the thing itself, by its last word and at least half of all."""
    after = sentence.words[i + 1 : i + 1 + DISPENSED_WITHIN]
    if _MORE.intersection(word.lower for word in after):
        return False
    found = [thing for thing in things if any(_is_form(thing, word.stem) for word in after)]
    return things[-1] in found and 2 * len(found) >= len(things)


def _is_form(word: str, other: str) -> bool:
    return word == other or (len(word) >= PREFIX and word[:PREFIX] == other[:PREFIX])


def _is_carried(claim: str, candidates: Sequence[Candidate], verifier: Verifier) -> bool:
    """Whether an abstract states the claim: then there is a disagreement at most, and no false premise."""
    from rag.verify import Source

    abstracts = [(one.hit.abstract, one.spans) for one in candidates]
    sources = [Source(abstract.id, abstract.text, spans, cited=True) for abstract, spans in abstracts]
    return any(verifier.check(claim, None, [source]).verdict in ("supported", "partly") for source in sources)
