"""A JATS abstract that came as text inside another format, such as Crossref's JSON."""

from __future__ import annotations

from html import unescape
from typing import Any

from ingest.parsing.tree_text import labelled
from ingest.parsing.trees import SAFE

PREFIXES = ("jats", "mml", "xlink", "ali")
OPENING = "<footnote " + " ".join(f'xmlns:{prefix}="urn:{prefix}"' for prefix in PREFIXES) + ">"


def abstract_of(value: Any) -> str | None:
    """The abstract in a JATS fragment, its sections under their labels; markup escaped inside it is read too.

    A fragment that is no XML is given back as it is.
    """
    if not isinstance(value, str) or "<" not in value:
        return value if isinstance(value, str) else None
    from lxml import etree

    parser = etree.XMLParser(**{**SAFE, "recover": False})
    try:
        root = etree.fromstring(f"{OPENING}{value}</footnote>".encode(), parser)
    except etree.XMLSyntaxError:
        return value
    text = labelled(root)
    return abstract_of(text) if text.startswith("<") and text != value else unescape(text)
