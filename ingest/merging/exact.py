"""What a format cannot hold of an abstract, written beside it so that reading it back gives the same abstract.

A record that Footnote exported carries, where it needs it, a field `footnote` (RIS: U5): a JSON object of those parts
that the format or its escapes would change, such as the id, the text as it was first read, or a control character.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

from ingest.text.clean import clean
from rag.types import Abstract

FIELD = "footnote"
TEXTS = ("id", "text", "raw")
MAYBE_TEXTS = ("title", "venue", "url", "language", "retracted")
LISTS = ("authors", "keywords", "aliases")
IDS = ("doi:", "arxiv:", "pmid:", "sha-")


def lost(abstract: Abstract, back: Abstract | None) -> dict[str, Any]:
    """The parts in which what was read back differs; all of them where nothing was. Aliases have no order.

    The text is made of the raw one when that is given, and given as well where that makes another.
    """
    if back is None:
        return {name: _json(getattr(abstract, name)) for name in (*TEXTS, *MAYBE_TEXTS, "year", *LISTS)}
    differing = [
        name
        for name in (*TEXTS, *MAYBE_TEXTS, "year", "authors", "keywords")
        if getattr(abstract, name) != getattr(back, name)
    ]
    if set(abstract.aliases) != set(back.aliases):
        differing.append("aliases")
    if "raw" in differing and "text" not in differing and clean(abstract.raw) != abstract.text:
        differing.append("text")
    return {name: _json(getattr(abstract, name)) for name in differing}


def encoded(parts: Mapping[str, Any]) -> str:
    """One line without braces, quotes, backslashes or per cent signs but those of its own escapes."""
    return quote(json.dumps(dict(parts), separators=(",", ":")), safe=" ,:;.()[]-_/+=!?*")


def exact_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The parts that a record carries; empty where it carries none, or something else under that name."""
    value = fields.get(FIELD)
    if isinstance(value, str) and value:
        try:
            value = json.loads(value if value.startswith("{") else unquote(value))
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) and all(_fits(name, each) for name, each in value.items()) else {}


def restored(abstract: Abstract, exact: Mapping[str, Any]) -> Abstract:
    """The abstract with the parts of `exact_of` in place of what was read."""
    parts: dict[str, Any] = {name: tuple(value) if name in LISTS else value for name, value in exact.items()}
    if not parts:
        return abstract
    whole = replace(abstract, **parts)
    return replace(whole, aliases=tuple(name for name in whole.aliases if name != whole.id))


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _fits(name: str, value: Any) -> bool:
    if name in TEXTS:
        return isinstance(value, str) and bool(value) and (name != "id" or value.startswith(IDS))
    if name in MAYBE_TEXTS:
        return value is None or isinstance(value, str)
    if name in LISTS:
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return name == "year" and (value is None or (isinstance(value, int) and not isinstance(value, bool)))
