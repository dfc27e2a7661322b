"""A Zotero library: `users/1`, `groups/2`, either with `/collections/KEY`, or `local` for the Zotero that runs here.

GET .../items/top with `start` and `limit`, as on https://www.zotero.org/support/dev/web_api/v3; the key goes into the
header Zotero-API-Key. The local Zotero (version 7) answers the same on port 23119 and wants no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

PAGE = 100
LIBRARY = re.compile(r"(?:(?P<kind>users|groups)/(?P<number>\d+)|local)(?P<part>/collections/[A-Z0-9]{8})?")
WANTED: Mapping[str, str | int] = {
    "v": 3,
    "format": "json",
    "itemType": "-attachment || note",
    "sort": "dateAdded",
    "direction": "asc",
}
LOCAL = "http://127.0.0.1:23119/api"


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The library's items page by page, without attachments and notes; `after` is an offset."""
    match = LIBRARY.fullmatch(query)
    if match is None:
        raise FeedError(
            f"{query} names no Zotero library.",
            "Write zotero:users/NUMBER, zotero:groups/NUMBER or zotero:local, with /collections/KEY for a part.",
            refused=True,
        )
    if match["kind"] is None:
        access = replace(client.access, keys={}, bases={"zotero": LOCAL, **client.access.bases})
        with Client(client.service, access) as local:
            yield from _items(local, f"/users/0{match['part'] or ''}/items/top", start, limit)
    else:
        path = f"/{match['kind']}/{match['number']}{match['part'] or ''}/items/top"
        yield from _items(client, path, start, limit)


def _items(client: Client, path: str, start: str | None, limit: int | None) -> Iterator[Page]:
    at = int(start or 0)
    size = min(limit or PAGE, PAGE)
    while True:
        body, number, total = client.ask(path, {**WANTED, "start": at, "limit": size}, items)
        if not number:
            return
        at += number
        over = total is not None and at >= total
        yield Page(body, None if over else str(at))
        if over:
            return


def items(reply: Reply) -> tuple[bytes, int, int | None]:
    """The items, how many they are, and how many the library has; none is doubtful."""
    found = reply.json()
    if not isinstance(found, list):
        raise UnreadyError(f"{reply.service} sent something that is no list of items.")
    total = reply.headers.get("total-results", "")
    answer = reply.body, len(found), int(total) if total.isdigit() else None
    if not found:
        raise DoubtfulError(f"{reply.service} sent an empty page.", answer)
    return answer


SERVICE = Service("zotero", "Zotero", "https://api.zotero.org", 0.5, pages, "ZOTERO_API_KEY", "Zotero-API-Key")
