"""One paper from two sources is one abstract: by a shared identifier, by the same text, or by title and near text.

Candidates come from two indexed hashes of each abstract, of its title and of its words; each is then compared word by
word, which needs no estimate. What looks alike but is not joined is a doubt, reported at the end of a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ingest.merging.likeness import (
    EQUAL,
    NEAR,
    RELATED,
    TITLE_WORDS,
    fingerprint,
    overlap,
    people_agree,
    registered_apart,
    title_key,
    titles_agree,
    words,
    years_agree,
)
from ingest.merging.sightings import Sightings
from ingest.report import Doubt
from rag.catalogue import Catalogue
from rag.types import Abstract

CANDIDATES = 50
"""Abstracts of one title that a record is compared with; hundreds share "Editorial"."""
LISTED = 20
"""Abstracts that one doubt lists."""
BOILERPLATE_TITLES = 3
REFRESH = 500


@dataclass(frozen=True, slots=True)
class Match:
    """The stored abstract that a record belongs to, and by what: its id, an identifier, its text, or its title."""

    stored: Abstract
    by: str
    overlap: float

    @property
    def same_paper(self) -> bool:
        """Whether the texts are near enough for what speaks for one paper."""
        return self.overlap >= (RELATED if self.by == "identifier" else NEAR)

    @property
    def reason(self) -> str:
        """Why they are one, for a person."""
        why = {"identifier": "same identifier", "text": "same text", "title": "same title"}[self.by]
        return why if self.overlap == 1.0 else f"{why}, {self.overlap:.0%} of the words"


def match(catalogue: Catalogue, record: Abstract, path: str, sightings: Sightings) -> Match | None:
    """The abstract, stored under another id, that this record of the file `path` belongs to."""
    for name in (record.id, *record.aliases):
        found = None if name.startswith("file:") else catalogue.get(name)
        if found and (not name.startswith("sha-") or _one_by_text(found, record)):
            by = "text" if name.startswith("sha-") else "identifier"
            return Match(found, by, likeness(found, record))
    return _by_title(catalogue, record, path, sightings)


def bridged(catalogue: Catalogue, record: Abstract, identity: str) -> Iterator[str]:
    """Ids of other abstracts that a record of the abstract `identity` shows to be the same paper, by identifiers."""
    for name in (record.id, *record.aliases):
        found = None if name.startswith(("file:", "sha-")) else catalogue.find(name)
        if found in (None, identity):
            continue
        other, stored = catalogue.many([found]).get(found), catalogue.many([identity]).get(identity)
        if other and stored and min(likeness(other, record), likeness(other, stored)) >= RELATED:
            yield found
            identity = catalogue.find(identity) or identity


def likeness(one: Abstract, other: Abstract) -> float:
    """The share of the longer text's words that both have in one order."""
    return overlap(words(one.text), words(other.text))


def _one_by_text(stored: Abstract, record: Abstract) -> bool:
    """Equal text alone makes no one paper of two that have identifiers of their own, or titles of their own."""
    unnamed = stored.id.startswith("sha-") or record.id.startswith("sha-")
    return unnamed and titles_agree(stored.title, record.title)


def _by_title(catalogue: Catalogue, record: Abstract, path: str, sightings: Sightings) -> Match | None:
    title = title_hash(record.title)
    if title is None:
        return None
    query = "SELECT id FROM fingerprint JOIN abstract ON key = abstract WHERE title_hash = ? ORDER BY key LIMIT ?"
    ids = [row[0] for row in catalogue.connection.execute(query, (title, CANDIDATES))]
    read = words(record.text)
    for stored in catalogue.many(ids).values():
        share = overlap(words(stored.text), read)
        older = path in _earlier_paths(catalogue, stored, record, sightings)
        if share >= _needed(stored, record) and not older:
            return Match(stored, "title", share)
    return None


