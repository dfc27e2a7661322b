"""Turns, answers and wishes to JSON and back, exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from rag.chats.values import ChatTurn, Failure, Wish
from rag.types import Abstract, Answer

COLUMNS = "id, chat, question, wish, asked, state, revision, text, withdrawn, answer, failure, abstracts"
"""What `load_turn` takes, in its order."""


def load_turn(row: Sequence[Any]) -> ChatTurn:
    """A turn from its row."""
    number, chat, question, wish, asked, state, revision, text, withdrawn, answer, failure, abstracts = row
    return ChatTurn(
        number,
        chat,
        question,
        asked,
        state,
        revision,
        _adapter(Wish).validate_json(wish),
        text,
        withdrawn,
        load_answer(answer) if answer else None,
        _adapter(Failure).validate_json(failure) if failure else None,
        _adapter(dict[str, Abstract]).validate_json(abstracts),
    )


def dump_answer(answer: Answer) -> str:
    """The answer contract as JSON."""
    return _json(answer.to_dict())


def load_answer(text: str) -> Answer:
    """The answer again, equal to what was dumped; fields of a newer Footnote are passed over."""
    answer: Answer = _adapter(Answer).validate_json(text)
    return answer


def answer_of(entry: Mapping[str, Any]) -> Answer:
    """An answer from JSON's types, as a line of a batch holds it."""
    answer: Answer = _adapter(Answer).validate_python(entry)
    return answer


def dump_abstracts(abstracts: Mapping[str, Abstract]) -> str:
    """Abstracts by id as JSON."""
    return _json({name: asdict(abstract) for name, abstract in abstracts.items()})


def dump_wish(wish: Wish) -> str:
    """A wish as JSON."""
    return _json({**asdict(wish), "filters": wish.filters.to_dict()})


def dump_failure(failure: Failure) -> str:
    """A failure as JSON."""
    return _json(asdict(failure))


def storable(text: str) -> str:
    """`text` with lone surrogates, which UTF-8 cannot hold, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _json(value: Any) -> str:
    return storable(json.dumps(value, ensure_ascii=False))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
