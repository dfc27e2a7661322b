"""PubMed: a search in PubMed's own language (`sleep[ti] AND 2024[dp]`), or PMIDs separated by commas.

esearch leaves the result on NCBI's history server and efetch reads it page by page as XML, as on
https://www.ncbi.nlm.nih.gov/books/NBK25499/: three requests a second without a key, the first 9,999 of a search.
Everything is POSTed: the key and a long query have no place in an address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.web.client import Client
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Page, Service

PAGE = 200
REACH = 9_999


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a result on the history server: `at` of `total`."""

    at: int
    total: int
    key: str
    environment: str

    def __str__(self) -> str:
        return f"{self.at}:{self.total}:{self.key}:{self.environment}"

    @classmethod
    def of(cls, text: str) -> Place:
        """The inverse of `str`."""
        at, total, key, environment = text.split(":", 3)
        return cls(int(at), int(total), key, environment)

    def moved(self, number: int) -> Place:
        """So many records on."""
        return Place(self.at + number, self.total, self.key, self.environment)


def pages(client: Client, query: str, start: str | None, limit: int | None) -> Iterator[Page]:
    """The articles page by page; `after` is the place of the next."""
    manners = {"tool": "footnote", **({"email": client.access.contact} if client.access.contact else {})}
    manners |= {"api_key": client.key} if client.key else {}
    asked = {"db": "pubmed", "term": query, "usehistory": "y", "retmax": "0", "retmode": "json"}
    place = Place.of(start) if start else client.ask("/esearch.fcgi", {}, result, form={**asked, **manners})
    while place.at < min(place.total, REACH):
        size = min(limit or PAGE, PAGE, REACH - place.at)
        history = {"db": "pubmed", "WebEnv": place.environment, "query_key": place.key, "retmode": "xml"}
        form = {**history, "retstart": str(place.at), "retmax": str(size), **manners}
        body = client.ask("/efetch.fcgi", {}, articles, form=form)
        place = place.moved(size)
        yield Page(body, str(place) if place.at < place.total else None)
    if place.total > REACH:
        fix = "Split the search by year: AND 2024[dp]."
        raise FeedError(f"PubMed gives only the first {REACH:,} of {place.total:,}.", fix, refused=True)


def result(reply: Reply) -> Place:
    """Where a search left what it found; nothing is doubtful."""
    answer: Any = reply.json()
    found = answer.get("esearchresult") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        raise UnreadyError(f"{reply.service} sent something that is no search result.")
    if found.get("ERROR"):
        raise FeedError(f"PubMed did not accept the query: {found['ERROR']}.", refused=True)
    place = Place(0, int(found.get("count") or 0), str(found.get("querykey", "")), str(found.get("webenv", "")))
    if not place.total:
        raise DoubtfulError(f"{reply.service} found nothing.", place)
    return place


def articles(reply: Reply) -> bytes:
    """The XML of a page that holds articles."""
    root = reply.xml()
    if (said := root.findtext(".//ERROR")) or root.tag == "ERROR":
        raise FeedError(f"PubMed did not give the articles: {said or root.text}.", refused=True)
    if root.tag != "PubmedArticleSet" or not len(root):
        raise UnreadyError(f"{reply.service} sent an empty page.")
    return reply.body


SERVICE = Service("pubmed", "PubMed", "https://eutils.ncbi.nlm.nih.gov/entrez/eutils", 0.34, pages, "NCBI_API_KEY")
