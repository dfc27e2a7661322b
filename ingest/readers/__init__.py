"""One file per format: bytes of a file -> raw records, each with its place.

A module here that defines `FORMAT` is a reader; nothing else has to be told of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from ingest.document import Document
from ingest.format import Confidence, Format
from ingest.records import RawRecord, Rejected
from ingest.source import Source

LFS_POINTER = b"version https://git-lfs.github.com/spec/"


def formats() -> tuple[Format, ...]:
    """Every format there is a reader for, by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").FORMAT for name in names)


def read(source: Source, *, titles: bool = False) -> Iterator[RawRecord | Rejected]:
    """The records of one source, in the file's order; what cannot be read is Rejected and the rest goes on.

    With `titles` a table may lack a column of abstracts. Never raises for what a file holds.
    """
    try:
        document = Document.of(source)
        chosen = format_of(document)
        if isinstance(chosen, Rejected):
            yield chosen
            return
        nothing = True
        for record in chosen.read(document, titles):
            nothing = False
            yield record
    except OSError as error:
        yield Rejected(source.name, f"cannot be read: {error.strerror or error}")
        return
    if nothing:
        yield Rejected(source.name, f"holds no records (read as {chosen.name})")


def format_of(document: Document) -> Format | Rejected:
    """The format whose reader is surest, or why there is none."""
    name = document.source.name
    if not document.head.strip():
        return Rejected(name, "is empty")
    if document.head.startswith(LFS_POINTER):
        return Rejected(name, "is a Git LFS pointer, not the file itself: run `git lfs pull`")
    known = formats()
    sure = {each: each.recognises(document) for each in known}
    best = max(known, key=sure.__getitem__)
    if sure[best] > Confidence.NO:
        return best
    readable = ", ".join(f"{each.name} ({' '.join(each.extensions)})" for each in known)
    what = "is text of an unknown format" if document.encoding else f"is not text but {kind(document.head)}"
    return Rejected(name, f"{what}; readable are {readable}")


def kind(head: bytes) -> str:
    """What binary data is, as far as its first bytes tell."""
    from filetype import guess  # type: ignore[import-untyped] # ships no types

    found = guess(head)
    return f"binary data ({found.mime})" if found else "binary data"
