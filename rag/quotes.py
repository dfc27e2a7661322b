"""The answer without a language model: sentences of the abstracts found, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.quoting import cues
from rag.quoting.sides import other_side
from rag.text.terms import Term, Vocabulary, coverage, question_terms, stems
from rag.types import Abstract, Hit, Span

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An abstract that may be quoted: its sentences, their vectors (sentences, dimensions), and that of the whole."""

    hit: Hit
    spans: tuple[Span, ...]
    vectors: Vector
    whole: Vector

    def sentence(self, number: int) -> str:
        """The text of a sentence, 0-based."""
        start, end = self.spans[number]
        return self.hit.abstract.text[start:end]


def stored_vectors(candidates: Sequence[Candidate]) -> dict[str, Vector]:
    """The vectors of the candidates' sentences, by text."""
    return {one.sentence(n): one.vectors[n] for one in candidates for n in range(len(one.spans))}


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """A candidate and what each of its sentences is worth as an answer."""

    candidate: Candidate
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence chosen: `abstract.text[span.start:span.end]`. `value` is what it was chosen by."""

    abstract: Abstract
    span: Span
    value: float

    @property
    def text(self) -> str:
        """The sentence, word for word."""
        return self.abstract.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Weights:
    """How sentences and abstracts are weighed against each other; cosines count 1."""

    coverage: float = 0.3
    cue: float = 0.1
    named: float = 0.5
    """What counts that it holds the question's names, as far as these are what the question is about."""
    gap: float = 0.1
    """How far, as a share of the best score, an abstract may lie behind it to be quoted as well..."""
    survey_gap: float = 0.3
    """... and for a question that compares or surveys."""
    drop: float = 0.5
    """How far a sentence may lie behind its abstract's best."""
    answering: float = 0.25
    """What an abstract's best sentence counts beside its score, this as a share of the best score."""
    repeat: float = 0.92
    """Cosine from which two sentences say the same."""
    most: tuple[int, ...] = (4, 3, 3, 2, 2)
    """Sentences per abstract, by the number of abstracts quoted; its length bounds the abstracts."""


WEIGHTS = Weights()


def choose(
    question: str,
    candidates: Sequence[Candidate],
    vector: Vector,
    vocabulary: Vocabulary,
    weights: Weights = WEIGHTS,
) -> list[Quote]:
    """The sentences that answer best, by abstract (best first) and in the abstract's order.

    `candidates` come best first; `vector` is the question's. Never a sentence twice, nor two that say the same. Where
    all that was chosen answers one way and another abstract the other way, that one's sentence comes last.
    """
    terms = question_terms(question, vocabulary)
    wanted = cues.wanted(question)
    rated = [Rated(c, sentence_values(c, vector, terms, wanted, weights)) for c in candidates if c.spans]
    chosen = abstracts_needed(rated, terms, wanted, weights)
    limit = weights.most[len(chosen) - 1] if chosen else 0
    quotes: list[Quote] = []
    said = np.zeros((0, vector.shape[0]), np.float32)
    for one in chosen:
        numbers = _pick(one, limit, said, weights)
        said = np.vstack([said, one.candidate.vectors[numbers]])
        quotes += [_quote(one, n) for n in numbers]
    against = other_side(question, quotes, rated, terms)
    return [*quotes, _quote(*against)] if against else quotes


def _quote(one: Rated, n: int) -> Quote:
    return Quote(one.candidate.hit.abstract, one.candidate.spans[n], float(one.values[n]))


def abstracts_needed(
    rated: Sequence[Rated], terms: Sequence[Term], wanted: cues.Wanted, weights: Weights
) -> list[Rated]:
    """The best abstract, those hardly behind it, and the best for each name of the question not met so far."""
    if not rated:
        return []
    gap = weights.survey_gap if wanted.survey else weights.gap
    unit = abs(rated[0].candidate.hit.score) or 1.0
    named = [t for t in terms if t.name and t.known]
    share = sum(t.weight for t in named) / (sum(t.weight for t in terms) or 1.0)
    worth = {
        id(one): one.candidate.hit.score / unit
        + weights.answering * float(one.values.max())
        + weights.named * share * coverage(named, stems(one.candidate.hit.abstract.text))
        for one in rated
    }
    ordered = sorted(rated, key=lambda one: -worth[id(one)])
    best = worth[id(ordered[0])]
    unmet = {t.stem for t in named}
    chosen: list[Rated] = []
    for one in ordered:
        met = unmet & stems(one.candidate.hit.abstract.text)
        if not chosen or best - worth[id(one)] <= gap or met or (wanted.meaning and _introduces(one.candidate, terms)):
            chosen.append(one)
            unmet -= met
    return chosen[: len(weights.most)]


def _introduces(candidate: Candidate, terms: Sequence[Term]) -> bool:
    """Whether the abstract gives a name of the question a meaning; an acronym may have one in each of several."""
    return any(cues.introduces(candidate.hit.abstract.text, t.text) for t in terms if t.name)


def sentence_values(
    candidate: Candidate, vector: Vector, terms: Sequence[Term], wanted: cues.Wanted, weights: Weights
) -> NDArray[np.float64]:
    """How well each sentence answers: cosine, share of the question's terms, and the marks of the answer asked for."""
    cosines: NDArray[np.float64] = (candidate.vectors @ vector).astype(np.float64)
    sentences = map(candidate.sentence, range(len(candidate.spans)))
    surface = np.array([_surface_value(sentence, terms, wanted, weights) for sentence in sentences], np.float64)
    return np.add(cosines, surface, dtype=np.float64)


def _surface_value(sentence: str, terms: Sequence[Term], wanted: cues.Wanted, weights: Weights) -> float:
    words = stems(sentence)
    value = weights.coverage * coverage(terms, words)
    if wanted.quantity and cues.has_amount(sentence):
        value += weights.cue
    if (wanted.method or wanted.meaning) and cues.is_proposal(sentence):
        value += weights.cue
    if wanted.reason and cues.is_cause(sentence):
        value += weights.cue
    if wanted.meaning and any(cues.introduces(sentence, t.text) for t in terms if t.name):
        value += weights.cue
    if not wanted.method and cues.is_finding(sentence):
        value += weights.cue / 2
    return value


def _pick(one: Rated, limit: int, said: Vector, weights: Weights) -> list[int]:
    """Numbers of the sentences to quote, in the abstract's order."""
    vectors, picked = one.candidate.vectors, list[int]()
    for n in np.argsort(-one.values, kind="stable").tolist():
        known = np.vstack([said, vectors[picked]])
        if len(picked) >= limit or (picked and one.values[n] < one.values.max() - weights.drop):
            break
        if not len(known) or float((known @ vectors[n]).max()) < weights.repeat:
            picked.append(n)
    return sorted(_with_context(one.candidate, picked, limit))


def _with_context(candidate: Candidate, picked: Sequence[int], limit: int) -> list[int]:
    """A sentence that points back brings the one before it; where there is no room, in place of the least picked."""
    numbers = list(picked)
    for n in picked:
        if n in numbers and n > 0 and n - 1 not in numbers and cues.points_back(candidate.sentence(n)):
            if len(numbers) >= limit and numbers[-1] != n:
                numbers.pop()
            if len(numbers) < limit:
                numbers.append(n - 1)
    return numbers
