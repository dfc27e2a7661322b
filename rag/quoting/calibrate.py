"""Measures, when an index is built, what its embedder's cosines mean on this shelf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.quoting.relevance import Signals
from rag.quoting.thresholds import Thresholds

Matrix = NDArray[np.float32]

NARROWEST = 0.02
"""Spread below which the scale would magnify noise: an embedder that gives every question the same cosine."""
LOWEST = 0.10
"""Share of held-out sentences that their own abstract may fail to reach the threshold, at most."""
HELD_OUT = 200
MEASURABLE = 20
"""Held-out sentences below which they are too few to measure with."""


class Embeds(Protocol):
    """The part of an embedder that is needed: texts to unit rows, (texts, dimensions)."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Vectors in the order of the texts."""


def off_topic_questions() -> list[str]:
    """Questions that no shelf of papers answers: of the household, sports, law and travel, and plain nonsense."""
    return (files("rag") / "data" / "offtopic.txt").read_text(encoding="utf-8").splitlines()


def calibrate(embedder: Embeds, sentences: Matrix, owners: Sequence[int], wholes: Matrix) -> Thresholds:
    """Thresholds for a shelf, from a sample of its abstracts (all of them up to a few thousand).

    `sentences`: vectors of the sentences, unit rows; `owners`: for each the number of its abstract; `wholes`: the
    vectors of the whole abstracts. Embeds the shipped questions, nothing else. Same input, same result.
    """
    defaults = Thresholds()
    if not len(sentences) or not len(wholes):
        return defaults
    vectors = embedder.embed(off_topic_questions())
    best_sentences, best_wholes = (sentences @ vectors.T).max(axis=0), (wholes @ vectors.T).max(axis=0)
    reached = [Signals(float(s), float(p)).likeness for s, p in zip(best_sentences, best_wholes, strict=True)]
    scale = replace(defaults, other_field=float(np.mean(reached)), spread=max(float(np.std(reached)), NARROWEST))
    own = _own_abstract_cosines(sentences, np.asarray(owners))
    if len(own) < MEASURABLE:
        return scale
    return replace(scale, relevance=min(scale.relevance, scale.scaled(float(np.quantile(own, LOWEST)))))


def _own_abstract_cosines(sentences: Matrix, owners: NDArray[np.int_]) -> NDArray[np.float64]:
    """For sentences held out, evenly spread: the cosine with the nearest other sentence of the same abstract."""
    step = max(1, len(sentences) // HELD_OUT)
    found = []
    for n in range(0, len(sentences), step):
        mates = np.flatnonzero(owners == owners[n])
        mates = mates[mates != n]
        if len(mates):
            found.append(float((sentences[mates] @ sentences[n]).max()))
    return np.array(found)