def _needed(stored: Abstract, record: Abstract) -> float:
    """The overlap from which two texts under one title are one paper's; above 1 where none is enough."""
    apart = registered_apart(stored, record)
    short = len(title_key(record.title).split()) < TITLE_WORDS
    if not (people_agree(stored, record) and years_agree(stored, record)) or (apart and short):
        return 2.0
    return EQUAL if apart else NEAR


def _earlier_paths(catalogue: Catalogue, stored: Abstract, record: Abstract, sightings: Sightings) -> list[str]:
    """Files in which `stored` may be an earlier state of this record: without an identifier, changed text is new."""
    unnamed = stored.id.startswith("sha-") and record.id.startswith("sha-")
    if not unnamed or sightings.first(stored.id):
        return []
    return [path for path, _ in catalogue.sources(stored.id)]


@lru_cache(maxsize=1024)  # a record's is asked for when it is looked up and when it is stored
def title_hash(title: str | None) -> int | None:
    """The hash by which titles are compared; None where there is no title."""
    return fingerprint(title_key(title))


def words_hash(text: str) -> int:
    """The hash by which texts are compared."""
    return fingerprint(" ".join(words(text))) or 0


def remember(catalogue: Catalogue, abstract: Abstract) -> None:
    """Keep the hashes by which later records find this abstract."""
    values = (title_hash(abstract.title), words_hash(abstract.text), abstract.id)
    query = "INSERT OR REPLACE INTO fingerprint SELECT key, ?, ? FROM abstract WHERE id = ?"
    catalogue.connection.execute(query, values)


def refresh(catalogue: Catalogue) -> None:
    """Remember what an earlier version stored; inside the caller's transaction."""
    query = "SELECT id FROM abstract WHERE key NOT IN (SELECT abstract FROM fingerprint)"
    ids = [row[0] for row in catalogue.connection.execute(query)]
    for start in range(0, len(ids), REFRESH):
        for abstract in catalogue.many(ids[start : start + REFRESH]).values():
            remember(catalogue, abstract)


def doubts(catalogue: Catalogue) -> Iterator[Doubt]:
    """What stands apart on the shelf though it looks alike, of what the run has seen."""
    for ids, number in _groups(catalogue, "words_hash"):
        papers = list(catalogue.many(ids).values())
        titles = {title_key(paper.title) for paper in papers if paper.title}
        blurb = ": a text of the publisher?" if len(titles) >= BOILERPLATE_TITLES else ""
        under = f"under {len(titles)} titles{blurb}" if len(titles) > 1 else "under other identifiers"
        yield _doubt("same abstract", papers, f"one text for {number} papers {under}")
    for ids, number in _groups(catalogue, "title_hash"):
        papers = list(catalogue.many(ids).values())
        texts = {" ".join(words(paper.text)) for paper in papers}
        if len(texts) > 1:
            yield _doubt("same title", papers, f"{number} papers with the title “{papers[0].title}” and other texts")


def _groups(catalogue: Catalogue, column: str) -> Iterator[tuple[list[str], int]]:
    """The first LISTED ids, and the number, of abstracts with one hash, where the run has seen one of them."""
    joined = "fingerprint JOIN abstract ON key = abstract"
    shared = f"SELECT {column} FROM fingerprint WHERE {column} IS NOT NULL GROUP BY {column} HAVING count(*) > 1"  # noqa: S608 - own names
    seen = (
        f"SELECT {column} FROM {joined} WHERE {column} IN ({shared}) GROUP BY {column} "  # noqa: S608 - own names
        "HAVING max(id IN (SELECT id FROM temp.sighting)) ORDER BY min(key)"
    )
    members = f"SELECT id FROM {joined} WHERE {column} = ? ORDER BY key"  # noqa: S608 - own names
    for (value,) in catalogue.connection.execute(seen).fetchall():
        ids = [row[0] for row in catalogue.connection.execute(members, (value,))]
        yield ids[:LISTED], len(ids)


def _doubt(kind: str, papers: list[Abstract], reason: str) -> Doubt:
    return Doubt(kind, tuple(p.id for p in papers), tuple(p.sources[0] for p in papers if p.sources), reason)
