"""What a service answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ingest.web.errors import UnreadyError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

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

    def xml(self) -> Element:
        """The root of the body as XML, without entities, DTD and network; raises UnreadyError where it is none."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=True)
        try:
            return etree.fromstring(self.body, parser)
        except etree.XMLSyntaxError:
            raise UnreadyError(f"{self.service} sent something that is not whole XML.") from None

    @property
    def words(self) -> str:
        """What the service says went wrong, on one line; empty where it says nothing readable."""
        if self.is_page:
            return ""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError):
            markup = self.body.lstrip().startswith(b"<")
            value = self._told() if markup else self.body.decode("utf-8", "replace")
        return " ".join(str(_message(value)).split())[:SHOWN]

    def _told(self) -> str:
        """The message inside an error in XML."""
        try:
            elements = self.xml().iter("{*}summary", "{*}ERROR", "{*}error", "{*}message")
        except UnreadyError:
            return ""
        return next((text for each in elements if (text := "".join(map(str, each.itertext())).strip())), "")


def _message(value: Any) -> str:
    """The message inside an error object of one of the usual shapes."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("message", "error", "msg", "detail"):
            if value.get(key):
                return _message(value[key])
    if isinstance(value, list) and value:
        return _message(value[0])
    return ""
