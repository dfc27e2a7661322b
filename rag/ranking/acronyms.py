"""Acronyms and what they stand for, learnt from the places where an abstract defines one: "Long Form (LF)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rag.catalogue import Catalogue

_DEFINED = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,9}?)s?\)")
_WORD = re.compile(r"[\w'-]+")
_REACH = 200
"""Characters before a definition in which its long form is looked for."""
LONGEST = 12
"""Words of a long form, at most."""
LONGEST_QUESTION = 40
"""Words of a question in which phrases are looked for: more phrases are too many for one statement in older SQLites."""
MEANINGS = 3
"""Meanings of one acronym that a search takes up: those given by most abstracts."""


class Definition(NamedTuple):
    """`short` as written, without a plural s; `long` in lower case, its words joined by single spaces."""

    short: str
    long: str


def definitions(text: str) -> Iterator[Definition]:
    """The acronyms a text defines, as often as it does.

    Letters of the acronym are matched backwards through the words before it; the first of them begins a word
    (Schwartz and Hearst, "A simple algorithm for identifying abbreviation definitions", PSB 2003).
    """
    for match in _DEFINED.finditer(text):
        short = match.group(1)
        if is_acronym(short):
            long = _long_form(short, text[max(0, match.start() - _REACH) : match.start()].rstrip())
            if long is not None:
                yield Definition(short, long)


def is_acronym(word: str) -> bool:
    """Whether a word has two capitals at least, as nearly every acronym has."""
    return sum(c.isupper() for c in word) >= 2


def _long_form(short: str, before: str) -> str | None:
    place = len(before)
    for n in range(len(short) - 1, -1, -1):
        if short[n].isalnum():
            found = _backwards(before, place, short[n].lower(), begins_word=n == 0)
            if found is None:
                return None
            place = found
    words = _WORD.findall(before[place:])
    if not 2 <= len(words) <= min(len(short) + 5, 2 * len(short), LONGEST) or short in before[place:]:
        return None
    return " ".join(words).lower()


def _backwards(text: str, end: int, letter: str, *, begins_word: bool) -> int | None:
    for place in range(end - 1, -1, -1):
        if text[place].lower() == letter and not (begins_word and place and text[place - 1].isalnum()):
            return place
    return None


def long_forms(catalogue: Catalogue, words: Iterable[str]) -> list[str]:
    """What the acronyms among the words of a question stand for, most usual meaning first."""
    query = "SELECT long FROM definition WHERE short = ? GROUP BY long ORDER BY count(*) DESC, long LIMIT ?"
    found = [
        long
        for short in dict.fromkeys(_singular(word) for word in words if is_acronym(word))
        for (long,) in catalogue.connection.execute(query, (short, MEANINGS))
    ]
    return list(dict.fromkeys(found))


def short_forms(catalogue: Catalogue, question: str) -> list[str]:
    """The acronyms of phrases in a question that some abstract defines; a plural of the last word is looked through."""
    words = _WORD.findall(question.lower())[:LONGEST_QUESTION]
    runs = [" ".join(words[a:b]) for a in range(len(words)) for b in range(a + 2, min(a + LONGEST, len(words)) + 1)]
    asked = list(dict.fromkeys([*runs, *(run[:-1] for run in runs if run.endswith("s"))]))
    marks = ",".join("?" * len(asked))
    query = f"SELECT DISTINCT short FROM definition WHERE long IN ({marks}) ORDER BY short"  # noqa: S608 - only marks
    rows = catalogue.connection.execute(query, asked)
    return [short for (short,) in rows]


def _singular(word: str) -> str:
    return word[:-1] if word[-1] == "s" and word[-2:-1].isupper() else word
