"""What a service answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ingest.web.errors import UnreadyError

SHOWN = 200
"""Characters of a service's own words in a message."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole answer; header names in lower case."""

    service: str
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def is_page(self) -> bool:
        """Whether this is a web page, as firewalls, logins and maintenance notices are."""
        start = self.body[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        return start.startswith((b"<!doctype html", b"<html"))

    def json(self) -> Any:
        """The body as JSON; raises UnreadyError where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise UnreadyError(f"{self.service} sent something that is not whole JSON.") from None

    @property
    def words(self) -> str:
        """What the service says went wrong, on one line; empty where it says nothing readable."""
        if self.is_page:
            return ""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            value = self.body.decode("utf-8", "replace")
        return " ".join(str(_message(value)).split())[:SHOWN]


def _message(value: Any) -> str:
    """The message inside an error object of one of the usual shapes."""
    if isinstance(value, str):
        return "" if value.lstrip().startswith("<") else value
    if isinstance(value, Mapping):
        for key in ("message", "error", "msg", "detail"):
            if value.get(key):
                return _message(value[key])
    if isinstance(value, list) and value:
        return _message(value[0])
    return ""
