"""Whether the abstracts found are about the question at all, and whether they state the number it asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rag.quotes import Candidate, Vector
from rag.quoting import cues
from rag.quoting.thresholds import Thresholds
from rag.text.terms import Term, Vocabulary, coverage, is_slip, question_terms, stems
from rag.text.words import words

Outcome = Literal["relevant", "nothing_relevant", "not_stated"]

# Costs and gains are in the units of `Thresholds.scaled`: standard deviations of questions from other fields.
WHOLE_WEIGHT = 2.0
"""Weight of the best abstract's cosine beside that of the best sentence."""
UNKNOWN_COST = 1.6
"""What a question loses whose words are all unknown to the shelf..."""
UNKNOWN_NAME_COST = 2.0
"""... and one whose names are, on top of that."""
NAMED_GAIN = 3.5
"""What it gains when an abstract found bears a rare name it asks about, and most of its other words:"""
NAMED_COVERAGE = 0.67
"""this share of the question's weight. An acronym alone may mean something else on this shelf."""
RARE = 0.5
"""Weight from which a name is rare enough to tell one abstract from the others."""
SENTENCE_COVERAGE = 5.5
"""Weight of the question's words in a sentence beside its cosine."""
ABSTRACT_COVERAGE = 8.0
"""Weight of the question's words in the abstract around it."""
OTHER_THINGS = 12.0
"""How much more a sentence needs that has numbers, but not of the things that "how many" asks to be counted."""

_COUNTED = re.compile(
    r"\bhow many (?P<things>(?:[\w-]+ ){0,3}?[\w-]+)"
    r"(?= (?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|must|should|may|in|of|on|at|to|for|from|"
    r"that|which|it|they|there|per|with)\b|[?.,;]|$)",
    re.IGNORECASE,
)
_PEOPLE = "people persons participants subjects patients volunteers respondents individuals women men children users"


@dataclass(frozen=True, slots=True)
class Signals:
    """What speaks for and against the abstracts found.

    `sentence`, `whole`: cosine of the question with the best sentence and the best whole abstract. `unknown`,
    `unknown_names`: shares of the question's weight in words that no abstract holds, slips of known words not counted.
    `named`: position of the candidate that bears most rare names of the question, None where none does; `covered`:
    share of the weight it holds.
    """

    sentence: float
    whole: float
    unknown: float = 0.0
    unknown_names: float = 0.0
    named: int | None = None
    covered: float = 0.0

    @property
    def likeness(self) -> float:
        """The two cosines as one: an abstract about the topic, and a sentence in it that may answer."""
        return (self.sentence + WHOLE_WEIGHT * self.whole) / (1 + WHOLE_WEIGHT)

    def relevance(self, thresholds: Thresholds) -> float:
        """All of them as one number, to be compared with `thresholds.relevance`."""
        gain = NAMED_GAIN if self.covered >= NAMED_COVERAGE else 0.0
        cost = UNKNOWN_COST * self.unknown + UNKNOWN_NAME_COST * self.unknown_names
        return thresholds.scaled(self.likeness) - cost + gain


@dataclass(frozen=True, slots=True)
class Judgement:
    """`about`: with `not_stated`, the candidate that is related and lacks the detail."""

    outcome: Outcome
    signals: Signals
    about: Candidate | None = None


def judge(
    question: str, candidates: Sequence[Candidate], vector: Vector, vocabulary: Vocabulary, thresholds: Thresholds
) -> Judgement:
    """Decide before anything is written; `candidates` come best first, `vector` is the question's."""
    terms = question_terms(question, vocabulary)
    able = [c for c in candidates if c.spans]
    found = signals(terms, able, vector)
    about = able[found.named or 0] if able else None
    if about is None or found.relevance(thresholds) < thresholds.relevance:
        # What keeps a question about a known name from being relevant is the rest of it: that is not stated.
        known = found.named == 0 and thresholds.scaled(found.likeness) >= thresholds.relevance
        return Judgement("not_stated", found, about) if known else Judgement("nothing_relevant", found)
    if cues.wanted(question).number_first and not _states_number(question, terms, about, vector, thresholds):
        return Judgement("not_stated", found, about)
    return Judgement("relevant", found)


def signals(terms: Sequence[Term], candidates: Sequence[Candidate], vector: Vector) -> Signals:
    """Weigh the question's words, its best sentence and its best abstract."""
    unknown = [t for t in terms if not t.known]
    if unknown:
        known = {word.lower for c in candidates for word in words(c.hit.abstract.text)}
        unknown = [t for t in unknown if not is_slip(t.text.lower(), known)]
    total = sum(t.weight for t in terms) or 1.0
    named = most_named(terms, candidates)
    return Signals(
        sentence=max((float((c.vectors @ vector).max()) for c in candidates), default=0.0),
        whole=max((float(c.whole @ vector) for c in candidates), default=0.0),
        unknown=sum(t.weight for t in unknown) / total,
        unknown_names=sum(t.weight for t in unknown if t.name) / total,
        named=named,
        covered=0.0 if named is None else coverage(terms, stems(candidates[named].hit.abstract.text)),
    )


def most_named(terms: Sequence[Term], candidates: Sequence[Candidate]) -> int | None:
    """Position of the candidate that holds, written alike, most of the question's rare names; the first of equals."""
    rare = {t.text: t.weight for t in terms if t.name and t.known and t.weight >= RARE}
    if not rare:
        return None
    held = [rare.keys() & {word.text for word in words(c.hit.abstract.text)} for c in candidates]
    weights = [sum(rare[name] for name in names) for names in held]
    return int(np.argmax(weights)) if any(weights) else None


def _states_number(
    question: str, terms: Sequence[Term], candidate: Candidate, vector: Vector, thresholds: Thresholds
) -> bool:
    """Whether a sentence of the abstract asked about may hold the number that the question opens with."""
    counted = _counted(question)
    covered = ABSTRACT_COVERAGE * coverage(terms, stems(candidate.hit.abstract.text))
    for n in range(len(candidate.spans)):
        sentence = candidate.sentence(n)
        held = stems(sentence)
        need = thresholds.number + (OTHER_THINGS if counted and not counted & held else 0.0)
        likeness = thresholds.scaled(float(candidate.vectors[n] @ vector))
        if cues.has_amount(sentence) and likeness + SENTENCE_COVERAGE * coverage(terms, held) + covered >= need:
            return True
    return False


def _counted(question: str) -> frozenset[str]:
    """Stems of what "how many" asks to be counted; empty where the question asks for another kind of number."""
    asked = _COUNTED.search(question)
    if asked is None:
        return frozenset()
    things, people = stems(asked["things"]), stems(_PEOPLE)
    return things | people if things & people else things
