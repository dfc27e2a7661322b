"""Tables as pandas writes them to JSON: by columns (its default), or names and rows apart."""

from __future__ import annotations

from typing import Any

from ingest.parsing.fields import has, known


def rows_of(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of a table that one object holds; None for another object."""
    return _split(value) or _by_columns(value)


def _by_columns(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`{"title": {"0": ..., "1": ...}, "abstract": {"0": ...}}`: an index under each name of a part."""
    columns = {name: column for name, column in value.items() if isinstance(column, dict)}
    first = next(iter(columns.values()), {})
    if len(columns) < len(value) or not has("abstract", columns) or not all(map(_is_index, first)):
        return None
    if any(column.keys() != first.keys() for column in columns.values()):
        return None
    return [{name: column[row] for name, column in columns.items()} for row in first]


def _is_index(name: str) -> bool:
    return name.isdigit()


def _split(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`{"columns": [...], "index": [...], "data": [[...], ...]}`."""
    names, rows = value.get("columns"), value.get("data")
    if not isinstance(names, list) or not isinstance(rows, list) or not known(map(str, names)):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows]
