"""The shelf as one file that other programs read, and that reads back as the same abstracts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module

from ingest.merging.exact import lost
from ingest.normalise import normalise
from ingest.parsing.document import Document
from ingest.parsing.format import Format
from ingest.parsing.source import Source
from ingest.records import RawRecord
from rag.errors import SettingsError
from rag.types import Abstract

FORMATS = {"jsonl": "jsonl", "ris": "ris", "bib": "bibtex", "csv": "csv"}
"""Endings, and the module of each one's writer."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How a format writes a record with the parts it cannot hold, what stands before all records, and its reader."""

    write: Callable[[Abstract, dict[str, object]], str]
    format: Format
    header: str = ""


def writer(to: str) -> Writer:
    """The writer of a format; raises SettingsError for one that is none."""
    if to not in FORMATS:
        raise SettingsError(f"{to} is no format to export the shelf to.", f"Known are {', '.join(FORMATS)}.")
    found: Writer = import_module(f"{__name__}.{FORMATS[to]}").WRITER
    return found


def written(abstracts: Iterable[Abstract], to: str) -> Iterator[str]:
    """The file's text in pieces, a record each behind the header.

    Read back, each record is an Abstract equal to its own in every field but `sources`, which name the new file, and
    the order of `aliases`, to which BibTeX adds the citation key. White space stays as it is: where a format would
    change it, as any other part it cannot hold, the part is written a second time in the field `footnote`.
    """
    chosen = writer(to)
    yield chosen.header
    for abstract in abstracts:
        plain = chosen.write(abstract, {})
        missing = lost(abstract, _back(chosen, plain, abstract))
        yield chosen.write(abstract, dict(missing)) if missing else plain


def _back(chosen: Writer, record: str, abstract: Abstract) -> Abstract | None:
    """What the format's reader makes of one record; its key, if it is not the abstract's own, is no part of it."""
    document = Document.of(Source("", data=(chosen.header + record).encode()))
    found = list(chosen.format.read(document, True))
    back = normalise(found[0], titles=False) if len(found) == 1 and isinstance(found[0], RawRecord) else None
    if not isinstance(back, Abstract):
        return None
    return without_new_keys(back, abstract)


def without_new_keys(back: Abstract, abstract: Abstract) -> Abstract:
    """`back` without `file:` aliases that `abstract` lacks."""
    own = {name for name in back.aliases if not name.startswith("file:") or name in abstract.aliases}
    return replace(back, aliases=tuple(name for name in back.aliases if name in own))
