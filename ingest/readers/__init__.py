"""One file per format: bytes of a file -> raw records, each with its place.

A module here that defines `FORMAT` is a reader; nothing else has to be told of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.source import Source
from ingest.parsing.unpack import unpack
from ingest.parsing.unreadable import unreadable
from ingest.records import RawRecord, Rejected


def formats() -> tuple[Format, ...]:
    """Every format there is a reader for, XML first, then by module name."""
    names = sorted(module.name for module in iter_modules(__path__))
    found = [import_module(f"{__name__}.{name}").FORMAT for name in names]
    return tuple(sorted(found, key=lambda each: not each.xml))


def read(source: Source, *, titles: bool = False) -> Iterator[RawRecord | Rejected]:
    """The records of one source, in the file's order; what cannot be read is Rejected and the rest goes on.

    Archives are read file by file. With `titles` a table may lack a column of abstracts. Never raises for what a
    file holds.
    """
    try:
        for each in unpack(source):
            yield from [each] if isinstance(each, Rejected) else _read_one(each, titles)
    except OSError as error:
        yield Rejected(source.name, f"cannot be read: {error.strerror or error}")


def _read_one(source: Source, titles: bool) -> Iterator[RawRecord | Rejected]:
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
        yield Rejected(source.name, f"holds no records (read as {chosen.name})", records=0)


def format_of(document: Document) -> Format | Rejected:
    """The format whose reader is surest, or why there is none. A reader that is certain is not compared on."""
    if not document.head.strip():
        return Rejected(document.source.name, "is empty")
    foreign = unreadable(document.head)
    if foreign is not None:
        return Rejected(document.source.name, *foreign)
    best, surest = None, Confidence.NO
    for each in formats():
        sure = each.recognises(document)
        if sure > surest:
            best, surest = each, sure
        if sure is Confidence.CERTAIN:
            break
    return best or Rejected(document.source.name, unknown(document))


def unknown(document: Document) -> str:
    """What a file of no known format is, and which formats there are."""
    if document.encoding is None:
        what = f"is not text but {kind(document.head)}"
    elif document.tags:
        what = f"is XML of an unknown format (its root is <{document.tags[0]}>)"
    else:
        what = "is text of an unknown format"
    return f"{what}; docs/formats.md lists those that can be read"


def kind(head: bytes) -> str:
    """What binary data is, as far as its first bytes tell."""
    from filetype import guess  # type: ignore[import-untyped] # ships no types

    found = guess(head)
    return f"binary data ({found.mime})" if found else "binary data"
