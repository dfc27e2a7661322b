"""Questions about the shelf itself (how many, which years, list all): answered from the catalogue, not by ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.counting.request import read_request

if TYPE_CHECKING:
    from rag.draft import Draft
    from rag.library import Library
    from rag.types import Filters


def counted(library: Library, question: str, filters: Filters) -> Draft | None:
    """The answer to a question about the shelf, within `filters`; None for any other question."""
    request = read_request(question)
    if request is None:
        return None
    from rag.counting.reply import LISTED, reply
    from rag.counting.shelf import count
    from rag.ranking.spelling import mended

    topic = mended(library.snapshot.lexical, request.topic) if request.topic else ""
    found = count(library.catalogue, request, topic, filters)
    listed = library.catalogue.many(found.ids[:LISTED])
    return reply(
        request.kind, found, [listed[identity] for identity in found.ids[:LISTED]], library.catalogue.counts()[0]
    )
