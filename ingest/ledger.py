"""What a record means for the shelf: new, changed, the same, merged into another, or in conflict with one.

An id once given never changes. A second record of an id, or of an identifier learnt as an alias, is compared by its
raw text, words joined by single spaces: equal text makes one abstract that remembers all its sources; unequal text
is an update when it comes from a source the abstract already has, and a conflict otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ingest.report import Conflict
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.shelving import put, put_sources
from rag.types import Abstract

Outcome = Literal["new", "changed", "same", "merged"]

_FIELDS = ("title", "authors", "year", "venue", "url", "keywords", "language", "retracted")


@dataclass(frozen=True, slots=True)
class Entry:
    """How a record was taken: `stale` are passages the vector store must forget."""

    outcome: Outcome
    id: str
    stale: tuple[str, ...] = ()


class Ledger:
    """The records of one run, entered one by one into the catalogue's open transaction."""

    def __init__(self, catalogue: Catalogue, *, update: bool = False) -> None:
        """With `update`, unequal text from another source is taken instead of being a conflict."""
        self.catalogue = catalogue
        self.update = update
        self.seen: dict[str, str] = {}
        """Where each id was first seen in this run."""
        self.places: dict[tuple[str, str], list[str]] = {}
        """Places by (id, absolute path), as seen in this run."""

    def enter(self, abstract: Abstract, path: str) -> Entry | Conflict:
        """Store what a record brings; `path` is the absolute path of its file, `sources[0]` its place."""
        known = self._known(abstract)
        if known is None:
            return self._add(abstract, path)
        place = abstract.sources[0]
        merged = known != abstract.id
        stored = self.catalogue.many([known])[known]
        old_places = self.catalogue.sources(known)
        own = path in [p for p, _ in old_places]
        if not _equal(stored, abstract):
            if known in self.seen or not (own or self.update):
                return Conflict(place, self.seen.get(known) or stored.sources[0], f"other text for {abstract.id}")
            updated = replace(_joined(stored, abstract, prefer_new=True), text=abstract.text, raw=abstract.raw)
            stale = tuple(p.id for p in self.catalogue.passages([known]).get(known, ()))
            put(self.catalogue, updated, passages(updated))
            self._see(known, path, place, old_places)
            return Entry("changed", known, stale)
        joined = _joined(stored, abstract, prefer_new=own and not merged and known not in self.seen)
        differs = joined != replace(stored, aliases=joined.aliases)
        if differs or set(joined.aliases) != set(stored.aliases):
            put(self.catalogue, joined, None)
        self._see(known, path, place, old_places)
        return Entry("merged" if merged else "changed" if differs else "same", known)

    def _known(self, abstract: Abstract) -> str | None:
        if self.catalogue.has(abstract.id):
            return abstract.id
        for name in (abstract.id, *abstract.aliases):
            found = None if name.startswith("file:") else self.catalogue.find(name)
            # Equal text alone does not make one paper of two that have identifiers of their own.
            if found and (not name.startswith("sha-") or "sha-" in (found[:4], abstract.id[:4])):
                return found
        return None

    def _add(self, abstract: Abstract, path: str) -> Entry:
        put(self.catalogue, abstract, passages(abstract))
        self._see(abstract.id, path, abstract.sources[0], [])
        return Entry("new", abstract.id)

    def _see(self, identity: str, path: str, place: str, old: list[tuple[str, str]]) -> None:
        self.seen.setdefault(identity, place)
        now = self.places.setdefault((identity, path), [])
        now.append(place)
        at = next((n for n, (p, _) in enumerate(old) if p == path), len(old))
        kept = [(p, other) for p, other in old if p != path]
        current = [*kept[:at], *((path, p) for p in now), *kept[at:]]
        if current != old:
            put_sources(self.catalogue, identity, current)


def _equal(one: Abstract, other: Abstract) -> bool:
    return one.raw.split() == other.raw.split()


def _joined(stored: Abstract, new: Abstract, *, prefer_new: bool) -> Abstract:
    """The stored abstract with the new one's fields: all that it has, or only where the stored one has none."""
    first, second = (new, stored) if prefer_new else (stored, new)
    fields = {name: getattr(first, name) or getattr(second, name) for name in _FIELDS}
    names = dict.fromkeys([*stored.aliases, new.id, *new.aliases])
    names.pop(stored.id, None)
    return replace(stored, **fields, aliases=tuple(names))
