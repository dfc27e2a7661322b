"""Identities of questions: given ones as they are, else from what is asked. Position plays no part."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from rag.errors import InputError
from rag.types import Question, sha12


def question_id(question: Question) -> str:
    """`q-` and 12 hex digits over the question's words, with history and filters where there are any."""
    words = " ".join(question.text.split())
    if question.history or question.filters:
        context = {"history": [[t.role, t.content] for t in question.history], "filters": question.filters.to_dict()}
        words += "\n" + json.dumps(context, ensure_ascii=False, sort_keys=True)
    return f"q-{sha12(words)}"


def refuse_doubles(placed: Iterable[tuple[str, Question]]) -> None:
    """Raises InputError with both places where a given id stands twice."""
    first: dict[str, str] = {}
    for place, question in placed:
        if question.id and question.id in first:
            raise InputError(
                f"{place}: the id {question.id} stands already at {first[question.id]}.", "Make it differ."
            )
        first[question.id] = place


def with_ids(questions: Iterable[Question]) -> list[Question]:
    """The questions, each with an id; a second equal one without an id of its own gets `-2`, and so on."""
    known = list(questions)
    taken = {question.id for question in known if question.id}
    return [question if question.id else _named(question, taken) for question in known]


def _named(question: Question, taken: set[str]) -> Question:
    identity = base = question_id(question)
    number = 1
    while identity in taken:
        number += 1
        identity = f"{base}-{number}"
    taken.add(identity)
    return replace(question, id=identity)
