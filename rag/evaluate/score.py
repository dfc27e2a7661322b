"""What one answer earned on one case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

NOT_A_NUMBER = "not a number"


class Share(NamedTuple):
    """`got` of `of` (sentences, facts, citations): what a value that is a share was made from."""

    got: float
    of: int


@dataclass(frozen=True, slots=True)
class CaseScore:
    """Metrics of one case by name.

    A metric is in `values`; or in `unscored` with the reason why it could not be scored; or in neither, when it does
    not apply to the case. Values are finite. `shares` are behind those values that are shares of several things.
    """

    id: str
    type: str
    values: Mapping[str, float]
    unscored: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, Share] = field(default_factory=dict)
    violations: tuple[str, ...] = ()
    """What of the answer contract the answer breaks."""

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "id": self.id,
            "type": self.type,
            "values": dict(self.values),
            "unscored": dict(self.unscored),
            "shares": {name: list(share) for name, share in self.shares.items()},
            "violations": list(self.violations),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CaseScore:
        """The inverse of `to_dict`."""
        shares = {name: Share(*share) for name, share in data["shares"].items()}
        return cls(data["id"], data["type"], data["values"], data["unscored"], shares, tuple(data["violations"]))


class Sheet:
    """Collects the metrics of one case."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.unscored: dict[str, str] = {}
        self.shares: dict[str, Share] = {}

    def put(self, name: str, value: float | None, reason: str = NOT_A_NUMBER) -> None:
        """A value; with None, NaN or an infinite one the metric is unscored for `reason`."""
        if value is None or not math.isfinite(value):
            self.unscored[name] = reason
        else:
            self.values[name] = float(value)

    def put_share(self, name: str, got: float, of: int) -> None:
        """The share `got / of`; `of` is at least 1."""
        self.put(name, got / of)
        self.shares[name] = Share(got, of)

    def miss(self, reason: str, *names: str) -> None:
        """Metrics that apply and cannot be scored."""
        self.unscored.update(dict.fromkeys(names, reason))
