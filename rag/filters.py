"""Filters -> the abstracts that pass, decided in the catalogue before anything is ranked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rag.catalogue import Catalogue
from rag.errors import SettingsError
from rag.types import Filters

_RANGE = re.compile(r"(\d{1,4})?\s*[-–:]\s*(\d{1,4})?|(\d{1,4})")
_FIELDS = ("author", "source", "keyword", "id")


def year_range(text: str) -> tuple[int, int]:
    """First and last year of `2019-2023`, `2019-`, `-2023` or `2021`; raises SettingsError."""
    match = _RANGE.fullmatch(text.strip())
    if not match or not any(match.groups()):
        raise SettingsError(
            f"The year filter {text!r} is not a year or a range.", "Write 2021, 2019-2023, 2019- or -2023."
        )
    first, last, only = match.groups()
    low, high = int(only or first or 0), int(only or last or 9999)
    if low > high:
        raise SettingsError(f"The year filter {text!r} ends before it begins.", f"Write {high}-{low}.")
    return low, high


def parse(fields: Mapping[str, Any] | None) -> Filters:
    """Filters from JSON (`{"year": "2019-2023", "author": ["Li"]}`; a single value may stand without a list)."""
    fields = fields or {}
    unknown = sorted(set(fields) - {"year", *_FIELDS})
    if unknown:
        raise SettingsError(f"Unknown filter {', '.join(unknown)}.", "Known are year, author, source, keyword, id.")
    year = fields.get("year")
    if year not in (None, ""):
        year_range(str(year))
    values = {name: _values(fields.get(name)) for name in _FIELDS}
    return Filters(year=str(year) if year not in (None, "") else None, **values)


def _values(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(str(v) for v in value) if isinstance(value, list | tuple) else (str(value),)


def allowed(catalogue: Catalogue, filters: Filters) -> list[str] | None:
    """Ids of the abstracts that pass, in the order of storing; None where nothing is filtered.

    A field with several values passes an abstract that fits any of them. An author or a source fits by a part of
    its name, a keyword as a whole, an id by any alias; case plays no part.
    """
    if not filters:
        return None
    tests: list[str] = []
    values: list[str | int] = []
    if filters.year:
        tests.append("year BETWEEN ? AND ?")
        values += list(year_range(filters.year))
    for name, test in _TESTS.items():
        wanted: Sequence[str] = getattr(filters, name)
        if wanted:
            tests.append("(" + " OR ".join([test] * len(wanted)) + ")")
            values += [value.casefold() if name != "id" else value for value in wanted]
    query = f"SELECT id FROM abstract WHERE {' AND '.join(tests)} ORDER BY key"  # noqa: S608 - own text, values bound
    connection = catalogue.connection
    connection.create_function("casefold", 1, lambda text: text.casefold() if text else "", deterministic=True)
    return [row[0] for row in connection.execute(query, values)]


_TESTS = {
    "author": "EXISTS (SELECT 1 FROM json_each(authors) WHERE instr(casefold(value), ?))",
    "source": "EXISTS (SELECT 1 FROM source AS s WHERE s.abstract = abstract.key AND instr(casefold(s.place), ?))",
    "keyword": "EXISTS (SELECT 1 FROM json_each(keywords) WHERE casefold(value) = ?)",
    "id": "? IN (SELECT id UNION SELECT alias FROM alias WHERE alias.abstract = abstract.key)",
}
