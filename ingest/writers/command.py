"""`python -m rag export shelf`: every abstract of a shelf in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ingest.writers import FORMATS, written
from rag.catalogue import Catalogue
from rag.console import print_json, say
from rag.errors import InputError, SettingsError
from rag.export.files import replacing
from rag.types import Abstract

PORTION = 500
"""Abstracts in memory at a time."""


def export_shelf(home: Path, to: str | None, out: Path | None, *, as_json: bool) -> int:
    """Write the shelf in `home`; the format is `to`, or what `out` ends in. Returns the exit status."""
    if out is None:
        raise SettingsError("Where to write the shelf is not said.", "Add --out FILE, such as shelf.ris.")
    catalogue = Catalogue(home)
    try:
        number = save(catalogue, to or out.suffix.removeprefix(".").lower(), out)
    finally:
        catalogue.close()
    if as_json:
        print_json({"path": str(out), "abstracts": number})
    else:
        say(f"{out}: {number:,} abstracts. It reads back with: python -m ingest {out}")
    return 0


def save(catalogue: Catalogue, to: str, path: Path) -> int:
    """Write all abstracts in the order they were first stored, the whole file or none; returns how many."""
    if to not in FORMATS:
        raise SettingsError(
            f"{to or 'Nothing'} is no format to export the shelf to.", f"Known are {', '.join(FORMATS)}."
        )
    ids = catalogue.ids()
    try:
        with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
            file.writelines(written(_abstracts(catalogue, ids), to))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Name another --out.") from None
    return len(ids)


def _abstracts(catalogue: Catalogue, ids: list[str]) -> Iterator[Abstract]:
    for start in range(0, len(ids), PORTION):
        found = catalogue.many(ids[start : start + PORTION])
        yield from (found[each] for each in ids[start : start + PORTION] if each in found)
