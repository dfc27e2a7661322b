"""What can be measured between a claim and the sentences that should carry it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.text.names import mentioned
from rag.verification import alignment
from rag.verification.numbers import Quantity, stated
from rag.verification.opposition import opposes, other_counts
from rag.verification.reading import Lexicon, Reading, read, read_all

Floats = NDArray[np.floating]

VECTOR_SIGNALS = ("cosine", "second cosine", "cosine of best", "cosine of window", "cosine of all")
TEXT_SIGNALS = (
    "coverage by best", "coverage by window", "coverage by all", "a word is missing", "least covered word", "length",
    "has numbers", "digits missing in window", "digits missing", "number words missing",
    "number words missing in window", "all digits in best",
    "has names", "names missing in window", "names missing", "missing names",
    "directions agree", "directions conflict", "worst conflict", "directions absent", "conflicts",
    "directions agree in window", "directions conflict in window", "worst conflict in window",
    "directions absent in window", "conflicts in window", "lone directions",
    "parity", "parity of both", "claim alone denies", "evidence alone denies", "both deny", "opposite form",
    "disorder", "shared words", "sides of comparison", "names changed places",
    "n-grams in window", "n-grams in all", "longest run", "bigrams", "two sentences",
)  # fmt: skip

COVERAGE_WEIGHT, NUMBERS_WEIGHT = 0.6, 0.2
"""What a sentence's coverage of the claim's words and numbers count beside its cosine when the best one is chosen."""
SECOND_COSINE, SECOND_NUMBERS = 0.3, 0.3
LEAST_GAIN = 0.08
"""A second sentence is taken when it covers this share of the claim's words more, or another of its numbers."""


class Sentences(NamedTuple):
    """Text that may carry a claim: its sentences in order, and their unit vectors where an embedder gave them."""

    texts: tuple[str, ...]
    vectors: Floats | None

    @classmethod
    def together(cls, parts: Sequence[Sentences]) -> Sentences:
        """Several texts as one."""
        vectors = [part.vectors for part in parts if part.vectors is not None]
        joined = np.concatenate(vectors) if len(vectors) == len(parts) else None
        return cls(tuple(text for part in parts for text in part.texts), joined)


@dataclass(frozen=True, slots=True)
class Measured:
    """Signals in the order of their names, positions of the one or two sentences chosen, and what is stated nowhere.

    `opposed`: what was chosen says the opposite in almost the same words.
    """

    values: tuple[float, ...]
    chosen: tuple[int, ...]
    missing_numbers: tuple[str, ...]
    missing_names: tuple[str, ...]
    opposed: bool = False


def measure(claim: str, vector: Floats | None, evidence: Sentences) -> Measured:
    """Signals of a claim against at least one sentence; the vector signals are left out without vectors."""
    ours = read(claim)
    readings = [read(text) for text in evidence.texts]
    cosines = None if vector is None or evidence.vectors is None else evidence.vectors @ vector
    covered = _covered(ours, readings)
    chosen = _choose(ours, readings, covered, cosines)
    window = [readings[i] for i in chosen]
    within, anywhere = Lexicon.union([r.lexicon for r in window]), read_all(evidence.texts)
    values = [
        *_coverage_signals(ours, covered, chosen, anywhere),
        *_number_signals(ours, window[0].lexicon, within, anywhere),
        *_name_signals(ours, within, anywhere),
        *_polarity_signals(ours, window, anywhere),
        *_shape_signals(ours, window, within, anywhere),
    ]
    if cosines is not None and vector is not None and evidence.vectors is not None:
        values = [*_vector_signals(vector, evidence.vectors, cosines, chosen), *values]
    return Measured(
        tuple(float(v) for v in values),
        chosen,
        tuple(
            claim[q.start : q.end]
            for q in [*_unstated(_digits(ours), anywhere.quantities), *other_counts(ours, readings)]
        ),
        _unmentioned(ours, anywhere),
        opposes(ours, window),
    )


def lacks_number(claim: str, evidence: Sentences) -> bool:
    """Whether a number that the claim writes in digits is stated nowhere: one of `Measured.missing_numbers`."""
    digits = _digits(read(claim))
    return bool(digits and _unstated(digits, read_all(evidence.texts).quantities))


def _covered(claim: Reading, readings: Sequence[Reading]) -> Floats:
    """Credit of each sentence (row) for each content word of the claim (column)."""
    return np.array([alignment.word_credits(claim, r.lexicon) for r in readings], float).reshape(len(readings), -1)


