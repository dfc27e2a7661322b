"""What a reader yields: records as they stand in a file, and the ones that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record as read: `fields` under the file's own names, `where` as "file:line" (line 1-based).

    `braces_group`: braces in the abstract are BibTeX's and not text.
    """

    fields: Mapping[str, Any]
    where: str
    braces_group: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that is not kept: `where` is "file:line", or the file alone when all of it is meant.

    `records` says how many records it stands for: 0 where the file is known to hold none (an error answer of an API),
    1 where that is not known. `broken_off`: more was there and did not come, as of a feed that ended early.
    """

    where: str
    reason: str
    records: int = 1
    broken_off: bool = False
