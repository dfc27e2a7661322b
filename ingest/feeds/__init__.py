"""One file per service: a query -> pages in the service's own format, which the readers of that format read.

A module here that defines `SERVICE` is a feed; nothing else has to be told of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from pkgutil import iter_modules

from ingest import readers
from ingest.normalise import identifiers_of, keys_of
from ingest.records import RawRecord, Rejected
from ingest.source import Source
from ingest.web.access import Access
from ingest.web.errors import FeedError
from ingest.web.service import Page, Service
from ingest.web.spool import Spool
from rag.types import sha12

ANEW = "The place of an earlier run may have expired: the same command now begins anew."
PREFIX = re.compile(r"([a-z][a-z-]+):(.*)", re.DOTALL)


@cache
def services() -> dict[str, Service]:
    """Every service there is a feed for, by name."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return {module.SERVICE.name: module.SERVICE for module in modules}


def is_feed(name: str) -> bool:
    """Whether a name means a query to a service: `arxiv:QUERY`, and no file is called so."""
    match = PREFIX.fullmatch(name)
    return match is not None and match[1] in services() and not os.path.lexists(name)


def read(
    name: str, access: Access, *, limit: int | None = None, titles: bool = False, home: Path | None = None
) -> Iterator[RawRecord | Rejected]:
    """The records of a feed, at most `limit`; each stands at "NAME#id".

    Pages are kept below `home` until all are there, so that the same call goes on after an interruption. What a
    service refuses or breaks off is Rejected behind all that came before. Never raises for what a service does.
    """
    spool = Spool(home and home / "feeds" / sha12(f"{name}\n{limit}"))
    number = 0
    try:
        for page in _pages(name, access, limit, spool):
            for record in _records(name, page, titles, number):
                yield record
                number += 1
                if number == limit:
                    spool.clear()
                    return
    except FeedError as error:
        came = f"stopped after {number:,} records: " if number else ""
        yield Rejected(name, came + str(error).rstrip("."))
        return
    spool.clear()
    if not number:
        yield Rejected(name, f"{services()[_parts(name)[0]].title} has nothing for it")


def _pages(name: str, access: Access, limit: int | None, spool: Spool) -> Iterator[Page]:
    from ingest.web.client import Client

    which, query = _parts(name)
    service = services()[which]
    if not query:
        raise FeedError(f"{service.title} was asked for nothing.", f"Write {which}:QUERY.", refused=True)
    kept, last = 0, Page(b"", "")
    for last in spool.pages():
        kept += 1
        yield last
    if last.after is None:
        return
    with Client(service, access) as client:
        try:
            for number, page in enumerate(service.pages(client, query, last.after or None, limit), kept):
                spool.add(number, page)
                yield page
        except FeedError as error:
            if not error.refused:
                raise
            spool.clear()  # asking from this place again would be refused again
            raise FeedError(error.message, error.fix or (ANEW if kept else "")) from error


def _records(name: str, page: Page, titles: bool, before: int) -> Iterator[RawRecord | Rejected]:
    for number, record in enumerate(readers.read(Source(name, data=page.data), titles=titles), before + 1):
        if isinstance(record, Rejected):
            yield Rejected(f"{name}#{number}", record.reason)
        else:
            own = next(islice((*identifiers_of(record.fields), *keys_of(record.fields)), 1), str(number))
            yield replace(record, where=f"{name}#{own}")


def _parts(name: str) -> tuple[str, str]:
    match = PREFIX.fullmatch(name)
    assert match is not None  # noqa: S101 - `is_feed` said so
    return match[1], match[2].strip()
