"""A feed's pages -> raw records, each with its place, by the readers of the format the pages are in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ingest import readers
from ingest.feeds import parts
from ingest.normalise import identifiers_of, keys_of
from ingest.parsing.source import Source
from ingest.records import RawRecord, Rejected
from ingest.web.access import Access
from ingest.web.errors import FeedError
from ingest.web.service import Page
from ingest.web.spool import Spool
from rag.types import sha12

ANEW = "The place of an earlier run may have expired: the same command now begins anew."


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
        yield Rejected(name, came + str(error).rstrip("."), broken_off=True)
        return
    spool.clear()
    if not number:
        yield Rejected(name, f"{parts(name)[0].title} has nothing for it")


def _pages(name: str, access: Access, limit: int | None, spool: Spool) -> Iterator[Page]:
    from ingest.web.client import Client

    service, query = parts(name)
    if not query:
        raise FeedError(f"{service.title} was asked for nothing.", f"Write {service.name}:QUERY.", refused=True)
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
