"""Files of cases: JSON Lines of our own, tables of questions and answers, folders in the layout of BEIR."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag.errors import InputError
from rag.evaluate.beir import beir_rows
from rag.evaluate.case import OTHER, Case
from rag.evaluate.faults import CasesError, Fault
from rag.evaluate.table import table_rows
from rag.questions.identity import with_ids
from rag.questions.records import json_lines
from rag.questions.row import Row, question_of
from rag.types import Abstract

LISTS = ("gold", "facts", "quote", "wrong")


def read_cases(path: Path) -> list[Case]:
    """The cases of a `.jsonl` file, of a `.csv` or `.tsv` table, or of a folder with corpus, queries and qrels.

    Raises CasesError with every line that cannot be a case, and every id that stands twice; InputError where there is
    nothing to read.
    """
    cases: list[Case] = []
    faults: list[Fault] = []
    for row in _rows(path):
        try:
            cases.append(case_of(row))
        except InputError as error:
            faults.append(Fault(row.where, error.message.removeprefix(row.where).lstrip(": ").rstrip(".")))
    faults += _doubles(cases)
    if faults:
        raise CasesError(faults)
    if not cases:
        raise InputError(f"{path} holds no cases.", 'Write {"question": "...", "gold": ["..."]}, one a line.')
    questions = with_ids(case.question for case in cases)
    return [replace(case, question=question) for case, question in zip(cases, questions, strict=True)]


def case_of(row: Row) -> Case:
    """The case of a row; raises InputError with its place."""
    fields = row.fields
    question = question_of(row)
    kind, answer = fields.get("type"), fields.get("answer")
    if not (kind is None or isinstance(kind, str)) or not (answer is None or isinstance(answer, str)):
        raise InputError(f"{row.where}: type and answer are texts.", "Mend the line.")
    gold, facts, quote, wrong = (_texts(fields, name, row.where) for name in LISTS)
    grades, draft = _grades(fields.get("grades"), row.where), fields.get("draft") is True
    return Case(question, kind or OTHER, gold, answer or None, facts, quote, grades, row.where, draft, wrong)


def checked(
    cases: Sequence[Case], shelf: Mapping[str, Abstract | None], *, keep_missing: bool = False
) -> tuple[Case, ...]:
    """The cases with the ids of the shelf as gold.

    `shelf` has an abstract, or None, for every name in the cases' gold. Raises CasesError for gold that is not there
    (with `keep_missing` it stays, and is never found) and for quotes that are in none of the gold abstracts.
    """
    faults = [fault for case in cases for fault in _faults(case, shelf) if not (keep_missing and fault.missing)]
    if faults:
        raise CasesError(faults)
    return tuple(_resolved(case, shelf) for case in cases)


def _rows(path: Path) -> Iterable[Row]:
    if path.is_dir():
        return beir_rows(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Name a file of cases.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8.", "Save it as UTF-8.") from None
    if path.suffix.lower() in (".csv", ".tsv"):
        return table_rows(text, str(path))
    return json_lines(text, str(path), None)


def _doubles(cases: Iterable[Case]) -> Iterator[Fault]:
    first: dict[str, str] = {}
    for case in cases:
        if case.id and case.id in first:
            yield Fault(case.where, f"the id {case.id} stands already at {first[case.id]}")
        first.setdefault(case.id, case.where)


def _texts(fields: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = fields.get(name) or []
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise InputError(f"{where}: {name} is no list of texts.", f'Write "{name}": ["..."].')
    return tuple(dict.fromkeys(texts))


def _grades(value: Any, where: str) -> dict[str, int]:
    grades = value or {}
    if not isinstance(grades, dict) or not all(type(grade) is int and grade > 0 for grade in grades.values()):
        raise InputError(f"{where}: grades are no whole numbers above 0 by id.", 'Write "grades": {"doi:...": 2}.')
    return grades


def _faults(case: Case, shelf: Mapping[str, Abstract | None]) -> Iterator[Fault]:
    known = [abstract for name in case.gold if (abstract := shelf[name]) is not None]
    for name in case.gold:
        if shelf[name] is None:
            yield Fault(case.where, f"the gold abstract {name} is not on the shelf", missing=True)
    if len(known) == len(case.gold):
        for quote in case.quote:
            if not any(_quotes(abstract, quote) for abstract in known):
                yield Fault(case.where, f"no gold abstract holds the quote {json.dumps(quote, ensure_ascii=False)}")


def _quotes(abstract: Abstract, quote: str) -> bool:
    words = " ".join(quote.split())
    return any(words in " ".join(text.split()) for text in (abstract.text, abstract.raw))


def _resolved(case: Case, shelf: Mapping[str, Abstract | None]) -> Case:
    """Several names may be of one abstract; the highest of their grades counts."""
    gold: dict[str, int] = {}
    for name in case.gold:
        abstract = shelf[name]
        identity = abstract.id if abstract is not None else name
        gold[identity] = max(gold.get(identity, 0), case.grades.get(name, 1))
    return replace(case, gold=tuple(gold), grades=gold if case.grades else {})
