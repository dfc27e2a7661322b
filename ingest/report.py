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


@dataclass(slots=True)
class Report:
    """Counters of one run; `abstracts` and `passages` are the index's totals afterwards."""

    read: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    merged: int = 0
    rejected: int = 0
    removed: int = 0
    rejects: list[Rejected] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
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
        conflicts = [{"where": c.where, "with": c.with_, "reason": c.reason} for c in self.conflicts]
        return {**asdict(self), "conflicts": conflicts, "seconds": round(self.seconds, 3)}
