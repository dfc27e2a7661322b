"""Replies of language models, kept: a request that was answered before is not sent again.

A reply is found by the whole request: server, model, options and every word of the messages, so by all that decides
it. What is made of it (markers, citations, verdicts) is made anew each time.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import NamedTuple

from rag.errors import InputError
from rag.llm import LLM, Message, Reply
from rag.types import Usage

FILE_NAME = "replies.sqlite3"
BUSY_SECONDS = 60
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reply (
    request TEXT PRIMARY KEY, text TEXT NOT NULL, finish TEXT, prompt_tokens INTEGER, completion_tokens INTEGER
) WITHOUT ROWID
"""


class Kept(NamedTuple):
    """A reply as it is kept; tokens as the server counted them."""

    text: str
    finish: str | None
    prompt_tokens: int | None
    completion_tokens: int | None


class ReplyCache:
    """A folder with the replies. Safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        """Open it, made where it is missing; raises InputError."""
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                folder / FILE_NAME, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"The cache in {folder} cannot be used: {error}.", "Name another folder.") from None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def reply(self, llm: LLM, messages: Sequence[Message]) -> Reply:
        """The reply to these messages, from here where it is known."""
        return CachedReply(self, llm, messages)

    def get(self, request: str) -> Kept | None:
        """What was answered to this request."""
        query = "SELECT text, finish, prompt_tokens, completion_tokens FROM reply WHERE request = ?"
        with self._lock:
            row = self._connection.execute(query, (request,)).fetchone()
        return Kept(*row) if row else None

    def put(self, request: str, kept: Kept) -> None:
        """Keep a reply; the first one to a request stays."""
        with self._lock:
            self._connection.execute("INSERT OR IGNORE INTO reply VALUES (?, ?, ?, ?, ?)", (request, *kept))


class CachedReply(Reply):
    """A reply that is looked for before it is asked for. One from the cache arrives whole and costs nothing."""

    def __init__(self, cache: ReplyCache, llm: LLM, messages: Sequence[Message]) -> None:
        super().__init__(llm, messages)
        self._cache = cache

    def __iter__(self) -> Generator[str, None, None]:
        request = request_key(self._llm, self._messages)
        kept = self._cache.get(request)
        if kept is None:
            yield from super().__iter__()
            tokens = self.usage.prompt_tokens, self.usage.completion_tokens
            self._cache.put(request, Kept(self.text, self.finish, *tokens))
            return
        self.finish = kept.finish
        self.usage = Usage(kept.prompt_tokens, kept.completion_tokens, 0.0)
        self._pieces.append(kept.text)
        yield kept.text


def request_key(llm: LLM, messages: Sequence[Message]) -> str:
    """SHA-256 over all that decides a reply."""
    request = [llm.server, llm.model, llm.max_tokens, [list(message) for message in messages]]
    return hashlib.sha256(json.dumps(request).encode()).hexdigest()
