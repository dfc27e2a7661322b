"""Claims that people labelled: JSON Lines of `claim`, `evidence` and `label`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.check import Claim
from rag.errors import InputError

SUPPORTED = {"supported": True, "yes": True, "true": True, "1": True}
SUPPORTED |= dict.fromkeys(("partly", "unsupported", "contradicted", "no", "false", "0"), False)
"""What each label says of whether the evidence states all of the claim."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim with its texts, and what a person said of it."""

    claim: Claim
    label: str

    @property
    def supported(self) -> bool:
        """Whether the person calls it supported."""
        return SUPPORTED[self.label]


def read_labels(path: Path) -> list[Labelled]:
    """The claims of a file; raises InputError with the first line that is none."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Name a file of JSON Lines in UTF-8.") from None
    found = [_labelled(line, f"{path}:{number}", number) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise InputError(
            f"{path} holds no labels.", 'Write {"claim": "...", "evidence": ["..."], "label": "supported"}.'
        )
    return found


def _labelled(line: str, where: str, number: int) -> Labelled:
    try:
        row: Any = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{where} is no JSON object.", "Write one object a line.")
    claim, evidence, label = row.get("claim"), row.get("evidence"), str(row.get("label")).strip().lower()
    texts: Any = [evidence] if isinstance(evidence, str) else evidence
    if not (isinstance(claim, str) and claim.strip() and _are_texts(texts)):
        raise InputError(f"{where}: claim is a text and evidence a list of texts.", "Mend the line.")
    if label not in SUPPORTED:
        raise InputError(f"{where}: the label {label!r} is not known.", f"Known are {', '.join(SUPPORTED)}.")
    return Labelled(Claim(str(row.get("id", number)), claim, tuple(texts)), label)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) and text.strip() for text in value)
