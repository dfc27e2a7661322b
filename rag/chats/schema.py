"""The tables of the conversation store, as numbered migrations: `PRAGMA user_version` counts those applied."""

from __future__ import annotations

import sqlite3

from rag.errors import FootnoteError

MIGRATIONS = (
    """
    CREATE TABLE chat (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,                -- as renamed, else empty: the first question stands for it
        created REAL NOT NULL,
        updated REAL NOT NULL,
        deleted REAL                        -- when; it is gone for good some time later
    );
    CREATE INDEX chat_updated ON chat (updated);

    CREATE TABLE turn (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        chat TEXT NOT NULL REFERENCES chat ON DELETE CASCADE,
        question TEXT NOT NULL,
        wish TEXT NOT NULL,                 -- JSON
        asked REAL NOT NULL,
        state TEXT NOT NULL,
        owner TEXT NOT NULL,                -- the process that answers
        stop INTEGER NOT NULL DEFAULT 0,
        revision INTEGER NOT NULL DEFAULT 0,
        text TEXT NOT NULL DEFAULT '',
        withdrawn TEXT NOT NULL DEFAULT '',
        answer TEXT,                        -- JSON, schema 1
        failure TEXT,                       -- JSON
        abstracts TEXT NOT NULL DEFAULT '{}', -- JSON by id
        aside INTEGER REFERENCES turn ON DELETE SET NULL -- the turn that took its place
    );
    CREATE INDEX turn_chat ON turn (chat, id);
    CREATE INDEX turn_open ON turn (state) WHERE state IN ('waiting', 'running');

    CREATE TABLE cited (
        turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        abstract TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (turn, abstract)
    ) WITHOUT ROWID;
    CREATE INDEX cited_abstract ON cited (abstract);

    CREATE TABLE opinion (
        turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        abstract TEXT NOT NULL,             -- of one citation; empty: of the answer
        good INTEGER,
        comment TEXT NOT NULL,
        given REAL NOT NULL,
        PRIMARY KEY (turn, abstract)
    ) WITHOUT ROWID;
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date; one process at a time may. Raises FootnoteError for a store of a newer Footnote."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise FootnoteError(
            f"The conversations have version {version}, this Footnote knows {len(MIGRATIONS)}.",
            "Use the newer Footnote, or another folder with --home.",
        )
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")
