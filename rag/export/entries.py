"""What exports say about an answer, whatever their format. Answers are read as JSON has them (schema 1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rag.markers.typesetter import WORD_JOINER

Entry = Mapping[str, Any]
"""One answer."""
Entries = Callable[[], Iterator[Entry]]
"""Reads the answers from the first on, one in memory at a time; may be called several times."""

MARKER = re.compile(r"\[(\d+)\]")

_REASONS = {
    "nothing_relevant": "nothing relevant",
    "not_stated": "not stated",
    "premise_contradicted": "the premise is contradicted",
    "stopped": "stopped",
    "length": "cut at its longest",
}


def status(entry: Entry) -> str:
    """Status and reason in words: `not found (nothing relevant)`."""
    reason = entry.get("reason")
    words = str(entry["status"]).replace("_", " ")
    return f"{words} ({_REASONS.get(reason, reason)})" if reason else words


def text(entry: Entry) -> str:
    """The answer, with its markers and joiners; what failed, where there is none."""
    if entry["status"] == "error":
        return str(entry.get("detail") or "The cause is not known.")
    return str(entry.get("answer") or "")


def plain(content: str) -> str:
    """Text without the joiners that keep bracketed numbers apart from markers."""
    return content.replace(WORD_JOINER, "")


def reference(citation: Mapping[str, Any]) -> str:
    """Title, authors and year of a citation, as far as known."""
    authors = citation.get("authors") or []
    who = authors[0] + (" et al." if len(authors) > 1 else "") if authors else ""
    about = ", ".join(filter(None, [who, str(citation.get("year") or "")]))
    name = " ".join(plain(str(citation.get("title") or citation.get("label") or citation["id"])).split())
    return f"{name} ({about})" if about else name


def link(citation: Mapping[str, Any]) -> str | None:
    """The citation's address if it is one of the web."""
    url = str(citation.get("url") or "")
    return url if re.match(r"https?://[^\s<>\"]+$", url) else None


def place(citation: Mapping[str, Any]) -> str:
    """Where to find it: its address, else its place in the file it came from."""
    return link(citation) or str(citation.get("source") or citation["id"])


def quotes(entry: Entry, citation: Mapping[str, Any]) -> list[str]:
    """The passages of the cited abstract that carry a model's sentences, each once; quoted answers are those."""
    if entry.get("mode") == "quotes":
        return []
    found = (
        evidence["quote"]
        for sentence in entry.get("sentences") or []
        for evidence in sentence.get("evidence") or []
        if evidence["id"] == citation["id"]
    )
    return list(dict.fromkeys(found))


def checks(entry: Entry) -> str:
    """How the sentences came out; empty where none was checked."""
    sentences = [s for s in entry.get("sentences") or [] if s.get("verdict") != "unchecked"]
    if not sentences or not entry.get("citations"):
        return ""
    if entry.get("mode") == "quotes":
        return "quoted word for word"
    verdicts = Counter(sentence["verdict"] for sentence in sentences)
    others = [f"{n} {verdict}" for verdict, n in sorted(verdicts.items()) if verdict != "supported"]
    return ", ".join([f"{verdicts['supported']} of {len(sentences)} sentences supported", *others])


def doubts(entry: Entry) -> list[tuple[str, str]]:
    """Sentences that are not wholly supported, each with its verdict."""
    sentences = entry.get("sentences") or []
    return [
        (plain(s["text"]), s["verdict"])
        for s in sentences
        if s.get("verdict") in ("partly", "unsupported", "contradicted")
    ]


def own_columns(entries: Entries) -> list[str]:
    """Names of the columns that the questions' file brought along, in the order they turn up."""
    return list(dict.fromkeys(name for entry in entries() for name in entry.get("input") or {}))
