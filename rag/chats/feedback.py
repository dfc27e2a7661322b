"""What readers said of answers and of their sources, and how it becomes evaluation cases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from rag.chats import codec
from rag.chats.database import Database
from rag.chats.values import Opinion
from rag.conversations import Conversations


def say(database: Database, opinion: Opinion) -> None:
    """Keep an opinion in place of the one before; one that says nothing takes it back."""
    key = (opinion.turn, opinion.abstract or "")
    if opinion.good is None and not opinion.comment.strip():
        database.change("DELETE FROM opinion WHERE turn = ? AND abstract = ?", key)
        return
    values = (*key, opinion.good, codec.storable(opinion.comment.strip()), time.time())
    database.change("INSERT OR REPLACE INTO opinion VALUES (?, ?, ?, ?, ?)", values)


def opinions(database: Database, chat: str) -> dict[tuple[int, str | None], Opinion]:
    """What was said in a conversation, by turn and abstract (None: of the answer)."""
    query = (
        "SELECT turn, abstract, good, opinion.comment FROM opinion JOIN turn ON turn.id = opinion.turn WHERE chat = ?"
    )
    return {
        (turn, abstract or None): _opinion(turn, abstract, *more)
        for turn, abstract, *more in _rows(database, query, chat)
    }


def _rows(database: Database, query: str, *values: Any) -> list[tuple[Any, ...]]:
    return database.rows(query, values)


def _opinion(turn: int, abstract: str, good: int | None, comment: str) -> Opinion:
    return Opinion(turn, abstract or None, None if good is None else bool(good), comment)


def cases(store: Conversations) -> Iterator[dict[str, Any]]:
    """An evaluation case (type `feedback`) for every turn that somebody said something of, in order of asking.

    `gold` and `answer` are those of an answer that was found good, less the sources marked as wrong. `wrong` are
    sources that must not be cited, `rating` is `good` or `bad`; both stand beside what an evaluation reads.
    """
    query = (
        "SELECT DISTINCT turn.id FROM opinion JOIN turn ON turn.id = turn JOIN chat ON chat.id = turn.chat "
        "WHERE chat.deleted IS NULL AND aside IS NULL ORDER BY turn.id"
    )
    for (number,) in _rows(store.database, query):
        yield _case(store, number)


def _case(store: Conversations, number: int) -> dict[str, Any]:
    turn = store.turn(number)
    assert turn is not None  # noqa: S101 - the query names turns that stand
    found = [
        _opinion(*row)
        for row in _rows(store.database, "SELECT turn, abstract, good, comment FROM opinion WHERE turn = ?", number)
    ]
    whole = next((one for one in found if one.abstract is None), None)
    wrong = [one.abstract for one in found if one.abstract is not None]
    good = turn.answer is not None and whole is not None and whole.good
    case: dict[str, Any] = {"id": f"feedback-{turn.chat}-{turn.id}", "type": "feedback", "question": turn.question}
    if history := store.history(turn):
        case["history"] = [{"role": said.role, "content": said.content} for said in history]
    if turn.wish.filters:
        case["filters"] = turn.wish.filters.to_dict()
    if good and turn.answer is not None:
        case["gold"] = [citation.id for citation in turn.answer.citations if citation.id not in wrong]
        case["answer"] = turn.answer.answer
    if wrong:
        case["wrong"] = wrong
    if whole is not None and whole.good is not None:
        case["rating"] = "good" if whole.good else "bad"
    comments = [one.comment for one in found if one.comment]
    return {**case, "comment": "\n".join(comments)} if comments else case
