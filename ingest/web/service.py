"""What a feed module declares about its service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.web.client import Client


@dataclass(frozen=True, slots=True)
class Page:
    """Records as the service sent them, never none; `after` is where to go on, None at the end."""

    data: bytes = field(repr=False)
    after: str | None


@dataclass(frozen=True, slots=True)
class Service:
    """One service: `python -m ingest NAME:QUERY`.

    `pages(client, query, start, limit)` yields the pages of a query from `start` on (an earlier page's `after`; None:
    the beginning). `limit` is how many records are wanted in all, a hint for the size of pages. It raises FeedError.
    """

    name: str
    title: str
    base: str
    pause: float
    """Least seconds between two requests, by the service's rules."""
    pages: Callable[[Client, str, str | None, int | None], Iterator[Page]]
    key_setting: str | None = None
    key_header: str | None = None
    """The header a key goes into; a service without one has its module send it in a request's body."""
