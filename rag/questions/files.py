"""A file of questions, whatever its format, as questions ready to be asked."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from rag.errors import InputError
from rag.questions.delimited import delimited, is_table
from rag.questions.identity import refuse_doubles, with_ids
from rag.questions.plain import lines, paragraphs
from rag.questions.records import json_lines, json_list
from rag.questions.row import Row, question_of
from rag.questions.workbook import WORKBOOK_MARK, workbook
from rag.types import Filters, Question

Reader = Callable[[str, str], Iterator[Row]]
"""From a text and the name of its file to rows."""
_OLD_WORKBOOK_MARK = b"\xd0\xcf\x11\xe0"


def read_questions(
    path: str, filters: Filters = Filters(), *, column: str | None = None, blocks: bool = False
) -> list[Question]:
    """The questions of a `.txt`, `.csv`, `.tsv`, `.xlsx`, `.jsonl` or `.json` file, or of standard input (`-`).

    `column` names the column or key of the questions (default: `question`, in any case); `blocks` takes plain text as
    questions separated by blank lines instead of one a line. A row without filters of its own gets `filters`. Raises
    InputError, naming file and line: for a row that cannot be asked, and for a given id that stands twice.
    """
    placed = [(row.where, question_of(row)) for row in _rows(path, _data(path), column, blocks)]
    if not placed:
        raise InputError(f"{path} holds no questions.", "Write one a line, or a column or key named question.")
    refuse_doubles(placed)
    return with_ids(q if q.filters else replace(q, filters=filters) for _, q in placed)


def _data(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Name a file of questions.") from None


def _rows(path: str, data: bytes, column: str | None, blocks: bool) -> Iterator[Row]:
    if data.startswith(WORKBOOK_MARK):
        return workbook(data, path, column)
    if data.startswith(_OLD_WORKBOOK_MARK):
        raise InputError(f"{path} is a workbook of an old format.", "Save it as .xlsx or .csv.")
    text = _text(path, data)
    plain: Reader = paragraphs if blocks else lines
    readers: dict[str, Reader] = {
        ".jsonl": partial(json_lines, column=column),
        ".json": partial(json_list, column=column),
        ".csv": partial(delimited, column=column),
        ".tsv": partial(delimited, column=column),
        ".txt": plain,
    }
    reader = readers.get(Path(path).suffix.lower()) or (plain if blocks else readers[_kind(text, column)])
    return reader(text, path)


def _text(path: str, data: bytes) -> str:
    from rag.text.encoding import encoding_of

    encoding = encoding_of(io.BytesIO(data))
    if encoding is None:
        raise InputError(f"{path} is not text.", "Name a .txt, .csv, .tsv, .xlsx, .jsonl or .json file.")
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _kind(text: str, column: str | None) -> str:
    """The format of a text without a name that says it."""
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return ".jsonl" if begin == "{" else ".json"
    return ".csv" if is_table(text, column) else ".txt"
