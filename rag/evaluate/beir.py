"""Folders in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/*.tsv."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from rag.errors import InputError
from rag.questions.records import json_lines
from rag.questions.row import Row

SPLITS = ("test.tsv", "dev.tsv", "train.tsv")


def beir_rows(folder: Path) -> Iterator[Row]:
    """A row for each query with a relevant document (score above 0): the others cannot be scored.

    Judgements are those of the test split where there are several. Raises InputError, naming file and line.
    """
    grades = _grades(_judgements(folder))
    path = folder / "queries.jsonl"
    for where, fields in json_lines(_read(path), str(path), None):
        identity = str(fields.get("_id", fields.get("id", "")))
        if identity in grades:
            judged = grades[identity]
            question = fields.get("text", fields.get("question"))
            yield Row(where, {"id": identity, "question": question, "gold": list(judged), "grades": judged})


def _judgements(folder: Path) -> Path:
    for path in (*(folder / "qrels" / name for name in SPLITS), folder / "qrels.tsv"):
        if path.is_file():
            return path
    raise InputError(f"{folder} has neither qrels/test.tsv nor qrels.tsv.", "Name a folder in the layout of BEIR.")


def _grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    rows = csv.reader(_read(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    for number, cells in enumerate(rows, 1):
        try:
            query, document, grade = cells
            score = int(grade)
        except ValueError:
            if number == 1 or not cells:  # the header
                continue
            raise InputError(f"{path}:{number} is no judgement.", "Write query-id, corpus-id, score.") from None
        if score > 0:
            grades.setdefault(query, {})[document] = score
    return grades


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Name a folder in the layout of BEIR.") from None
