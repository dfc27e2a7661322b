"""Conversations of a shelf: what was asked, and each reply as far as it has come.

The thread that answers writes, the pages read; so an answer goes on and is there whatever happens to the page.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.chats import codec
from rag.chats.database import Database
from rag.chats.presence import Presence
from rag.chats.values import PLAIN, Chat, ChatTurn, Failure, Wish
from rag.errors import FootnoteError
from rag.types import Abstract, Answer, Turn

KEPT_DELETED = 24 * 3600.0
"""Seconds for which a deleted conversation can be brought back."""
REMEMBERED = 30
"""Turns before a question that its answer may look back to."""
_DECODED = 400  # finished turns kept as values: a page draws its turns again and again
_OPEN = "state IN ('waiting', 'running')"
_TITLE = (
    "coalesce(nullif(title, ''), "
    "(SELECT question FROM turn AS t WHERE t.chat = chat.id AND aside IS NULL ORDER BY t.id LIMIT 1), '')"
)
_CHAT = (
    f"SELECT id, {_TITLE}, created, updated, "  # noqa: S608 - own text
    "(SELECT count(*) FROM turn AS t WHERE t.chat = chat.id AND aside IS NULL), deleted FROM chat"
)


class Conversations:
    """The store of one shelf; safe to use from several threads and processes."""

    def __init__(self, home: Path, now: Callable[[], float] = time.time) -> None:
        """Open it in the folder `home`, which is there; raises FootnoteError where it cannot be kept."""
        self.database = Database(home)
        self._now = now
        self._lock = threading.Lock()
        self._decoded: OrderedDict[int, ChatTurn] = OrderedDict()
        try:
            self._presence = Presence(home)
        except OSError as error:
            self.database.close()
            raise FootnoteError(
                f"Conversations cannot be kept in {home}: {error}.", "See that it can be written."
            ) from error
        self.database.change("DELETE FROM chat WHERE deleted < ?", (self._now() - KEPT_DELETED,))

    def close(self) -> None:
        """Let go of the file; what this process was answering counts as interrupted from now on."""
        self.database.close()
        self._presence.close()

    # --- conversations ---

    def begin(self) -> str:
        """A new conversation, under a name nobody can guess; it is listed once something is asked in it."""
        name, now = secrets.token_urlsafe(9), self._now()
        self.database.change("INSERT INTO chat VALUES (?, '', ?, ?, NULL)", (name, now, now))
        return name

    def chats(self, search: str = "", limit: int = 200) -> list[Chat]:
        """Conversations that hold a turn, the latest first; with `search` those where it occurs, in any case."""
        where = "deleted IS NULL AND EXISTS (SELECT 1 FROM turn AS t WHERE t.chat = chat.id)"
        wanted = search.strip().casefold()
        if wanted:
            where += (
                " AND (instr(casefold(title), ?) OR EXISTS (SELECT 1 FROM turn AS t WHERE t.chat = chat.id "
                "AND aside IS NULL AND instr(casefold(t.question || char(10) || t.text), ?)))"
            )
        values = [wanted, wanted, limit] if wanted else [limit]
        return [
            Chat(*row) for row in self.database.rows(f"{_CHAT} WHERE {where} ORDER BY updated DESC LIMIT ?", values)
        ]

    def chat(self, name: str) -> Chat | None:
        """The conversation of that name; None where there is none or it was deleted."""
        found = self.database.rows(f"{_CHAT} WHERE id = ? AND deleted IS NULL", (name,))
        return Chat(*found[0]) if found else None

    def rename(self, name: str, title: str) -> None:
        """Give a title; an empty one brings the first question back."""
        self.database.change("UPDATE chat SET title = ? WHERE id = ?", (" ".join(codec.storable(title).split()), name))

    def delete(self, name: str) -> None:
        """Take a conversation away; what still runs in it is stopped."""
        with self.database.transaction() as connection:
            connection.execute(f"UPDATE turn SET stop = 1 WHERE chat = ? AND {_OPEN}", (name,))  # noqa: S608 - own text
            connection.execute("UPDATE chat SET deleted = ? WHERE id = ?", (self._now(), name))

    def restore(self, name: str) -> None:
        """Undo `delete`."""
        self.database.change("UPDATE chat SET deleted = NULL WHERE id = ?", (name,))

    # --- turns, as readers see them ---

    def turns(self, chat: str, last: int | None = None, skipped: int = 0) -> list[ChatTurn]:
        """The turns of a conversation in order, or the `last` ones before `skipped`, each as far as it has come."""
        query = "SELECT id, revision FROM turn WHERE chat = ? AND aside IS NULL ORDER BY id DESC LIMIT ? OFFSET ?"
        return self._read(query, (chat, -1 if last is None else last, skipped))[::-1]

    def turn(self, number: int) -> ChatTurn | None:
        """One turn by its id; None where it is gone or set aside."""
        found = self._read("SELECT id, revision FROM turn WHERE id = ? AND aside IS NULL", (number,))
        return found[0] if found else None

    def history(self, turn: ChatTurn) -> tuple[Turn, ...]:
        """What was said before a turn; failed turns are no part of it."""
        query = "SELECT id, revision FROM turn WHERE chat = ? AND id < ? AND aside IS NULL ORDER BY id DESC LIMIT ?"
        said: list[Turn] = []
        for one in self._read(query, (turn.chat, turn.id, REMEMBERED))[::-1]:
            if one.answer is not None and one.answer.status != "error":
                said += [Turn("user", one.question), Turn("assistant", one.answer.answer)]
        return tuple(said)

    def ask(self, chat: str, question: str, wish: Wish = PLAIN) -> int:
        """Add a question, which this process is to answer; its id."""
        with self.database.transaction() as connection:
            return self._insert(connection, chat, question, wish)

    def ask_again(self, number: int, question: str, wish: Wish) -> int:
        """Ask in place of a turn: it and all after it are set aside. The id of the new turn."""
        with self.database.transaction() as connection:
            chat = connection.execute("SELECT chat FROM turn WHERE id = ?", (number,)).fetchone()[0]
            new = self._insert(connection, chat, question, wish)
            connection.execute(
                "UPDATE turn SET aside = ?, stop = 1 WHERE chat = ? AND aside IS NULL AND id >= ? AND id < ?",
                (new, chat, number, new),
            )
        return new

    def put_back(self, number: int) -> None:
        """Undo `ask_again`, which gave this id: what it set aside stands again, and it is gone with what followed."""
        with self.database.transaction() as connection:
            chat = connection.execute("SELECT chat FROM turn WHERE id = ?", (number,)).fetchone()[0]
            back = [row[0] for row in connection.execute("SELECT id FROM turn WHERE aside = ?", (number,))]
            connection.execute("DELETE FROM turn WHERE chat = ? AND id >= ?", (chat, number))
            connection.executemany("UPDATE turn SET aside = NULL WHERE id = ?", [(one,) for one in back])

    def set_aside(self, number: int) -> int:
        """How many turns a turn has taken the place of."""
        count: int = self.database.rows("SELECT count(*) FROM turn WHERE aside = ?", (number,))[0][0]
        return count

    def _insert(self, connection: sqlite3.Connection, chat: str, question: str, wish: Wish) -> int:
        now = self._now()
        connection.execute("UPDATE chat SET updated = ? WHERE id = ?", (now, chat))
        row = connection.execute(
            "INSERT INTO turn (chat, question, wish, asked, state, owner) VALUES (?, ?, ?, ?, 'waiting', ?)",
            (chat, codec.storable(question), codec.dump_wish(wish), now, self._presence.token),
        )
        return int(row.lastrowid or 0)

    # --- turns, as the process that answers writes them ---

    def claim(self, chat: str) -> ChatTurn | None:
        """The next turn that this process is to answer, from now on running; None while one before it is open."""
        self._find_interrupted()
        with self.database.transaction() as connection:
            row = connection.execute(
                f"SELECT id, state, owner FROM turn WHERE chat = ? AND {_OPEN} AND aside IS NULL ORDER BY id LIMIT 1",  # noqa: S608 - own text
                (chat,),
            ).fetchone()
            if row is None or row[1:] != ("waiting", self._presence.token):
                return None
            connection.execute("UPDATE turn SET state = 'running', revision = revision + 1 WHERE id = ?", (row[0],))
        return self.turn(row[0])

    def has_waiting(self, chat: str) -> bool:
        """Whether a turn waits for this process."""
        query = "SELECT 1 FROM turn WHERE chat = ? AND state = 'waiting' AND owner = ? AND aside IS NULL LIMIT 1"
        return bool(self.database.rows(query, (chat, self._presence.token)))

    def write(self, number: int, text: str, withdrawn: str = "") -> None:
        """What a running reply is so far."""
        query = "UPDATE turn SET text = ?, withdrawn = ?, revision = revision + 1 WHERE id = ? AND state = 'running'"
        self.database.change(query, (codec.storable(text), withdrawn, number))

    def finish(self, number: int, answer: Answer, abstracts: Mapping[str, Abstract]) -> None:
        """The reply is complete."""
        values = (codec.dump_answer(answer), codec.dump_abstracts(abstracts), codec.storable(answer.answer), number)
        with self.database.transaction() as connection:
            changed = connection.execute(
                "UPDATE turn SET state = 'done', answer = ?, abstracts = ?, text = ?, revision = revision + 1 "
                "WHERE id = ?",
                values,
            ).rowcount
            if changed:  # else it is gone by now
                cited = [(number, citation.id, citation.number) for citation in answer.citations]
                connection.executemany("INSERT OR REPLACE INTO cited VALUES (?, ?, ?)", cited)

    def fail(self, number: int, failure: Failure) -> None:
        """There will be no reply; text that came stays."""
        query = "UPDATE turn SET state = 'done', failure = ?, revision = revision + 1 WHERE id = ?"
        self.database.change(query, (codec.dump_failure(failure), number))

    def stop(self, number: int) -> None:
        """Ask whoever answers the turn to stop; what came is kept."""
        self.database.change("UPDATE turn SET stop = 1, revision = revision + 1 WHERE id = ?", (number,))

    def is_stopped(self, number: int) -> bool:
        """Whether somebody asked to stop, or took the turn away."""
        found = self.database.rows("SELECT stop FROM turn WHERE id = ?", (number,))
        return not found or bool(found[0][0])

    def _find_interrupted(self) -> None:
        """Mark what a process that is gone left open."""
        query = f"SELECT DISTINCT owner FROM turn WHERE {_OPEN} AND owner <> ?"  # noqa: S608 - own text
        for (owner,) in self.database.rows(query, (self._presence.token,)):
            if not self._presence.is_alive(owner):
                mark = f"UPDATE turn SET state = 'interrupted', revision = revision + 1 WHERE owner = ? AND {_OPEN}"  # noqa: S608
                self.database.change(mark, (owner,))

    def _read(self, query: str, values: Sequence[Any]) -> list[ChatTurn]:
        """The turns whose ids and revisions a query finds; those that cannot change any more are decoded once."""
        self._find_interrupted()
        return [self._decode(number, revision) for number, revision in self.database.rows(query, values)]

    def _decode(self, number: int, revision: int) -> ChatTurn:
        with self._lock:
            known = self._decoded.get(number)
            if known is not None and known.revision == revision:
                self._decoded.move_to_end(number)
                return known
        turn = codec.load_turn(self.database.rows(f"SELECT {codec.COLUMNS} FROM turn WHERE id = ?", (number,))[0])  # noqa: S608
        with self._lock:
            if turn.done:
                self._decoded[number] = turn
            while len(self._decoded) > _DECODED:
                self._decoded.popitem(last=False)
        return turn
