"""The catalogue's tables, as numbered migrations: `PRAGMA user_version` counts those applied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from rag.errors import IndexUnusableError

MIGRATIONS = (
    """
    CREATE TABLE abstract (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL,
        raw TEXT NOT NULL,
        title TEXT,
        authors TEXT NOT NULL,              -- JSON list
        year INTEGER,
        venue TEXT,
        url TEXT,
        keywords TEXT NOT NULL,             -- JSON list
        stored INTEGER NOT NULL DEFAULT 0   -- 1 when the vector store holds its passages
    );
    CREATE INDEX abstract_year ON abstract (year);
    CREATE INDEX abstract_waiting ON abstract (key) WHERE stored = 0;

    CREATE TABLE alias (
        alias TEXT NOT NULL,
        abstract INTEGER NOT NULL REFERENCES abstract ON DELETE CASCADE,
        PRIMARY KEY (alias, abstract)
    ) WITHOUT ROWID;
    CREATE INDEX alias_abstract ON alias (abstract);

    CREATE TABLE source (
        abstract INTEGER NOT NULL REFERENCES abstract ON DELETE CASCADE,
        position INTEGER NOT NULL,          -- order of first sight
        path TEXT NOT NULL,                 -- absolute
        place TEXT NOT NULL,                -- "file:line" as given
        PRIMARY KEY (abstract, position)
    ) WITHOUT ROWID;
    CREATE INDEX source_path ON source (path);

    CREATE TABLE passage (
        abstract INTEGER NOT NULL REFERENCES abstract ON DELETE CASCADE,
        number INTEGER NOT NULL,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL,
        PRIMARY KEY (abstract, number)
    ) WITHOUT ROWID;

    CREATE TABLE vector (
        abstract INTEGER NOT NULL REFERENCES abstract ON DELETE CASCADE,
        index_identity TEXT NOT NULL,       -- what embedded it and how it was cut
        passages INTEGER NOT NULL,
        matrix BLOB NOT NULL,               -- float16: a row for each passage by number, then one for each sentence
        PRIMARY KEY (abstract, index_identity)
    );

    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE VIRTUAL TABLE lexical USING fts5 (
        title, text, keywords,
        content = 'abstract', content_rowid = 'key', tokenize = "porter unicode61"
    );
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab (lexical, row);
    CREATE TRIGGER abstract_added AFTER INSERT ON abstract BEGIN
        INSERT INTO lexical (rowid, title, text, keywords) VALUES (new.key, new.title, new.text, new.keywords);
    END;
    CREATE TRIGGER abstract_removed AFTER DELETE ON abstract BEGIN
        INSERT INTO lexical (lexical, rowid, title, text, keywords)
        VALUES ('delete', old.key, old.title, old.text, old.keywords);
    END;
    CREATE TRIGGER abstract_changed AFTER UPDATE OF title, text, keywords ON abstract BEGIN
        INSERT INTO lexical (lexical, rowid, title, text, keywords)
        VALUES ('delete', old.key, old.title, old.text, old.keywords);
        INSERT INTO lexical (rowid, title, text, keywords) VALUES (new.key, new.title, new.text, new.keywords);
    END;
    """,
    """
    CREATE TABLE word (
        word TEXT PRIMARY KEY,              -- lower case, as some abstract writes it, maybe one that is gone
        plain TEXT                          -- its letters and digits, where it has others
    ) WITHOUT ROWID;
    CREATE INDEX word_plain ON word (plain) WHERE plain IS NOT NULL;

    CREATE TABLE definition (
        short TEXT NOT NULL,                -- an acronym
        long TEXT NOT NULL,                 -- what it stands for, lower case
        abstract INTEGER NOT NULL REFERENCES abstract ON DELETE CASCADE,
        PRIMARY KEY (short, long, abstract)
    ) WITHOUT ROWID;
    CREATE INDEX definition_long ON definition (long, short);
    CREATE INDEX definition_abstract ON definition (abstract);

    CREATE TABLE learnt (abstract INTEGER PRIMARY KEY REFERENCES abstract ON DELETE CASCADE);
    CREATE TRIGGER abstract_unlearnt AFTER UPDATE OF title, text, keywords ON abstract BEGIN
        DELETE FROM definition WHERE abstract = old.key;
        DELETE FROM learnt WHERE abstract = old.key;
    END;
    """,
    """
    ALTER TABLE abstract ADD COLUMN language TEXT;
    ALTER TABLE abstract ADD COLUMN retracted TEXT;  -- the notice, or "retracted"
    """,
    """
    CREATE TABLE fingerprint (
        abstract INTEGER PRIMARY KEY REFERENCES abstract ON DELETE CASCADE,
        title_hash INTEGER,                 -- of the title as it is compared
        words_hash INTEGER NOT NULL         -- of the text's words
    );
    CREATE INDEX fingerprint_title ON fingerprint (title_hash) WHERE title_hash IS NOT NULL;
    CREATE INDEX fingerprint_words ON fingerprint (words_hash);
    CREATE TRIGGER abstract_unlike AFTER UPDATE OF title, text ON abstract
    WHEN old.title IS NOT new.title OR old.text <> new.text BEGIN
        DELETE FROM fingerprint WHERE abstract = old.key;
    END;

    CREATE TABLE removal (
        id TEXT PRIMARY KEY,                -- of an abstract that a person removed
        act INTEGER NOT NULL,               -- those of one act are undone together
        day TEXT NOT NULL,
        record TEXT NOT NULL                -- the abstract and its sources, JSON
    ) WITHOUT ROWID;
    CREATE TABLE removed_name (
        name TEXT NOT NULL,                 -- an id or alias by which it would come back
        id TEXT NOT NULL REFERENCES removal ON DELETE CASCADE,
        PRIMARY KEY (name, id)
    ) WITHOUT ROWID;
    CREATE INDEX removed_name_id ON removed_name (id);
    """,
    """
    DROP TRIGGER abstract_added;            -- who adds abstracts adds them to the full-text index, many at once
    """,
)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date; raises IndexUnusableError for a catalogue of a newer Footnote."""
    if _version(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")  # of two processes that open a new shelf at once, one makes the tables
    try:
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise IndexUnusableError(
                f"The catalogue has version {version}, this Footnote knows {len(MIGRATIONS)}.",
                "Use the newer Footnote, or another folder with --home.",
            )
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _statements(script: str) -> Iterator[str]:
    """A script's statements, one by one: `executescript` would end the transaction they belong to."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
