"""A request -> the abstracts that fit it, decided in the catalogue alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from rag.catalogue import Catalogue
from rag.counting.request import Request
from rag.filters import allowed
from rag.ranking.lexical import match_expression, terms
from rag.types import Filters


@dataclass(frozen=True, slots=True)
class Counted:
    """`ids` fit `words` (all of them, in any inflection) and `filters`: the newest first, those without a year last.

    `years` counts them by year. `without_year` and `without_authors` are how many more would fit if their year or
    their authors, which are asked for and not known, did.
    """

    words: tuple[str, ...]
    filters: Filters
    ids: tuple[str, ...]
    years: dict[int | None, int]
    without_year: int = 0
    without_authors: int = 0


def count(catalogue: Catalogue, request: Request, topic: str, filters: Filters) -> Counted:
    """What fits a request within `filters`; `topic` is the request's, its misspelt words mended."""
    words = tuple(terms(topic)) if topic else ()
    found = _fitting(catalogue, words, request.filters, filters)
    ids = [identity for identity, _ in found]
    return Counted(
        words,
        _both(request.filters, filters),
        tuple(ids),
        dict(Counter(year for _, year in found)),
        _unknown(catalogue, request, words, filters, "year"),
        _unknown(catalogue, request, words, filters, "author"),
    )


def _fitting(
    catalogue: Catalogue, words: tuple[str, ...], *filters: Filters, test: str = "1"
) -> list[tuple[str, int | None]]:
    """(id, year) of the abstracts that hold all words, pass every filter and an SQL `test` of this module."""
    query = f"SELECT id, year FROM abstract WHERE {test}"  # noqa: S608 - own text, values bound
    values = []
    if words:
        query += " AND key IN (SELECT rowid FROM lexical WHERE lexical MATCH ?)"
        values = [" AND ".join(match_expression([word]) for word in words)]
    rows = catalogue.connection.execute(f"{query} ORDER BY year IS NULL, year DESC, key", values).fetchall()
    for each in filters:
        if (passing := allowed(catalogue, each)) is not None:
            kept = set(passing)
            rows = [row for row in rows if row[0] in kept]
    return rows


def _unknown(catalogue: Catalogue, request: Request, words: tuple[str, ...], filters: Filters, name: str) -> int:
    """How many fit all but the condition `name`, year or author, which their record does not tell."""
    if not getattr(_both(request.filters, filters), name):
        return 0
    asked = (request.filters, filters)
    if name == "year":
        return len(_fitting(catalogue, words, *(replace(each, year=None) for each in asked), test="year IS NULL"))
    rest = [replace(each, author=()) for each in asked]
    return len(_fitting(catalogue, words, *rest, test="json_array_length(authors) = 0"))


def _both(asked: Filters, given: Filters) -> Filters:
    """What is said about both: the request's own conditions, else those given beside the question."""
    return Filters(
        asked.year or given.year,
        asked.author or given.author,
        asked.source or given.source,
        asked.keyword or given.keyword,
        asked.id or given.id,
    )
