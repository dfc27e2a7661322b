"""Which answers cite an abstract."""

from __future__ import annotations

from typing import NamedTuple

from rag.chats.database import Database


class Citing(NamedTuple):
    """An answer by its conversation and its question."""

    chat: str
    turn: int
    question: str


def answers(database: Database, abstract: str, most: int) -> list[Citing]:
    """The answers that cite the abstract of this id, the latest first."""
    query = (
        "SELECT chat.id, turn.id, question FROM cited "
        "JOIN turn ON turn.id = cited.turn JOIN chat ON chat.id = turn.chat "
        "WHERE abstract = ? AND aside IS NULL AND deleted IS NULL ORDER BY turn.id DESC LIMIT ?"
    )
    return [Citing(*row) for row in database.rows(query, (abstract, most))]
