"""The words and acronyms of a shelf, entered as its abstracts come: what spelling and acronyms are looked up in."""

from __future__ import annotations

from collections.abc import Iterator

from rag.catalogue import Catalogue
from rag.ranking.acronyms import definitions
from rag.ranking.lexical import written

SHORTEST, LONGEST = 3, 40
"""Characters of a word worth keeping."""


def learn(catalogue: Catalogue) -> None:
    """Enter what abstracts not read yet bring; inside the caller's transaction.

    A word stays when its last abstract goes: whoever looks one up asks the full-text index whether it is still there.
    """
    connection = catalogue.connection
    query = (  # EXCEPT reads two narrow indexes; NOT IN would read every text of the shelf
        "SELECT key, coalesce(title, '') || '. ' || text FROM abstract "
        "WHERE key IN (SELECT key FROM abstract EXCEPT SELECT abstract FROM learnt)"
    )
    unread: list[tuple[int, str]] = connection.execute(query).fetchall()
    words = {word: plain for _, text in unread for word, plain in _words(text)}
    connection.executemany("INSERT OR IGNORE INTO word VALUES (?, ?)", sorted(words.items()))
    for key, text in unread:
        rows = [(short, long, key) for short, long in definitions(text)]
        connection.executemany("INSERT OR IGNORE INTO definition VALUES (?, ?, ?)", rows)
        connection.execute("INSERT INTO learnt VALUES (?)", (key,))
    if unread:
        catalogue.set_meta({"wordbook": str(int(catalogue.meta("wordbook") or 0) + 1)})


def _words(text: str) -> Iterator[tuple[str, str | None]]:
    """Words in lower case, each with its letters and digits alone where it has others (`il-6`, `il6`)."""
    for word in {term.lower() for term in written(text)}:
        if not SHORTEST <= len(word) <= LONGEST:
            continue
        if word.isalnum():
            yield word, None
        else:
            yield word, plainly(word)
            yield from ((part, None) for part in parts(word) if len(part) >= SHORTEST)


def plainly(word: str) -> str:
    """Letters and digits only."""
    return "".join(c for c in word if c.isalnum())


def parts(word: str) -> list[str]:
    """The runs of letters and digits in a compound."""
    return "".join(c if c.isalnum() else " " for c in word).split()
