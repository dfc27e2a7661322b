"""What is wrong with a file of cases, each fault with its line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rag.errors import InputError

SHOWN = 50
"""Faults that are said one by one."""


class Fault(NamedTuple):
    """`where` is `file:line`. `missing`: gold that is not on the shelf, the only kind that can be left as it is."""

    where: str
    what: str
    missing: bool = False

    def __str__(self) -> str:
        return f"{self.where}: {self.what}."


class CasesError(InputError):
    """Cases that cannot be used; nothing was asked. `faults` is not empty."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        others = len(faults) - 1
        more = f" ({others} more{' stand above' if others < SHOWN else ''}.)" if others else ""
        fix = "Mend the lines"
        if all(fault.missing for fault in faults):
            fix = "Ingest what is missing, or count it as not found with --keep-missing"
        super().__init__(f"{faults[0]}{more}", f"{fix}.")
