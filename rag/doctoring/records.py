"""The catalogue in itself: SQLite's pages, references, texts against their hashes, passages, full text, words."""

from __future__ import annotations

import sqlite3

from rag.catalogue import Catalogue
from rag.doctoring.check import ANEW, MEND, Check, verdict
from rag.types import sha12

SHOWN = 5
BROKEN_PASSAGES = """
    SELECT id FROM abstract LEFT JOIN passage ON passage.abstract = key GROUP BY key
    HAVING count(number) = 0 OR min(number) <> 0 OR max(number) + 1 <> count(*) OR min(start) < 0
        OR max(end) > length(text) OR sum(number = 0 AND (start <> 0 OR end <> length(text))) > 0 ORDER BY key
"""
"""Abstracts whose passages are not number 0, the whole, and further ones inside the text."""
UNLEARNT = "SELECT count(*) FROM abstract WHERE key NOT IN (SELECT abstract FROM learnt)"


def catalogue(shelf: Catalogue) -> Check:
    """SQLite's own check of every page, index and constraint."""
    rows = [row[0] for row in shelf.connection.execute("PRAGMA integrity_check(10)")]
    wrong = [row for row in rows if row != "ok" and "fts5" not in row.lower()]
    if wrong:
        return Check("catalogue", False, f"{shelf.path}: {' '.join(wrong[0].split())}", f"{MEND} If that fails: {ANEW}")
    abstracts, passages = shelf.counts()
    fix = "" if abstracts else "Fill it: python -m ingest FILE."
    return verdict("catalogue", f"{abstracts:,} abstracts in {passages:,} passages", fix)


def references(shelf: Catalogue) -> Check:
    """Rows that belong to an abstract that is gone."""
    lost = shelf.connection.execute("PRAGMA foreign_key_check").fetchall()
    return verdict("references", f"{len(lost)} rows belong to no abstract", MEND if lost else "")


def texts(shelf: Catalogue) -> Check:
    """Every text has the hash that it was entered with, as its id or an alias."""
    entered: dict[int, set[str]] = {}
    for key, name in shelf.connection.execute(
        "SELECT key, id FROM abstract WHERE id LIKE 'sha-%' UNION ALL "
        "SELECT abstract, alias FROM alias WHERE alias LIKE 'sha-%'"
    ):
        entered.setdefault(key, set()).add(name)
    query = shelf.connection.execute("SELECT key, id, raw FROM abstract ORDER BY key")
    wrong = [i for key, i, raw in query if f"sha-{sha12(' '.join(raw.split()))}" not in entered.get(key, ())]
    detail = f"{len(wrong)} are not what was read{_named(wrong)}"
    return verdict("texts", detail, "Ingest their files again with --update." if wrong else "")


def passages(shelf: Catalogue) -> Check:
    """Every abstract is cut, and inside its text."""
    wrong = [row[0] for row in shelf.connection.execute(BROKEN_PASSAGES)]
    detail = f"{len(wrong)} abstracts are not cut as they should be{_named(wrong)}"
    return verdict("passages", detail, MEND if wrong else "")


def full_text(shelf: Catalogue) -> Check:
    """FTS5's own check, of the index and against the texts."""
    try:
        shelf.connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        if "readonly" in str(error):
            return Check("full text", True, "not checked: the shelf is read-only")
        return Check("full text", False, f"the index does not fit the texts: {error}", MEND)
    return Check("full text", True, "the index fits the texts")


def words(shelf: Catalogue) -> Check:
    """Every abstract's words and acronyms can be looked up."""
    unread = shelf.connection.execute(UNLEARNT).fetchone()[0]
    return verdict("words", f"of {unread} abstracts not entered yet", MEND if unread else "")


def _named(ids: list[str]) -> str:
    some = ", ".join(ids[:SHOWN]) + (" ..." if len(ids) > SHOWN else "")
    return f": {some}" if ids else ""
