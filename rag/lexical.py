"""Full-text search over the catalogue's FTS5 index."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rag.catalogue import Catalogue

WEIGHTS = (2.0, 1.0, 1.0)
"""bm25 weights of the columns title, text, keywords."""

# Function words of English questions: they match nearly every abstract and only cost time.
STOP_WORDS = frozenset(
    "a about all also an and any are as at be been being between but by can could did do does done for from had has "
    "have how i if in into is it its many may me more most much my no not of on one or other our out over s so some "
    "such t than that the their them then there these they this those to u up us use used using was we were what "
    "when where which while who whom whose why will with would you your".split()
)

_TERM = re.compile(r"\w+(?:[-^_.'’+/]\w+)*|[^\s\w]", re.UNICODE)
MAX_TERMS = 200


def terms(query: str) -> list[str]:
    """The query's distinct terms in order, lower case, stop words left out unless there is nothing else.

    A compound such as `IL-6` or `R^3` stays one term; a query of thousands of words is cut to MAX_TERMS.
    """
    found = list(dict.fromkeys(t.lower() for t in _TERM.findall(query.replace("\0", " ")) if t[0].isalnum()))
    content = [t for t in found if t not in STOP_WORDS]
    return (content or found)[:MAX_TERMS]


def match_expression(words: Sequence[str]) -> str:
    """An FTS5 expression that matches any of the words, each quoted so that no operator is read in it."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words)


def search(catalogue: Catalogue, query: str, limit: int, among: Sequence[str] | None = None) -> list[tuple[str, float]]:
    """Ids with their bm25 score (positive, higher is better), best first; ties in order of storing.

    Only abstracts whose passages are in the vector store; `among` restricts further, before the cut at `limit`.
    """
    words = terms(query)
    if not words:
        return []
    restriction = "" if among is None else "AND a.id IN (SELECT value FROM json_each(?)) "
    rows = catalogue.connection.execute(
        "SELECT a.id, -bm25(lexical, ?, ?, ?) AS score FROM lexical JOIN abstract AS a ON a.key = lexical.rowid "  # noqa: S608 - own text
        f"WHERE lexical MATCH ? AND a.stored = 1 {restriction}ORDER BY score DESC, lexical.rowid LIMIT ?",
        [*WEIGHTS, match_expression(words), *([] if among is None else [json.dumps(among)]), limit],
    )
    return [(identity, score) for identity, score in rows]


def document_frequency(catalogue: Catalogue, word: str) -> int:
    """Number of abstracts that hold a word, in any of its inflections."""
    query = "SELECT count(*) FROM lexical WHERE lexical MATCH ?"
    found: int = catalogue.connection.execute(query, (match_expression([word.replace("\0", " ")]),)).fetchone()[0]
    return found
