"""Hugging Face papers: the daily papers of a day, week or month, else a search.

GET /api/daily_papers (`date` | `week` | `month`, `p`, `limit`) and /api/papers/search (`q`), as on
https://huggingface.co/spaces/huggingface/openapi. Both answer a list of {"paper": {...}}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count

from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

PAGE = 100
FOUND = 120
"""What one search gives at most; it has no pages."""
PERIODS = {
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "week": re.compile(r"\d{4}-W\d\d"),
    "month": re.compile(r"\d{4}-\d\d"),
}


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The papers of a period page by page, or all that a search finds at once."""
    period = next((name for name, form in PERIODS.items() if form.fullmatch(query)), None)
    if period is None:
        found = client.ask("/api/papers/search", {"q": query, "limit": min(limit or FOUND, FOUND)}, papers)
        if found:
            yield Page(json.dumps(found).encode(), None)
        return
    size = min(limit or PAGE, PAGE)
    for number in count(int(start or 0)):
        found = client.ask("/api/daily_papers", {period: query, "p": number, "limit": size}, papers)
        if not found:
            return
        yield Page(json.dumps(found).encode(), str(number + 1))


def papers(reply: Reply) -> list[object]:
    """The papers of a reply; none is doubtful."""
    found = reply.json()
    if isinstance(found, dict) and found.get("error"):
        raise FeedError(f"{reply.service}: {reply.words}.", refused=True)
    if not isinstance(found, list):
        raise UnreadyError(f"{reply.service} sent something that is no list of papers.")
    if not found:
        raise DoubtfulError(f"{reply.service} sent an empty page.", found)
    return found


SERVICE = Service("hf-papers", "Hugging Face", "https://huggingface.co", 0.5, pages)
