"""The words of a question that carry its meaning, each with its weight on this shelf."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from functools import lru_cache

from rag.text.names import names
from rag.text.words import FUNCTION_WORDS, REPORTING_WORDS, Word, words

# What people say around what they ask; on a shelf of papers these words tell nothing about the topic.
ASKING = frozenset(
    "actually anybody anyone article called collection ever explain give got happen happens just know let like make "
    "makes many mean means meant one people please possible question really researcher researchers somebody someone "
    "something stand stands still tell thing things today true u use used using want way ways whats work worked".split()
)
STEMS = 4096
"""Texts whose stems are kept: the sentences of some five hundred abstracts, about 1 KB each."""
EMPTY_WORDS = FUNCTION_WORDS | ASKING
"""What says nothing about the topic of a question. A search leaves these words out; what judges sentences leaves out
REPORTING_WORDS too, of which a search has some use (`claims`, `methods`)."""
_UNTELLING = EMPTY_WORDS | REPORTING_WORDS


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a shelf of `abstracts` papers knows: `frequency` gives the number of abstracts that hold a word."""

    abstracts: int
    frequency: Callable[[str], int]

    def weight(self, frequency: int) -> float:
        """Inverse document frequency in 0..1: 1 for a word no abstract holds, about 0 for one that all hold."""
        ceiling = math.log(2 * (self.abstracts + 1))
        return max(0.0, math.log((self.abstracts + 1) / (frequency + 0.5)) / ceiling)


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question. `known`: an abstract holds it; `name`: it belongs to a name (`BaRP`, `GPT-4`)."""

    text: str
    stem: str
    weight: float
    known: bool
    name: bool


def question_terms(question: str, vocabulary: Vocabulary) -> tuple[Term, ...]:
    """The question's content words, one per stem, in order; all of its words where there is nothing else."""
    written = words(question)
    named = _named_words(question)
    content = [w for w in written if w.text in named or w.lower not in _UNTELLING] or written
    found: dict[str, Word] = {}
    for word in content:
        found.setdefault(word.stem, word)
    return tuple(_term(word, vocabulary, name=word.text in named) for word in found.values())


def _term(word: Word, vocabulary: Vocabulary, *, name: bool) -> Term:
    frequency = vocabulary.frequency(word.lower)
    return Term(word.text, word.stem, vocabulary.weight(frequency), frequency > 0, name)


def _named_words(question: str) -> frozenset[str]:
    if question.isupper():  # shouting names nothing
        return frozenset()
    return frozenset(word.text for name in names(question) for word in words(name))


def content_words(text: str) -> list[str]:
    """The words of a text that carry meaning, as written, each once."""
    named = _named_words(text)
    return list(dict.fromkeys(w.text for w in words(text) if w.text in named or w.lower not in _UNTELLING))


@lru_cache(maxsize=STEMS)
def stems(text: str) -> frozenset[str]:
    """Stems of all words of a text; those of the last STEMS texts are kept."""
    return frozenset(word.stem for word in words(text))


def coverage(terms: Iterable[Term], held: Set[str]) -> float:
    """Share of the terms' weight that a text with the stems `held` has, 0..1; 0 for no terms."""
    every = list(terms)
    total = sum(t.weight for t in every)
    return sum(t.weight for t in every if t.stem in held) / total if total else 0.0


def is_slip(word: str, known: Iterable[str]) -> bool:
    """Whether a lower-case `word` may be a misspelling of one of `known`: same first letter, same letters in any order
    but for one missing and one added (one of both in words under six letters)."""
    if len(word) < 4 or not word.isalpha():
        return False
    letters, slips = Counter(word), 2 if len(word) > 5 else 1
    for other in known:
        if other[:1] == word[0] and len(other) > 3 and abs(len(other) - len(word)) <= 1:
            there = Counter(other)
            if (letters - there).total() + (there - letters).total() <= slips:
                return True
    return False
