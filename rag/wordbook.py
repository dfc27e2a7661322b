"""The words and acronyms of a shelf, entered as its abstracts come: what spelling and acronyms are looked up in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rag.catalogue import Catalogue
from rag.ranking.acronyms import definitions
from rag.ranking.lexical import written

SHORTEST, LONGEST = 3, 40
"""Characters of a word worth keeping."""
_READ = "key, coalesce(title, '') || '. ' || text FROM abstract"


def learn(catalogue: Catalogue, ids: Sequence[str] | None = None, entered: set[str] | None = None) -> None:
    """Enter what abstracts not read yet bring, of those with these ids or of all; inside the caller's transaction.

    `entered` holds words that earlier calls entered, and need not be entered again; this call adds its own. A word
    stays when its last abstract goes: whoever looks one up asks the full-text index whether it is still there.
    """
    connection = catalogue.connection
    unread = _unread(catalogue) if ids is None else _unread_of(catalogue, ids)
    terms = {term for _, text in unread for term in _lowered(text)}
    if entered is not None:
        terms -= entered
        entered |= terms
    words = dict(_words(terms))
    connection.executemany("INSERT OR IGNORE INTO word VALUES (?, ?)", sorted(words.items()))
    rows = [(short, long, key) for key, text in unread for short, long in definitions(text)]
    connection.executemany("INSERT OR IGNORE INTO definition VALUES (?, ?, ?)", rows)
    connection.executemany("INSERT INTO learnt VALUES (?)", [(key,) for key, _ in unread])
    if unread:
        catalogue.set_meta({"wordbook": str(int(catalogue.meta("wordbook") or 0) + 1)})


def _unread(catalogue: Catalogue) -> list[tuple[int, str]]:
    # EXCEPT reads two narrow indexes; NOT IN would read every text of the shelf
    query = f"SELECT {_READ} WHERE key IN (SELECT key FROM abstract EXCEPT SELECT abstract FROM learnt)"  # noqa: S608 - own names
    return catalogue.connection.execute(query).fetchall()


def _unread_of(catalogue: Catalogue, ids: Sequence[str]) -> list[tuple[int, str]]:
    # to ask for all would read both indexes once for every batch of a long ingest
    query = f"SELECT {_READ} WHERE id = ? AND NOT EXISTS (SELECT 1 FROM learnt WHERE learnt.abstract = key)"  # noqa: S608 - own names
    return [row for each in dict.fromkeys(ids) for row in catalogue.connection.execute(query, (each,))]


def _lowered(text: str) -> Iterable[str]:
    """The terms of a text in lower case."""
    if text.isascii():  # elsewhere the lower case of a letter hangs on those beside it
        return written(text.lower())
    return (term.lower() for term in written(text))


def _words(terms: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Terms in lower case, each with its letters and digits alone where it has others (`il-6`, `il6`)."""
    for word in terms:
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
