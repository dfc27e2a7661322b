"""Lists of names and terms as files write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ingest.text.reprs import unrepresented

AND = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
LEADING_AND = re.compile(r"\s*(?:and|&)\s+", re.IGNORECASE)
INITIALS = re.compile(r"(?:\w\.?[\s-]?){1,4}")


def names(value: Any) -> tuple[str, ...]:
    """Authors in order, each as the source writes it but for white space.

    `value` is a list of names or of objects ({name}, {given, family}, ...), a list written as text, or names joined
    by ";", "|", " and ", line ends, or commas where these do not part a family name from given names.
    """
    return unique(name for item in items(value) for name in (person(item) if is_object(item) else split_names(item)))


def terms(value: Any) -> tuple[str, ...]:
    """Keywords in order: a list, or text with ";", "|", line ends, or else commas between them."""
    return unique(term for item in items(value) for term in (person(item) if is_object(item) else split_terms(item)))


def whole(texts: Iterable[str]) -> list[dict[str, str]]:
    """Texts of which each is one name or one term, so that none is split any further."""
    return [{"name": text} for text in texts if text.strip()]


def items(value: Any) -> list[Any]:
    """The members of a list, also of one written as text; a single value is a list of one."""
    found = unrepresented(value) if isinstance(value, str) else value
    return list(found) if isinstance(found, list | tuple) else [found]


def is_object(item: Any) -> bool:
    """Whether a list's member has fields of its own."""
    return isinstance(item, Mapping)


def person(fields: Mapping[str, Any]) -> Iterator[str]:
    """The name in an object: `name` and its like, or given and family name."""
    plain = {re.sub(r"[^a-z]", "", str(key).lower()): value for key, value in fields.items()}
    for key in ("name", "fullname", "displayname", "literal", "author", "term", "keyword", "tag"):
        if isinstance(plain.get(key), str | Mapping):
            yield from person(plain[key]) if is_object(plain[key]) else [plain[key]]
            return
    given = plain.get("given") or plain.get("firstname") or plain.get("forename") or plain.get("first")
    family = plain.get("family") or plain.get("lastname") or plain.get("surname") or plain.get("last")
    yield " ".join(str(part) for part in (given, family) if part)


def split_names(item: Any) -> list[str]:
    """The names in one text."""
    text = "" if item is None else str(item)
    for separator in (r";", r"\|", r"[\r\n]+"):
        if re.search(separator, text.strip()):
            return [LEADING_AND.sub("", part) for part in re.split(separator, text)]
    return [name for part in AND.split(text) for name in split_at_commas(part)]


def split_at_commas(text: str) -> list[str]:
    """The names between commas: full names, or "Family, G." again and again; "Family, Given" is one name."""
    parts = [part.strip() for part in text.strip().rstrip(",").split(",")]
    if all(" " in part for part in parts):
        return parts
    families, given = parts[0::2], parts[1::2]
    if len(parts) > 2 and len(families) == len(given) and all(INITIALS.fullmatch(each) for each in given):
        return [f"{family}, {initials}" for family, initials in zip(families, given, strict=True)]
    return [text.strip().rstrip(",")]


def split_terms(item: Any) -> list[str]:
    """The terms in one text."""
    text = "" if item is None else str(item)
    separator = next((each for each in (";", "|", "\n") if each in text.strip()), ",")
    return text.split(separator)


def unique(found: Iterator[str]) -> tuple[str, ...]:
    """Non-empty texts with single spaces, each once, in order of first appearance."""
    return tuple(dict.fromkeys(text for each in found if (text := " ".join(each.split()))))
