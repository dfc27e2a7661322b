"""The header of a table of questions: which column holds them, and what the others are called."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import InputError


def named(header: Sequence[str], path: str, column: str | None) -> list[str]:
    """Names for the columns, in order: `question` and `id` for those two, others as they are, empty where unnamed.

    A name that stands twice gets a number. Raises InputError where no column holds questions.
    """
    names = [name.strip("\ufeff \t\r\n\xa0") for name in header]
    at = position(names, column)
    if at is None:
        found = ", ".join(filter(None, names)) or "none"
        wanted = column or "question"
        raise InputError(
            f"{path} has no column named {wanted} (it has {found}).", "Name the column question, or give --column NAME."
        )
    return _told_apart(["question" if n == at else _own(name) for n, name in enumerate(names)])


def position(header: Sequence[str], column: str | None) -> int | None:
    """Where the column of questions is, None where there is none; a name written alike goes before others."""
    names = [name.strip("\ufeff \t\r\n\xa0") for name in header]
    wanted = column or "question"
    if wanted in names:
        return names.index(wanted)
    folded = [name.casefold() for name in names]
    return folded.index(wanted.casefold()) if wanted.casefold() in folded else None


def _own(name: str) -> str:
    if name.casefold() == "id":
        return "id"
    return "question (2)" if name == "question" else name


def _told_apart(names: Sequence[str]) -> list[str]:
    apart: list[str] = []
    for name in names:
        number, unique = 1, name
        while unique and unique in apart:
            number += 1
            unique = f"{name} ({number})"
        apart.append(unique)
    return apart
