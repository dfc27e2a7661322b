"""What a record means for the shelf: new, changed, the same, merged into another, or in conflict with one.

An id once given never changes. A second record of an id is compared by its words: equal text makes one abstract that
remembers all its sources; unequal text is an update when it comes from a source the abstract already has, and a
conflict otherwise. A record with another id that belongs to a stored abstract (`dedupe`) is merged into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ingest.merging import dedupe
from ingest.merging.additions import Additions
from ingest.merging.dedupe import Match
from ingest.merging.likeness import titles_agree, words
from ingest.merging.sightings import Sightings
from ingest.removal import any_removed, forgive, removals
from ingest.report import Conflict, Doubt, Merge
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.shelving import change, put, put_sources, remove
from rag.types import Abstract

Outcome = Literal["new", "changed", "same", "merged"]
Places = list[tuple[str, str]]

_FIELDS = ("title", "authors", "year", "venue", "url", "keywords", "language", "retracted")


@dataclass(frozen=True, slots=True)
class Entry:
    """How a record was taken: `stale` are passages the vector store must forget, `absorbed` abstracts it made one."""

    outcome: Outcome
    id: str
    stale: tuple[str, ...] = ()
    merge: Merge | None = None
    absorbed: tuple[Merge, ...] = ()


@dataclass(frozen=True, slots=True)
class Withheld:
    """A record at `where` that a person removed."""

    where: str
    reason: str


@dataclass(slots=True)
class Ledger:
    """The records of one run, entered one by one into the catalogue's open transaction.

    With `update`, unequal text from another source is taken instead of being a conflict. Without `merge`, only
    records of one id are one abstract. With `restore`, what a person removed may come back.
    """

    catalogue: Catalogue
    update: bool = False
    merge: bool = True
    restore: bool = False
    sightings: Sightings = field(init=False)
    removed: bool = field(init=False)
    additions: Additions = field(init=False)
    written: list[str] = field(default_factory=list, init=False)
    """Ids whose text or title is new to the catalogue, until `take_written`."""
    titled: dict[str, list[tuple[str, str]]] = field(default_factory=dict, init=False)
    """Other titles of one text without identifiers, with their places, by id."""

    def __post_init__(self) -> None:
        self.sightings = Sightings(self.catalogue)
        self.removed = any_removed(self.catalogue)
        self.additions = Additions(self.catalogue, self.sightings)
        dedupe.refresh(self.catalogue)

    def foresee(self, records: Sequence[Abstract]) -> None:
        """Look up at once what the records that are entered next may meet; without it each is looked up alone."""
        self.additions.foresee(records)

    def store(self) -> None:
        """Store what is held back of the records entered."""
        self.written += self.additions.flush()

    def take_written(self) -> list[str]:
        """The ids whose words may be new to the catalogue; they are handed over once."""
        written, self.written = self.written, []
        return written

    def enter(self, abstract: Abstract, path: str) -> Entry | Conflict | Withheld:
        """Take what a record brings; `path` is the absolute path of its file, `sources[0]` its place.

        What was foreseen and is new is stored by the next `store`.
        """
        if self.additions.take(abstract, path):
            return Entry("new", abstract.id)
        self.store()
        if withheld := self._withheld(abstract):
            return withheld
        if self.catalogue.has(abstract.id):
            stored = self.catalogue.many([abstract.id])[abstract.id]
            entry = self._again(stored, abstract, path)
        elif match := dedupe.match(self.catalogue, abstract, path, self.sightings) if self.merge else None:
            entry = self._merged(match, abstract, path)
        else:
            entry = self._add(abstract, path)
        if self.merge and isinstance(entry, Entry):
            return self._bridged(entry, abstract)
        return entry

    def _withheld(self, abstract: Abstract) -> Withheld | None:
        for identity, day in list(removals(self.catalogue, abstract)) if self.removed else ():
            if self.restore or self.catalogue.has(abstract.id):
                forgive(self.catalogue, identity)
            else:
                return Withheld(abstract.sources[0], f"removed on {day}; --restore takes it back")
        return None

    def _add(self, abstract: Abstract, path: str) -> Entry:
        self._put(abstract)
        self._see(abstract.id, path, abstract.sources[0], [])
        return Entry("new", abstract.id)

    def _again(self, stored: Abstract, new: Abstract, path: str) -> Entry | Conflict:
        """A record of a stored id."""
        places, seen = self.catalogue.sources(stored.id), self.sightings.first(stored.id)
        own = path in [known for known, _ in places] and seen is None
        alone = all(known == path for known, _ in places)
        if stored.raw.split() != new.raw.split() and not (
            words(stored.text) == words(new.text) and not (own and alone)
        ):
            if own or (self.update and seen is None):
                return self._changed(stored, new, path, places)
            return Conflict(new.sources[0], seen or stored.sources[0], f"other text for {new.id}")
        if stored.id.startswith("sha-") and not own and not titles_agree(stored.title, new.title):
            self.titled.setdefault(stored.id, []).append((str(new.title), new.sources[0]))
        joined = _joined(stored, new, prefer_new=own)
        differs = self._join(stored, joined)
        self._see(stored.id, path, new.sources[0], places)
        return Entry("changed" if differs else "same", stored.id)

    def _merged(self, match: Match, new: Abstract, path: str) -> Entry | Conflict:
        """A record of another id that belongs to a stored abstract."""
        stored, place = match.stored, new.sources[0]
        places, seen = self.catalogue.sources(stored.id), self.sightings.first(stored.id)
        sole = [known for known, _ in places] == [path] and seen is None
        unequal = stored.raw.split() != new.raw.split()
        if unequal and (sole or (self.update and seen is None and not match.same_paper)):
            return self._changed(stored, new, path, places)
        if not match.same_paper:
            return Conflict(place, seen or stored.sources[0], f"other text for {new.id}, an identifier of {stored.id}")
        self._join(stored, _joined(stored, new, prefer_new=False))
        self._see(stored.id, path, place, places)
        return Entry("merged", stored.id, merge=Merge(place, stored.sources[0], stored.id, match.reason))

    def _bridged(self, entry: Entry, record: Abstract) -> Entry:
        """Make one abstract of those that this record's identifiers belong to."""
        for other in dedupe.bridged(self.catalogue, record, entry.id):
            first, second = self.catalogue.in_order([entry.id, other])
            papers = self.catalogue.many([first, second])
            kept, gone = papers[first], papers[second]
            stale = self._absorb(kept, gone)
            joined = Merge(gone.sources[0], kept.sources[0], kept.id, f"one paper by {record.sources[0]}")
            entry = replace(entry, id=kept.id, stale=entry.stale + stale, absorbed=(*entry.absorbed, joined))
        return entry

    def _absorb(self, kept: Abstract, gone: Abstract) -> tuple[str, ...]:
        stale = tuple(p.id for p in self.catalogue.passages([gone.id]).get(gone.id, ()))
        places = [*self.catalogue.sources(kept.id), *self.catalogue.sources(gone.id)]
        remove(self.catalogue, [gone.id])
        self._join(kept, _joined(kept, gone, prefer_new=False))
        put_sources(self.catalogue, kept.id, list(dict.fromkeys(places)))
        self.sightings.rename(gone.id, kept.id)
        return stale

    def _changed(self, stored: Abstract, new: Abstract, path: str, places: Places) -> Entry:
        updated = replace(_joined(stored, new, prefer_new=True), text=new.text, raw=new.raw)
        stale = tuple(p.id for p in self.catalogue.passages([stored.id]).get(stored.id, ()))
        self._put(updated)
        self._see(stored.id, path, new.sources[0], places)
        return Entry("changed", stored.id, stale)

    def _join(self, stored: Abstract, joined: Abstract) -> bool:
        """Store the fields of `joined` where they are others; whether any but the aliases is."""
        differs = joined != replace(stored, aliases=joined.aliases)
        if differs or set(joined.aliases) != set(stored.aliases):
            change(self.catalogue, stored, joined)
        if differs:
            dedupe.remember(self.catalogue, joined)
            self.written.append(joined.id)
        return differs

    def _put(self, abstract: Abstract) -> None:
        put(self.catalogue, abstract, passages(abstract))
        dedupe.remember(self.catalogue, abstract)
        self.written.append(abstract.id)

    def _see(self, identity: str, path: str, place: str, old: Places) -> None:
        self.sightings.add(identity, path, place)
        now = self.sightings.places(identity, path)
        at = next((n for n, (p, _) in enumerate(old) if p == path), len(old))
        kept = [(p, other) for p, other in old if p != path]
        current = [*kept[:at], *((path, p) for p in now), *kept[at:]]
        if current != old:
            put_sources(self.catalogue, identity, current)

    def doubts(self) -> Iterable[Doubt]:
        """What looks alike on the shelf and was kept apart, of what this run has seen."""
        for identity, others in self.titled.items():
            stored = self.catalogue.many([identity]).get(identity)
            if stored:
                places = (*stored.sources[:1], *(place for _, place in others))
                reason = f"one text without an identifier under {len({t for t, _ in others}) + 1} titles, kept once"
                yield Doubt("same abstract", (identity,), places, reason)
        yield from dedupe.doubts(self.catalogue)


def _joined(stored: Abstract, new: Abstract, *, prefer_new: bool) -> Abstract:
    """The stored abstract with the new one's fields: all that it has, or only where the stored one has none."""
    first, second = (new, stored) if prefer_new else (stored, new)
    fields = {name: getattr(first, name) or getattr(second, name) for name in _FIELDS}
    names = dict.fromkeys([*stored.aliases, new.id, *new.aliases])
    names.pop(stored.id, None)
    return replace(stored, **fields, aliases=tuple(names))
