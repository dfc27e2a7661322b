"""JSON: an object a line, or one list of objects or strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.errors import InputError
from rag.questions.row import Row

_SPACE = re.compile(r"\s*")


def json_lines(text: str, path: str, column: str | None) -> Iterator[Row]:
    """A row for each line that is not blank; evaluation cases are such lines too."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where} is not JSON: {error}.", "Mend the line.") from None
        yield Row(where, _fields(value, where, column))


def json_list(text: str, path: str, column: str | None) -> Iterator[Row]:
    """A row for each item of the list; a string is a question."""
    for line, value in _items(text, path):
        where = f"{path}:{line}"
        yield Row(where, {"question": value} if isinstance(value, str) else _fields(value, where, column))


def _items(text: str, path: str) -> Iterator[tuple[int, Any]]:
    """The items of a JSON list, each with the line it begins on."""
    decoder = json.JSONDecoder()
    position = _after_space(text, 0)
    if text[position : position + 1] != "[":
        raise InputError(f"{path} is not a JSON list.", 'Write [{"question": "..."}, ...].')
    try:
        position = _after_space(text, position + 1)
        while text[position : position + 1] != "]":
            value, end = decoder.raw_decode(text, position)
            yield text.count("\n", 0, position) + 1, value
            position = _after_space(text, end)
            if text[position : position + 1] == ",":
                position = _after_space(text, position + 1)
            elif text[position : position + 1] != "]":
                raise json.JSONDecodeError("Expecting ',' or ']'", text, position)
    except (ValueError, RecursionError) as error:
        line = text.count("\n", 0, position) + 1
        raise InputError(f"{path}:{line} is not JSON: {error}.", "Mend the list.") from None


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _fields(value: Any, where: str, column: str | None) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where} is not a JSON object.", 'Write {"question": "..."}.')
    if column is None or column == "question":
        return value
    if column not in value:
        raise InputError(f"{where} has no {column}.", "Fill it in, or name another --column.")
    return {**{name: own for name, own in value.items() if name != column}, "question": value[column]}
