"""The result of one examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MEND = "Mend it: python -m rag doctor --fix."
ANEW = "Move the catalogue away and ingest your files again."


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; `fix` is empty where it is sound. `findings` are single records a person may look at."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    findings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """One entry of `doctor --json`."""
        shown = {"name": self.name, "ok": self.ok, "detail": self.detail, "fix": self.fix or None}
        return {**shown, "findings": list(self.findings)}


def verdict(name: str, detail: str, fix: str) -> Check:
    """Sound where there is nothing to fix."""
    return Check(name, not fix, detail, fix)
