"""Files of questions -> Question values with identities that do not depend on position."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag import filters as filtering
from rag.errors import InputError
from rag.types import Filters, Question, Turn, sha12

_OWN = ("id", "question", "history", "filters", "top_k")

Row = tuple[int, Mapping[str, Any]]


def read_questions(path: str, filters: Filters = Filters()) -> list[Question]:
    """The questions of a `.txt` (one a line, `#` comments), `.csv`/`.tsv` (column `question`) or `.jsonl` file, or `-`.

    Raises InputError, naming file and line, before anything is asked: for a row without a question, and for a given
    id that stands twice. A row without filters of its own gets `filters`.
    """
    text = _text(path)
    placed = [(f"{path}:{line}", _question(row, f"{path}:{line}")) for line, row in _reader(path)(text, path)]
    if not placed:
        raise InputError(f"{path} holds no questions.", "Write one a line, or a column or key named question.")
    _refuse_doubles(placed)
    return list(_with_ids(q if q.filters else replace(q, filters=filters) for _, q in placed))


def question_id(question: Question) -> str:
    """`q-` and 12 hex digits over the question's words, with history and filters where there are any."""
    words = " ".join(question.text.split())
    if question.history or question.filters:
        context = {"history": [[t.role, t.content] for t in question.history], "filters": question.filters.to_dict()}
        words += "\n" + json.dumps(context, ensure_ascii=False, sort_keys=True)
    return f"q-{sha12(words)}"


def _text(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Name a file of questions.") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line} is not {encoding} text.", "Save the file as UTF-8.") from None


def _reader(path: str) -> Any:
    suffix = Path(path).suffix.lower()
    return {".jsonl": _json_lines, ".csv": _delimited, ".tsv": _delimited}.get(suffix, _plain)


def _plain(text: str, _: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, {"question": line.strip()}


def _json_lines(text: str, path: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number} is not JSON: {error}.", "Mend the line.") from None
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number} is not a JSON object.", 'Write {"question": "..."}.')
        yield number, row


def _delimited(text: str, path: str) -> Iterator[Row]:
    delimiter = "\t" if path.lower().endswith(".tsv") else _delimiter(text)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [name for name in reader.fieldnames or [] if name]
    column = next((name for name in names if name.strip().casefold() == "question"), None)
    if column is None:
        found = ", ".join(names) or "none"
        raise InputError(f"{path} has no column named question (it has {found}).", "Name the column question.")
    for row in reader:
        own = {name: value for name, value in row.items() if name and name != column}
        yield reader.line_num, {**own, "question": row[column]}


def _delimiter(text: str) -> str:
    header = text.partition("\n")[0]
    return max(",;\t", key=header.count)


def _question(row: Mapping[str, Any], where: str) -> Question:
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where} has no question.", "Fill it in or remove the line.")
    given = row.get("id")
    top_k = row.get("top_k")
    return Question(
        text=text.strip(),
        id="" if given in (None, "") else str(given),
        history=_history(row.get("history"), where),
        filters=filtering.parse(_object(row.get("filters"), where)),
        top_k=None if top_k in (None, "") else _positive(top_k, where),
        input={name: value for name, value in row.items() if name not in _OWN},
    )


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


def _refuse_doubles(placed: Iterable[tuple[str, Question]]) -> None:
    first: dict[str, str] = {}
    for place, question in placed:
        if question.id and question.id in first:
            raise InputError(
                f"{place}: the id {question.id} stands already at {first[question.id]}.", "Make it differ."
            )
        first[question.id] = place


def _with_ids(questions: Iterable[Question]) -> Iterator[Question]:
    times: dict[str, int] = {}
    for question in questions:
        identity = question.id or question_id(question)
        times[identity] = times.get(identity, 0) + 1
        yield replace(question, id=identity if times[identity] == 1 else f"{identity}-{times[identity]}")
