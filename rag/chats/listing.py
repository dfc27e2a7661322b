"""Conversations grouped by when they were last used."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from itertools import groupby

from rag.chats.values import Chat

WEEK = 7


def by_date(chats: Iterable[Chat], today: date) -> list[tuple[str, list[Chat]]]:
    """Groups as a reader looks for them, in the order given (the latest first)."""
    groups = groupby(chats, key=lambda chat: period(datetime.fromtimestamp(chat.updated).date(), today))
    return [(name, list(group)) for name, group in groups]


def period(day: date, today: date) -> str:
    """`Today`, `Yesterday`, `Last 7 days`, else month and year."""
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day > today - timedelta(days=WEEK):
        return "Last 7 days"
    return f"{day:%B %Y}"