def _choose(claim: Reading, readings: Sequence[Reading], covered: Floats, cosines: Floats | None) -> tuple[int, ...]:
    """The sentence that carries most of the claim, and a second one that adds to it."""
    n, words = len(readings), max(1, covered.shape[1])
    closeness = np.zeros(n) if cosines is None else cosines
    numbers = max(1, len(claim.lexicon.quantities))
    hits = np.array([[stated(q, r.lexicon.quantities) for q in claim.lexicon.quantities] for r in readings], float)
    hits = hits.reshape(n, -1)
    score = closeness + COVERAGE_WEIGHT * covered.sum(1) / words + NUMBERS_WEIGHT * hits.sum(1) / numbers
    best = int(score.argmax())
    more_words = (np.maximum(covered, covered[best]) - covered[best]).sum(1) / words
    more_numbers = (np.maximum(hits, hits[best]) - hits[best]).sum(1) / numbers
    gain = more_words + SECOND_NUMBERS * more_numbers + SECOND_COSINE * closeness
    gain[best] = -np.inf
    second = int(gain.argmax())
    if n > 1 and (more_words[second] > LEAST_GAIN or more_numbers[second] > 0):
        return best, second
    return (best,)


def _vector_signals(vector: Floats, vectors: Floats, cosines: Floats, chosen: tuple[int, ...]) -> list[float]:
    ranked = np.sort(cosines)[::-1]
    return [
        float(ranked[0]),
        float(ranked[min(1, len(ranked) - 1)]),
        float(cosines[chosen[0]]),
        _cosine(vectors[list(chosen)].sum(0), vector),
        _cosine(vectors.sum(0), vector),
    ]


def _cosine(total: Floats, vector: Floats) -> float:
    norm = float(np.linalg.norm(total))
    return float(total @ vector) / norm if norm else 0.0


def _coverage_signals(claim: Reading, covered: Floats, chosen: tuple[int, ...], anywhere: Lexicon) -> list[float]:
    words = max(1, covered.shape[1])
    within = covered[list(chosen)].max(0) if covered.size else np.zeros(0)
    overall = alignment.word_credits(claim, anywhere)
    return [
        covered[chosen[0]].sum() / words,
        within.sum() / words,
        sum(overall) / words,
        1 - min(overall, default=1.0),
        within.min() if within.size else 0.0,
        math.log1p(covered.shape[1]),
    ]


def _digits(claim: Reading) -> list[Quantity]:
    return [q for q in claim.lexicon.quantities if not q.worded]


def _unstated(claimed: Sequence[Quantity], evidence: Sequence[Quantity]) -> list[Quantity]:
    return [q for q in claimed if not stated(q, evidence)]


def _number_signals(claim: Reading, best: Lexicon, within: Lexicon, anywhere: Lexicon) -> list[float]:
    digits = _digits(claim)
    worded = [q for q in claim.lexicon.quantities if q.worded]
    return [
        bool(claim.lexicon.quantities),
        len(_unstated(digits, within.quantities)) / max(1, len(digits)),
        bool(_unstated(digits, anywhere.quantities)),
        len(_unstated(worded, anywhere.quantities)) / max(1, len(worded)),
        len(_unstated(worded, within.quantities)) / max(1, len(worded)),
        bool(digits) and not _unstated(digits, best.quantities),
    ]


def _unmentioned(claim: Reading, lexicon: Lexicon) -> tuple[str, ...]:
    return tuple(n for n in claim.names if not mentioned(n, lexicon.keys, lexicon.letters))


def _name_signals(claim: Reading, within: Lexicon, anywhere: Lexicon) -> list[float]:
    n, missing = max(1, len(claim.names)), len(_unmentioned(claim, anywhere))
    return [bool(claim.names), len(_unmentioned(claim, within)) / n, missing / n, min(missing, 3)]


def _polarity_signals(claim: Reading, window: Sequence[Reading], anywhere: Lexicon) -> list[float]:
    parity, both = alignment.parity(claim, window[0])
    return [
        *alignment.directions(claim, window[:1]),
        *alignment.directions(claim, window),
        alignment.lone_directions(claim, anywhere),
        parity,
        parity * both,
        *alignment.denial(claim, window),
        alignment.has_opposite_form(claim, window),
    ]


def _shape_signals(claim: Reading, window: Sequence[Reading], within: Lexicon, anywhere: Lexicon) -> list[float]:
    best = window[0]
    disorder, shared = alignment.disorder(claim, best)
    ngrams = claim.lexicon.ngrams
    ours = set(zip(claim.stems, claim.stems[1:], strict=False))
    theirs = set(zip(best.stems, best.stems[1:], strict=False))
    return [
        disorder,
        min(shared, 8) / 8,
        *alignment.sides(claim, best),
        len(ngrams & within.ngrams) / max(1, len(ngrams)),
        len(ngrams & anywhere.ngrams) / max(1, len(ngrams)),
        alignment.longest_run(claim.stems, best.stems) / max(1, len(claim.stems)),
        len(ours & theirs) / max(1, len(ours)),
        len(window) - 1,
    ]
