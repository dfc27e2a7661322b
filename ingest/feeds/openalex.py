"""OpenAlex works: words that are searched, `filter=...` in OpenAlex's own language, or one work `W123`.

GET /works with cursor paging, as on https://developers.openalex.org; the key goes into the Authorization header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

PAGE = 100
FIELDS = (
    "id,doi,ids,title,display_name,publication_year,publication_date,authorships,primary_location,keywords,language,"
    "type,is_retracted,abstract_inverted_index"
)
FIRST = "*"
WORK = re.compile(r"W\d+", re.IGNORECASE)


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The works page by page; `after` is OpenAlex's cursor."""
    wanted: dict[str, str | int] = {"per_page": min(limit or PAGE, PAGE), "select": FIELDS, **_selection(query)}
    cursor: str | None = start or FIRST
    while cursor:
        body, cursor = client.ask("/works", {**wanted, "cursor": cursor}, works)
        if body is None:
            return
        yield Page(body, cursor)


def works(reply: Reply) -> tuple[bytes | None, str | None]:
    """The answer's bytes and its next cursor; no bytes where it holds no works, which is doubtful."""
    answer: Any = reply.json()
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise UnreadyError(f"{reply.service} sent something that is no list of works.")
    if not answer["results"]:
        raise DoubtfulError(f"{reply.service} sent an empty page.", (None, None))
    return reply.body, (answer.get("meta") or {}).get("next_cursor")


def _selection(query: str) -> dict[str, str]:
    if WORK.fullmatch(query):
        return {"filter": f"openalex:{query.upper()}"}
    name, equals, value = query.partition("=")
    return {"filter": value.strip()} if equals and name.strip() == "filter" else {"search": query}


SERVICE = Service("openalex", "OpenAlex", "https://api.openalex.org", 0.2, pages, "OPENALEX_API_KEY", "Authorization")
