"""arXiv: a search in arXiv's own language (`cat:cs.CL AND ti:retrieval`), or ids separated by commas.

GET /api/query with `start` and `max_results`, as on https://info.arxiv.org/help/api/user-manual.html: Atom, one request
in three seconds, the first 30,000 of a search. Its pages are known to come empty or short now and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ingest.text import identifiers
from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

PAGE = 100
REACH = 30_000
ATOM = "{http://www.w3.org/2005/Atom}"
TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
ERRORS = "arxiv.org/api/errors"


class Found(NamedTuple):
    """A page of a search: how many papers it holds, and how many there are in all."""

    body: bytes
    number: int
    total: int


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The papers page by page; `after` is an offset."""
    at = int(start or 0)
    total = at + 1
    while at < min(total, REACH):
        size = min(limit or PAGE, PAGE, REACH - at)
        wanted = {**_selection(query), "start": at, "max_results": size}
        body, number, total = client.ask("/api/query", wanted, partial(papers, at=at))
        if not number and total > at:
            raise FeedError(f"arXiv sent an empty page at {at:,} of {total:,} papers again and again.", "Run it again.")
        if not number:
            return
        at += number
        yield Page(body, str(at) if at < total else None)
    if total > REACH:
        raise FeedError(f"arXiv gives only the first {REACH:,} of {total:,}.", "Narrow the query.", refused=True)


def papers(reply: Reply, at: int) -> Found:
    """A page of papers from `at` on; an empty one is doubtful."""
    feed = reply.xml()
    if feed.tag != f"{ATOM}feed":
        raise UnreadyError(f"{reply.service} sent something that is no Atom feed.")
    entries = feed.findall(f"{ATOM}entry")
    for entry in entries:
        if ERRORS in (entry.findtext(f"{ATOM}id") or ""):
            said = " ".join((entry.findtext(f"{ATOM}summary") or "").split())
            raise FeedError(f"arXiv did not accept the query: {said}.", refused=True)
    total = (feed.findtext(TOTAL) or "").strip()
    found = Found(reply.body, len(entries), int(total) if total.isdigit() else at + len(entries))
    if not entries:
        raise DoubtfulError(f"{reply.service} sent an empty page.", found)
    return found


def _selection(query: str) -> dict[str, str | int]:
    ids = [part.strip() for part in query.split(",")]
    if all(map(identifiers.arxiv, ids)):
        return {"id_list": ",".join(ids)}
    return {"search_query": query}


SERVICE = Service("arxiv", "arXiv", "https://export.arxiv.org", 3.0, pages)
