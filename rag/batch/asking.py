"""One question of a run, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from rag.answer import ask
from rag.batch.limiter import Limiter, NotAsked
from rag.errors import FootnoteError, QuestionError
from rag.library import Library
from rag.types import Answer, Question

PASSING = ("broken_stream", "timeout")
"""Kinds of failure that another attempt may not meet."""


@dataclass(frozen=True, slots=True)
class Place:
    """A question and its 1-based position in the file of questions."""

    question: Question
    position: int


@dataclass(frozen=True, slots=True)
class Result:
    """The answer, None where the run ended before the question was asked; `slots` are held until it is written."""

    place: Place
    answer: Answer | None
    slots: int


def result_of(library: Library, limiter: Limiter, place: Place) -> Result:
    """Ask one question; what fails in passing is asked once more."""
    try:
        answer: Answer | None = _answer(library, place.question)
        if answer is not None and answer.status == "error" and answer.reason in PASSING:
            answer = _answer(library, place.question)
    except NotAsked:
        answer = None
    return Result(place, answer, int(limiter.keeps()))


def _answer(library: Library, question: Question) -> Answer:
    """The answer, or one of status `error` that says what failed: a failing question never stops the others."""
    try:
        return ask(library, question, fall_back=False)
    except NotAsked:
        raise
    except QuestionError as error:
        return _failed(library, question, "context", str(error))
    except FootnoteError as error:
        return _failed(library, question, "index", str(error))
    except Exception as error:  # noqa: BLE001 - a fault that one question meets must not cost the others
        return _failed(library, question, "index", f"Unexpected {type(error).__name__}: {error}")


def _failed(library: Library, question: Question, kind: str, detail: str) -> Answer:
    return Answer(
        id=question.id,
        question=question.text,
        standalone_question=question.text,
        status="error",
        reason=kind,
        detail=detail,
        mode="llm" if library.settings.llm_model else "quotes",
        answer="",
        input=question.input,
        filters=question.filters,
        top_k=question.top_k,
        settings=library.settings.fingerprint(),
        index=library.index,
    )
