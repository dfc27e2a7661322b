"""Where on a shelf's own scale the answerable questions begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Measured by `rag.quoting.calibrate` when an index is built; the defaults are the bundled embedder's.

    `other_field` and `spread`: mean and standard deviation of the likeness that questions of other fields reach. They
    are the scale of the other two, so that these hold for every embedder.
    """

    other_field: float = 0.19
    spread: float = 0.053
    relevance: float = 2.0
    """From here on a question counts as one the shelf can answer."""
    number: float = 7.3
    """From here on a sentence with a number in it may hold the number asked for."""

    def scaled(self, cosine: float) -> float:
        """A cosine in standard deviations above a question of another field."""
        return (cosine - self.other_field) / self.spread

    def to_dict(self) -> dict[str, float]:
        """In JSON's types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, float]) -> Thresholds:
        """The inverse of `to_dict`."""
        return cls(**values)
