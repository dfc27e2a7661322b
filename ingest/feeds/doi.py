"""One paper by its DOI, from Crossref: GET /works/DOI as on https://api.crossref.org."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

from ingest.text import identifiers
from ingest.web.client import Client
from ingest.web.errors import FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service


def pages(client: Client, query: str, _start: str | None, _limit: int | None) -> Iterator[Page]:
    """The one page with the one work."""
    doi = identifiers.doi(query) or identifiers.doi_in_url(query)
    if doi is None:
        raise FeedError(f"{query} is no DOI.", "Write doi:10.1234/abcd.", refused=True)
    if arxiv := identifiers.arxiv_of_doi(doi):
        raise FeedError(f"{doi} is not at Crossref but at arXiv.", f"Write arxiv:{arxiv}.", refused=True)
    yield Page(client.ask(f"/works/{quote(doi, safe='')}", {}, work), None)


def work(reply: Reply) -> bytes:
    """The work, without the envelope around it."""
    answer = reply.json()
    message = answer.get("message") if isinstance(answer, dict) else None
    if not isinstance(message, dict):
        raise UnreadyError(f"{reply.service} sent something that is no work.")
    return json.dumps(answer).encode()


SERVICE = Service("doi", "Crossref", "https://api.crossref.org", 0.2, pages)
