"""Parts of an abstract as writers of several formats need them."""

from __future__ import annotations

import re

from rag.types import Abstract

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def line(text: str | None) -> str:
    """Text on one line, without characters that would make its file no text."""
    return " ".join(_CONTROLS.sub(" ", text or "").split())


def identifier(abstract: Abstract, kind: str) -> str | None:
    """The DOI, arXiv id or PMID among its id and aliases; the first where there are several."""
    names = (abstract.id, *abstract.aliases)
    return next((name.removeprefix(f"{kind}:") for name in names if name.startswith(f"{kind}:")), None)


def key(abstract: Abstract) -> str | None:
    """The name that a file gave it."""
    return identifier(abstract, "file")
