"""One row of a file as a question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag import filters as filtering
from rag.errors import InputError, SettingsError
from rag.types import Filters, Question, Turn

_OWN = ("id", "question", "history", "filters", "top_k")


class Row(NamedTuple):
    """What a file says about one question, and where: `file:line`."""

    where: str
    fields: Mapping[str, Any]


def question_of(row: Row) -> Question:
    """The question, its id empty where none is given; raises InputError with the row's place."""
    where, fields = row
    text = fields.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where} has no question.", "Fill it in or remove the line.")
    given, top_k = fields.get("id"), fields.get("top_k")
    return Question(
        text=text.strip(),
        id="" if given is None else str(given).strip(),
        history=_history(fields.get("history"), where),
        filters=_filters(fields.get("filters"), where),
        top_k=None if top_k in (None, "") else _positive(top_k, where),
        input={name: value for name, value in fields.items() if name not in _OWN},
    )


def _filters(value: Any, where: str) -> Filters:
    try:
        return filtering.parse(_object(value, where))
    except SettingsError as error:
        raise InputError(f"{where}: {error.message}", error.fix) from None


def _object(value: Any, where: str) -> Mapping[str, Any] | None:
    if value in (None, ""):
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, dict):
        raise InputError(f"{where}: filters is no JSON object.", 'Write {"year": "2019-2023"}.')
    return value


def _positive(value: Any, where: str) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise InputError(f"{where}: top_k is {value!r}.", "Write a whole number from 1.")
    return number


def _history(value: Any, where: str) -> tuple[Turn, ...]:
    if value in (None, "", []):
        return ()
    try:
        turns = json.loads(value) if isinstance(value, str) else value
        return tuple(_turn(turn) for turn in turns)
    except (ValueError, TypeError, KeyError):
        fix = 'Write [{"role": "user" or "assistant", "content": "..."}].'
        raise InputError(f"{where}: history is no list of turns.", fix) from None


def _turn(turn: Mapping[str, Any]) -> Turn:
    role, content = turn["role"], turn["content"]
    if role not in ("user", "assistant") or not isinstance(content, str):
        raise ValueError(role)
    return Turn(role, content)
