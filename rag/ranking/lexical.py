"""Scores of abstracts by the words of a question, over the catalogue's FTS5 index."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.catalogue import Catalogue
from rag.ranking.acronyms import long_forms, short_forms
from rag.text.names import names
from rag.text.terms import EMPTY_WORDS

WEIGHTS = (2.0, 1.0, 1.0)
"""bm25 weights of the columns title, text, keywords."""
RARITY = 0.35
"""Power of a term's inverse document frequency by which its bm25, which holds the first power, is multiplied."""
EXACT = 0.5
"""Weight of a name that stands in an abstract exactly as written in the question."""
ACRONYM = 0.3
"""Weight of an acronym's long form, and of a long form's acronym."""
MAX_TERMS = 200
KEPT_MATCHES = 4_000_000
"""Matches (of a term in an abstract) held in memory; each takes 12 bytes."""

_TERM = re.compile(r"\w+(?:[-^_.'’+/]\w+)*", re.UNICODE)

Scores = NDArray[np.float64]


def written(query: str) -> list[str]:
    """The query's distinct terms as written, in order. A compound such as `IL-6` or `R^3` is one term."""
    return list(dict.fromkeys(_TERM.findall(query.replace("\0", " "))))


def terms(query: str) -> list[str]:
    """The query's distinct terms in lower case, words without a topic left out unless there is nothing else.

    A query of thousands of words is cut to MAX_TERMS.
    """
    found = list(dict.fromkeys(term.lower() for term in written(query)))
    content = [term for term in found if term not in EMPTY_WORDS]
    return (content or found)[:MAX_TERMS]


def match_expression(words: Sequence[str]) -> str:
    """An FTS5 expression that matches any of the words, each quoted so that no operator is read in it."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


def document_frequency(catalogue: Catalogue, word: str) -> int:
    """Number of abstracts that hold a word, in any of its inflections."""
    query = "SELECT count(*) FROM lexical WHERE lexical MATCH ?"
    found: int = catalogue.connection.execute(query, (match_expression([word.replace("\0", " ")]),)).fetchone()[0]
    return found


class Matches(NamedTuple):
    """Where a term is found: numbers of abstracts, and the term's score in each."""

    abstracts: NDArray[np.int32]
    scores: Scores


class LexicalIndex:
    """Scores over a shelf as it stood when this was made: of the abstracts whose catalogue keys are `keys`, ascending.

    What was once looked up is kept: bm25() takes 2 to 4 µs a match, and a shelf's common terms recur. Usable from
    several threads.
    """

    def __init__(self, catalogue: Catalogue, keys: NDArray[np.int64]) -> None:
        self.catalogue = catalogue
        self._keys = keys
        self._kept: dict[tuple[str, bool], Matches] = {}
        self._room = KEPT_MATCHES
        self._lock = threading.Lock()

    def scores(self, query: str) -> Scores:
        """A score for each abstract, 0 where no term of the query is found.

        The sum over the query's terms of idf^RARITY * bm25, plus EXACT times that of the names it writes and ACRONYM
        times that of the counterparts of its acronyms and of the long forms it spells out.
        """
        total = np.zeros(len(self._keys))
        counterparts = [*long_forms(self.catalogue, written(query)), *short_forms(self.catalogue, query)]
        for term in terms(query):
            self._add(total, 1.0, self._term(term))
        for name in names(query)[:MAX_TERMS] if not query.isupper() else ():
            self._add(total, EXACT, self._name(name))
        for other in counterparts[:MAX_TERMS]:
            self._add(total, ACRONYM, self._term(other.lower()))
        return total

    def holds(self, word: str) -> bool:
        """Whether an abstract has a lower-case word, in any of its inflections; cheaper than its frequency."""
        kept = self._kept.get((word, False))
        if kept is not None:
            return len(kept.abstracts) > 0
        query = "SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT 1"
        return self.catalogue.connection.execute(query, (match_expression([word]),)).fetchone() is not None

    def frequency(self, word: str) -> int:
        """Number of abstracts that hold a lower-case word, in any of its inflections."""
        return len(self._term(word).abstracts)

    def _add(self, total: Scores, weight: float, found: Matches) -> None:
        if len(found.abstracts):
            rarity = inverse_document_frequency(len(found.abstracts), len(self._keys)) ** RARITY
            total[found.abstracts] += weight * rarity * found.scores

    def _term(self, term: str) -> Matches:
        return self._remembered((term, False), lambda: self._look_up(term))

    def _name(self, name: str) -> Matches:
        return self._remembered((name, True), lambda: self._look_up_name(name))

    def _remembered(self, key: tuple[str, bool], look_up: Callable[[], Matches]) -> Matches:
        found = self._kept.get(key)
        if found is None:
            found = look_up()
            with self._lock:
                if self._room < len(found.abstracts):
                    self._kept, self._room = {}, KEPT_MATCHES
                self._kept[key] = found
                self._room -= len(found.abstracts)
        return found

    def _look_up(self, term: str) -> Matches:
        query = "SELECT rowid, -bm25(lexical, ?, ?, ?) FROM lexical WHERE lexical MATCH ?"
        rows = self.catalogue.connection.execute(query, (*WEIGHTS, match_expression([term]))).fetchall()
        return self._matches([key for key, _ in rows], [score for _, score in rows])

    def _look_up_name(self, name: str) -> Matches:
        """Abstracts that hold the name in this very case; each scores its inverse document frequency."""
        query = (
            "SELECT rowid, coalesce(title, '') || ' ' || text FROM lexical "
            "WHERE lexical MATCH :match AND (instr(title, :name) OR instr(text, :name))"
        )
        rows = self.catalogue.connection.execute(query, {"match": match_expression([name]), "name": name})
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        keys = [key for key, text in rows if whole.search(text)]
        return self._matches(keys, [inverse_document_frequency(len(keys), len(self._keys))] * len(keys))

    def _matches(self, keys: Sequence[int], scores: Sequence[float]) -> Matches:
        found = np.asarray(keys, np.int64)
        places = np.searchsorted(self._keys, found)
        known = places < len(self._keys)
        known[known] = self._keys[places[known]] == found[known]
        return Matches(places[known].astype(np.int32), np.asarray(scores, np.float64)[known])


def inverse_document_frequency(frequency: int, abstracts: int) -> float:
    """As FTS5's bm25 has it: ln((N - n + 0.5) / (n + 0.5)), at least 1e-6."""
    ratio = (abstracts - frequency + 0.5) / (frequency + 0.5)
    return max(float(np.log(ratio)) if ratio > 0 else 0.0, 1e-6)
