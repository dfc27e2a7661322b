"""Sentences taken apart once, so that each can be compared with many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from sys import intern
from typing import NamedTuple

from rag.text import names
from rag.text.words import REPORTING_WORDS, Word, acronym_key, compounds, is_acronym, letters, words
from rag.verification.numbers import Quantity, quantities
from rag.verification.polarity import Direction, directions, effects, negations

PREFIX = 5
"""Words whose stems share this many first letters are taken as forms of one word, at part credit."""
NGRAM = 4
READINGS = 256
"""Sentences whose readings are kept, some 40 KB each: those of some thirty abstracts."""
LEXICONS = 64
"""Abstracts whose joined look-ups are kept, some 50 KB each."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Everything a word, name, direction or number of a claim may be looked up in, of one sentence or of several."""

    stems: frozenset[str]
    compounds: frozenset[str]
    prefixes: frozenset[str]
    acronyms: frozenset[str]
    letters: str
    keys: frozenset[str]
    ngrams: frozenset[str]
    ways: frozenset[tuple[str, int]]
    quantities: tuple[Quantity, ...]

    @classmethod
    def union(cls, parts: Sequence[Lexicon]) -> Lexicon:
        """The look-ups of several sentences together."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            frozenset().union(*(p.stems for p in parts)),
            frozenset().union(*(p.compounds for p in parts)),
            frozenset().union(*(p.prefixes for p in parts)),
            frozenset().union(*(p.acronyms for p in parts)),
            " ".join(p.letters for p in parts),
            frozenset().union(*(p.keys for p in parts)),
            frozenset().union(*(p.ngrams for p in parts)),
            frozenset().union(*(p.ways for p in parts)),
            tuple(q for p in parts for q in p.quantities),
        )


class Sought(NamedTuple):
    """A content word of a claim as it is looked up in evidence; `prefix` and `acronym` are None where it has none."""

    position: int
    stem: str
    prefix: str | None
    acronym: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence: its words, the positions of those that carry meaning, and what it says."""

    words: tuple[Word, ...]
    stems: tuple[str, ...]
    content: tuple[int, ...]
    sought: tuple[Sought, ...]
    joined: tuple[str, ...]
    """Every two neighbouring words as one."""
    names: tuple[str, ...]
    directions: tuple[Direction, ...]
    effects: tuple[int, ...]
    negations: tuple[int, ...]
    lexicon: Lexicon


@lru_cache(maxsize=READINGS)
def read(text: str) -> Reading:
    """The reading of a sentence; the last READINGS are kept, for the same abstracts bear many answers."""
    sequence = words(text)
    pointing = tuple(directions(text, sequence))
    content = tuple(i for i, w in enumerate(sequence) if w.is_content and w.lower not in REPORTING_WORDS)
    return Reading(
        sequence,
        tuple(w.stem for w in sequence),
        content,
        tuple(_sought(i, sequence[i]) for i in content),
        tuple(first.lower + second.stem for first, second in pairwise(sequence)),
        names.names(text),
        pointing,
        effects(sequence),
        tuple(negations(sequence)),
        _lexicon(text, sequence, pointing),
    )


@lru_cache(maxsize=LEXICONS)
def read_all(texts: tuple[str, ...]) -> Lexicon:
    """The look-ups of all sentences of an abstract."""
    return Lexicon.union([read(text).lexicon for text in texts])


def _sought(position: int, word: Word) -> Sought:
    return Sought(
        position,
        word.stem,
        word.stem[:PREFIX] if len(word.stem) >= PREFIX else None,
        acronym_key(word.text) if is_acronym(word.text) else None,
    )


def _lexicon(text: str, sequence: tuple[Word, ...], pointing: tuple[Direction, ...]) -> Lexicon:
    squeezed = " ".join(w.lower for w in sequence)
    return Lexicon(
        frozenset(w.stem for w in sequence),
        frozenset(compounds(sequence)),
        frozenset(w.stem[:PREFIX] for w in sequence if len(w.stem) >= PREFIX),
        frozenset(acronym_key(w.text) for w in sequence if is_acronym(w.text)),
        letters(sequence),
        names.keys(sequence),
        frozenset(intern(squeezed[i : i + NGRAM]) for i in range(len(squeezed) - NGRAM + 1)),
        frozenset((d.axis, d.sign) for d in pointing),
        quantities(text),
    )
