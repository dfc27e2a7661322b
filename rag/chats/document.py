"""A conversation as a document to keep: Markdown with footnotes, JSON, or one answer as plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from rag.chats.values import Chat, ChatTurn
from rag.export import entries, markdown
from rag.types import Abstract, Answer


def as_markdown(chat: Chat, turns: Sequence[ChatTurn]) -> str:
    """The conversation with its footnotes; all that comes from data means itself."""
    return "\n".join([f"# {markdown.escape(chat.title)}", *_sections(turns)]) + "\n"


def _sections(turns: Sequence[ChatTurn]) -> Iterator[str]:
    for number, turn in enumerate(turns, 1):
        if turn.answer is not None:
            yield from markdown.section(turn.answer.to_dict(), number)
            continue
        yield f"\n## {number}. {markdown.escape(' '.join(turn.question.split()))}\n"
        said = turn.text if turn.failure is None else turn.failure.message
        yield markdown.escape(said) if said else "*No answer.*"


def as_json(chat: Chat, turns: Sequence[ChatTurn]) -> str:
    """The conversation with every answer as the contract has it, and the abstracts they cite."""
    return json.dumps({**_head(chat), "turns": [_turn(turn) for turn in turns]}, ensure_ascii=False, indent=1)


def _head(chat: Chat) -> dict[str, Any]:
    times = {
        name: datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")
        for name, at in (("created", chat.created), ("updated", chat.updated))
    }
    return {"schema": 1, "chat": chat.id, "title": chat.title, **times}


def _turn(turn: ChatTurn) -> dict[str, Any]:
    return {
        "question": turn.question,
        "asked": datetime.fromtimestamp(turn.asked).astimezone().isoformat(timespec="seconds"),
        "state": turn.state,
        "answer": turn.answer.to_dict() if turn.answer else None,
        "text": turn.text,
        "failure": asdict(turn.failure) if turn.failure else None,
        "abstracts": [asdict(abstract) for abstract in cited([turn])],
    }


def cited(turns: Sequence[ChatTurn]) -> list[Abstract]:
    """The abstracts that answers cite, each once, in order of first use."""
    found = {
        citation.id: turn.abstracts[citation.id]
        for turn in turns
        if turn.answer
        for citation in turn.answer.citations
        if citation.id in turn.abstracts
    }
    return list(found.values())


def with_references(answer: Answer) -> str:
    """An answer's text as it stands, and below it what its numbers mean."""
    listed = [
        f"[{citation['number']}] {_stopped(entries.reference(citation))} {entries.place(citation)}"
        for citation in answer.to_dict()["citations"]
    ]
    return "\n\n".join(filter(None, [entries.plain(answer.answer), "\n".join(listed)]))


def _stopped(text: str) -> str:
    """With a full stop, unless it ends in a stop of its own."""
    return text if text.endswith((".", "…", "?", "!")) else f"{text}."
