"""Semantic Scholar: the best of a search where a limit is set within its reach, else all of it in bulk.

GET /graph/v1/paper/search (by relevance, the first 1,000, `offset`) and /graph/v1/paper/search/bulk (all, in no
order of relevance, `token`), as on https://api.semanticscholar.org/api-docs/graph; key in the header x-api-key.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

FIELDS = "paperId,externalIds,url,title,abstract,venue,year,publicationDate,authors"
PAGE = 100
REACH = 1000
"""Records that a search by relevance gives at most."""


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The papers page by page; `after` is an offset or a token, by the way they are asked for."""
    best = limit is not None and limit <= REACH
    path = "/graph/v1/paper/search" + ("" if best else "/bulk")
    place = "offset" if best else "token"
    after = start
    while True:
        wanted: dict[str, str | int] = {"query": query, "fields": FIELDS, **({place: after} if after else {})}
        if best:
            wanted["limit"] = min(limit or PAGE, PAGE)
        body, after = client.ask(path, wanted, papers)
        if body is None:
            return
        yield Page(body, after)
        if after is None or (best and int(after) >= REACH):
            return


def papers(reply: Reply) -> tuple[bytes | None, str | None]:
    """The answer's bytes and where to go on; no bytes where it holds no papers, which is doubtful."""
    answer: Any = reply.json()
    if isinstance(answer, dict) and answer.get("error"):
        raise FeedError(f"{reply.service}: {reply.words}.", refused=True)
    if not isinstance(answer, dict) or not isinstance(answer.get("data", []), list):
        raise UnreadyError(f"{reply.service} sent something that is no list of papers.")
    if not answer.get("data"):
        raise DoubtfulError(f"{reply.service} sent an empty page.", (None, None))
    after = answer.get("token") or answer.get("next")
    return reply.body, None if after is None else str(after)


SERVICE = Service(
    "semanticscholar",
    "Semantic Scholar",
    "https://api.semanticscholar.org",
    1.1,
    pages,
    "SEMANTIC_SCHOLAR_API_KEY",
    "x-api-key",
)
