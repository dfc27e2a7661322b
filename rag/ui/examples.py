"""Questions to begin with, which this shelf can answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from rag.catalogue import Catalogue
from rag.types import Abstract

CASES = Path(__file__).resolve().parent.parent.parent / "examples" / "questions.jsonl"
"""Evaluation cases of the sample shelf."""

_LOOKED_AT = 200
_NAMED_THING = re.compile(
    r"\b(?:[Ww]e|[Pp]aper|[Ww]ork|[Ss]tudy)\b[^.]{0,30}?\b(?:introduces?|presents?|proposes?|develops?|describes?)\s+"
    r"(?:(?:a|an|the|our)\s+)?(?P<name>[A-Z][A-Za-z0-9]*[A-Z][\w-]*)"
)
_WHOLE_TITLE = 90


def examples(catalogue: Catalogue, count: int = 4, cases: Path = CASES) -> list[str]:
    """Up to `count` questions: those of the file whose papers are all on the shelf, else ones made from the shelf."""
    from_file = [question for question, gold in _cases(cases) if all(catalogue.find(name) for name in gold)]
    if len(from_file) >= count:
        return [from_file[number * len(from_file) // count] for number in range(count)]
    ids = catalogue.ids()[:_LOOKED_AT]
    return _first(_about(catalogue.many(ids)[identity] for identity in ids), count)


def _cases(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Question and gold papers of the answerable cases that need no turn before them."""
    if path.is_file():
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if row.get("gold") and not row.get("history"):
                yield row["question"], row["gold"]


def _about(abstracts: Iterable[Abstract]) -> Iterator[str]:
    for abstract in abstracts:
        named = _NAMED_THING.search(abstract.text)
        if named:
            yield f"What is {named['name']}, and how well does it work?"
        elif abstract.title and len(abstract.title) <= _WHOLE_TITLE:
            yield f"What does “{abstract.title.rstrip('.')}” report?"


def _first(questions: Iterator[str], count: int) -> list[str]:
    """The first different ones."""
    found: dict[str, None] = {}
    while len(found) < count and (question := next(questions, None)) is not None:
        found[question] = None
    return list(found)
