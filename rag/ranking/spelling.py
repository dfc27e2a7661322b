"""Questions in the spelling of the shelf: slips of the hand mended, compounds written as the abstracts write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.ranking.english import is_english
from rag.ranking.lexical import LexicalIndex, written
from rag.text.terms import EMPTY_WORDS
from rag.wordbook import plainly

SHORTEST = 5
"""Letters of a word that may be taken for a misspelt one: shorter ones resemble too many."""
LONG = 8
"""Letters from which a word may hold two slips; a shorter one may hold one."""
SHORTEST_COMPOUND = 3
"""Letters and digits by which a compound is known again."""
MOST_WORDS = 100
"""Words of a question that are looked at; a longer one is no typed question."""
NEAR = 20
"""Words of the shelf, nearest first, among which the most usual is chosen."""

_LETTERS = re.compile(r"[^\W\d_]+")


def mended(words: LexicalIndex, question: str) -> str:
    """The question with each word that no abstract holds replaced by what the shelf has for it, if it has anything.

    First a compound of the same letters and digits (`C2OT`, `C^2OT`); then, for a word without capitals inside that
    is no usual English word, the nearest word of the shelf by optimal string alignment distance (one for swapping two
    neighbours; van der Loo, "The stringdist package", R Journal 2014): one slip, two from LONG letters.
    """
    for wrong, right in _replacements(words, question):
        question = re.sub(rf"(?<!\w){re.escape(wrong)}(?!\w)", right, question)
    return question


def _replacements(words: LexicalIndex, question: str) -> Iterator[tuple[str, str]]:
    for term in written(question)[:MOST_WORDS]:
        lower = term.lower()
        if lower in EMPTY_WORDS or _is_written(words, lower):
            continue
        compound = None if words.holds(lower) else _same_letters(words, lower)
        if compound is not None:
            yield term, compound
            continue
        for word in _LETTERS.findall(term):
            nearest = _nearest(words, word.lower()) if _may_be_misspelt(words, word) else None
            if nearest is not None:
                yield word, nearest


def _is_written(words: LexicalIndex, word: str) -> bool:
    """Whether an abstract holds the word in this very inflection: `trainning` has the stem of `train`."""
    known = words.catalogue.connection.execute("SELECT 1 FROM word WHERE word = ?", (word,)).fetchone()
    return known is not None and words.holds(word)


def _may_be_misspelt(words: LexicalIndex, word: str) -> bool:
    lower = word.lower()
    if len(word) < SHORTEST or not word[1:].islower() or lower in EMPTY_WORDS:
        return False
    return not _is_written(words, lower) and not is_english(lower)


def _same_letters(words: LexicalIndex, term: str) -> str | None:
    plain = plainly(term)
    if len(plain) < SHORTEST_COMPOUND:
        return None
    query = "SELECT word FROM word WHERE plain = :plain OR word = :plain ORDER BY word"
    return _most_usual(words, [word for (word,) in words.catalogue.connection.execute(query, {"plain": plain})])


def _nearest(words: LexicalIndex, word: str) -> str | None:
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    slips = 1 if len(word) < LONG else 2
    # OSA counts two swapped letters as one slip, so the first letter may have come second.
    choices = [w for initial in sorted(set(word[:2])) for w in _starting(words, initial, len(word), slips)]
    near = extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=NEAR)
    order = sorted({(distance, choice[0] != word[0]) for choice, distance, _ in near})
    for rank in order:
        equals = sorted(choice for choice, distance, _ in near if (distance, choice[0] != word[0]) == rank)
        found = _most_usual(words, equals)
        if found is not None:
            return found
    return None


def _starting(words: LexicalIndex, initial: str, length: int, slips: int) -> list[str]:
    query = "SELECT word FROM word WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?"
    bounds = (initial, chr(ord(initial) + 1), length - slips, length + slips)
    return [word for (word,) in words.catalogue.connection.execute(query, bounds) if word.isalpha()]


def _most_usual(words: LexicalIndex, choices: list[str]) -> str | None:
    """The word that most abstracts hold, the first of equals; None where none holds any."""
    best = max(choices, key=words.frequency, default=None)
    return best if best is not None and words.holds(best) else None
