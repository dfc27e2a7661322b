"""What a run of ingest did, counted so that nothing is lost: read = new + changed + same + merged + rejected."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from ingest.records import Rejected


@dataclass(frozen=True, slots=True)
class Conflict:
    """A record that claims the id of another one but has other text; the one at `with_` was kept."""

    where: str
    with_: str
    reason: str


@dataclass(frozen=True, slots=True)
class Merge:
    """A record at `where` that was joined to the abstract `id`, first seen at `with_`."""

    where: str
    with_: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Abstracts that look alike and were kept apart: `kind` is "same title" or "same abstract"."""

    kind: str
    ids: tuple[str, ...]
    places: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class Report:
    """Counters of one run; `abstracts` and `passages` are the index's totals afterwards.

    `joined` counts abstracts of earlier records that turned out to be one with another; `withheld`, of the rejected,
    those that a person removed.
    """

    read: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    merged: int = 0
    rejected: int = 0
    removed: int = 0
    joined: int = 0
    withheld: int = 0
    rejects: list[Rejected] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    abstracts: int = 0
    passages: int = 0
    embedded: int = 0
    seconds: float = 0.0

    def reject(self, rejected: Rejected) -> None:
        """Count what is not kept."""
        self.rejected += rejected.records
        self.rejects.append(rejected)

    def to_dict(self) -> dict[str, Any]:
        """The report contract, in JSON's types."""
        plain = asdict(self)
        for found in (*plain["conflicts"], *plain["merges"]):
            found["with"] = found.pop("with_")
        return {**plain, "seconds": round(self.seconds, 3)}
