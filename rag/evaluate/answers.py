"""Answers as they come from a file, made safe to be scored."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from rag.batch import read_answers
from rag.errors import InputError

Answers = dict[str, dict[str, Any]]


class _Hit(BaseModel):
    id: str


class _Citation(BaseModel):
    number: int
    id: str


class _Evidence(BaseModel):
    id: str
    start: int
    end: int
    quote: str


class _Sentence(BaseModel):
    text: str
    citations: list[int] | None = None
    evidence: list[_Evidence] | None = None


class _Shape(BaseModel):
    """As much of the answer contract as scoring takes for granted."""

    id: str
    status: str
    answer: str | None = None
    model: str | None = None
    hits: list[_Hit] | None = None
    citations: list[_Citation] | None = None
    sentences: list[_Sentence] | None = None
    usage: dict[str, float | None] | None = None
    seconds: dict[str, float | None] | None = None


def scorable_answers(path: Path) -> Answers:
    """Answers by id, the last line of an id counting; NaN and infinities are unknown.

    Raises InputError, naming file and id, for what has not the form of an answer.
    """
    try:
        found = read_answers(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Name the answers of a batch.") from None
    answers = {identity: {**_known(answer), "id": identity} for identity, answer in found.items()}
    for identity, answer in answers.items():
        _check(answer, f"{path}: the answer {identity}")
    return answers


def _known(value: Any) -> Any:
    """The value with None for each number that is none."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _known(one) for name, one in value.items()}
    return [_known(one) for one in value] if isinstance(value, list) else value


def _check(answer: Mapping[str, Any], where: str) -> None:
    try:
        _Shape.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{where} has not the form of an answer: {place}: {first['msg']}.", "See docs/commands.md."
        ) from None
