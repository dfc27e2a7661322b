"""The answer without a language model: sentences of the abstracts found, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag import cues
from rag.terms import Term, Vocabulary, coverage, question_terms, stems
from rag.types import Abstract, Hit, Span

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An abstract that may be quoted: its sentences and their vectors, (sentences, dimensions), unit rows."""

    hit: Hit
    spans: tuple[Span, ...]
    vectors: Vector

    def sentence(self, number: int) -> str:
        """The text of a sentence, 0-based."""
        start, end = self.spans[number]
        return self.hit.abstract.text[start:end]


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
    cue: float = 0.08
    name: float = 0.05
    gap: float = 1.5
    """How far, in fused score, an abstract may lie behind the best to be quoted as well..."""
    survey_gap: float = 3.0
    """... and for a question that compares or surveys."""
    drop: float = 0.4
    """How far a sentence may lie behind its abstract's best."""
    repeat: float = 0.92
    """Cosine from which two sentences say the same."""
    most: tuple[int, ...] = (4, 3, 2, 2, 2)
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

    `candidates` come best first; `vector` is the question's. Never a sentence twice, nor two that say the same.
    """
    terms = question_terms(question, vocabulary)
    wanted = cues.wanted(question)
    able = [c for c in candidates if c.spans]
    chosen = abstracts_needed(able, terms, wanted, weights)
    limit = weights.most[len(chosen) - 1] if chosen else 0
    quotes: list[Quote] = []
    said = np.zeros((0, vector.shape[0]), np.float32)
    for candidate in chosen:
        values = sentence_values(candidate, vector, terms, wanted, weights)
        numbers = _pick(candidate, values, limit, said, weights)
        said = np.vstack([said, candidate.vectors[numbers]])
        quotes += [Quote(candidate.hit.abstract, candidate.spans[n], float(values[n])) for n in numbers]
    return quotes


def abstracts_needed(
    candidates: Sequence[Candidate], terms: Sequence[Term], wanted: cues.Wanted, weights: Weights
) -> list[Candidate]:
    """The best abstract, those hardly behind it, and the best for each name of the question not met so far."""
    if not candidates:
        return []
    gap = weights.survey_gap if wanted.survey else weights.gap
    best = candidates[0].hit.score
    unmet = {t.stem for t in terms if t.name and t.known}
    chosen: list[Candidate] = []
    for candidate in candidates:
        met = unmet & stems(candidate.hit.abstract.text)
        if not chosen or best - candidate.hit.score <= gap or met:
            chosen.append(candidate)
            unmet -= met
    return chosen[: len(weights.most)]


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
    if wanted.method and cues.is_proposal(sentence):
        value += weights.cue
    if not wanted.method and cues.is_finding(sentence):
        value += weights.cue / 2
    if any(t.name and t.stem in words for t in terms):
        value += weights.name
    return value


def _pick(candidate: Candidate, values: NDArray[np.float64], limit: int, said: Vector, weights: Weights) -> list[int]:
    """Numbers of the sentences to quote, in the abstract's order."""
    picked: list[int] = []
    floor = values.max() - weights.drop
    for n in np.argsort(-values, kind="stable"):
        known = np.vstack([said, candidate.vectors[picked]])
        if len(picked) >= limit or (picked and values[n] < floor):
            break
        if len(known) and float((known @ candidate.vectors[n]).max()) >= weights.repeat:
            continue
        picked.append(int(n))
    return sorted(_with_context(candidate, picked, limit))


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
