"""`make-cases`: drafts written to a file that nobody has worked on yet."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from rag.catalogue import Catalogue
from rag.config import Settings
from rag.console import say
from rag.errors import InputError
from rag.evaluate.drafts.make import Made, make


def make_cases(settings: Settings, number: int, seed: int, out: Path | None, *, use_model: bool) -> int:
    """Write the drafts to `out` (never over another file) or to stdout; 1 where the shelf gives fewer than asked."""
    from rag.llm import make_llm

    if out is not None and out.exists():
        raise InputError(f"{out} exists, and may hold cases that were checked.", "Name another file with --out.")
    llm = make_llm(settings) if use_model else None
    catalogue = Catalogue(settings.home)
    try:
        made = make(catalogue, number, seed, llm)
    finally:
        catalogue.close()
        if llm is not None:
            llm.close()
    lines = "".join(json.dumps(draft.to_dict(), ensure_ascii=False) + "\n" for draft in made.drafts)
    _write(lines, out)
    say(_summary(made, number))
    return int(len(made.drafts) < number)


def _write(lines: str, out: Path | None) -> None:
    if out is None:
        sys.stdout.write(lines)
        return
    try:
        out.write_text(lines, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}.", "Name another file with --out.") from None


def _summary(made: Made, number: int) -> str:
    kinds = Counter(draft.kind for draft in made.drafts)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    fewer = f" The shelf gives no more than {len(made.drafts)} of {number}." if len(made.drafts) < number else ""
    replies = f" {made.unusable} replies of the model could not be used." if made.unusable else ""
    check = 'They are drafts: read each, mend it or drop it, and take its "draft": true out.'
    return f"{len(made.drafts)} cases ({parts}).{fewer}{replies} {check}"
