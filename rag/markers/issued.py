"""Which numbers and names stand for a source, and what the inside of a bracket refers to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import decimal

from rag.types import Abstract

PLACEHOLDER = "#"  # what the prompt shows in place of a number, so that an echo of it is recognised

_WORD = r"(?:sources?|refs?|references?|citations?|abstracts?|docs?|documents?|papers?|passages?|excerpts?)"
_ITEM = rf"(?:{_WORD}[\s_:.#-]*|\^|\#)?\d+"
_DASH = r"(?:-{1,3}|[‐‑‒–—−~])"
_LIST = re.compile(rf"{_ITEM}(?:\s*(?:[,;]\s*(?:and|&)|[,;、，]|and|&|{_DASH})\s*{_ITEM})*(?:\s*†.*)?", re.IGNORECASE)
_LABELLED = re.compile(rf"{_WORD}|[\^#†]", re.IGNORECASE)
_NUMBER = re.compile(rf"({_DASH}?)\s*(?:{_WORD}[\s_:.#-]*|\^|\#)?(\d+)", re.IGNORECASE)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(?:doi:10\.|arxiv:|pmid:\d|file:|sha-[0-9a-f]{12}$)\S*", re.IGNORECASE)
_AUTHOR_YEAR = re.compile(
    r"(?P<name>[^\W\d][^\d,;&()]*?)(?:\s+et\s+al\.?|\s*(?:,|&|\band\b)\s*[^\d;]+?)?[,\s]*\(?(?P<year>(?:18|19|20)\d\d)[a-z]?\)?"
)
_ENDS_IN_YEAR = re.compile(r"(?:18|19|20)\d\d[a-z]?\)?\s*$")
_MIN_TITLE_WORDS = 2  # a bracket with one word is more often a placeholder of the text than a title


class Reading(NamedTuple):
    """What a bracket cites: issued numbers in the order written, and how many others it named."""

    numbers: tuple[int, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class Issued:
    """The numbers given to a model, and the names (identifiers, titles, author and year) that mean exactly one."""

    numbers: frozenset[int]
    names: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def first(cls, count: int) -> Issued:
        """Numbers 1 to `count`, without names."""
        return cls(frozenset(range(1, count + 1)))

    @classmethod
    def of(cls, abstracts: Sequence[Abstract]) -> Issued:
        """The abstracts numbered from 1 in the order given."""
        owners: dict[str, set[int]] = {}
        for number, abstract in enumerate(abstracts, 1):
            for name in _names(abstract):
                owners.setdefault(name, set()).add(number)
        names = {name: next(iter(numbers)) for name, numbers in owners.items() if len(numbers) == 1}
        return cls(frozenset(range(1, len(abstracts) + 1)), names)

    def read(self, content: str, *, after_interval_word: bool = False) -> Reading | None:
        """What `[content]` cites, or None when it is text.

        A list that names no issued number may be an interval or a vector, so it is text; one that names some is a
        citation whose other numbers are dropped, unless `after_interval_word` says that an interval was announced.
        """
        content = content.strip()
        if content == PLACEHOLDER:
            return Reading((), 1)
        if _LIST.fullmatch(content):
            return self._read_numbers(content, after_interval_word)
        return self._read_names(content)

    def _read_numbers(self, content: str, after_interval_word: bool) -> Reading | None:
        content = content.partition("†")[0] + ("†" if "†" in content else "")
        pairs = [(bool(dash), digits) for dash, digits in _NUMBER.findall(content)]
        labelled = _LABELLED.search(content) is not None
        if not labelled and any(decimal(digits[0]) == 0 for _, digits in pairs):
            return None
        named = list(dict.fromkeys(self._expand([(dash, int(digits)) for dash, digits in pairs])))
        issued = tuple(number for number in named if number in self.numbers)
        dropped = len(named) - len(issued)
        may_be_text = not labelled and len(pairs) > 1 and dropped > 0
        if may_be_text and (not issued or after_interval_word):
            return None
        return Reading(issued, dropped)

    def _expand(self, pairs: Iterable[tuple[bool, int]]) -> Iterable[int]:
        """The numbers named, with ranges filled in where both ends were issued."""
        previous: int | None = None
        for dash, number in pairs:
            if dash and previous in self.numbers and number in self.numbers and previous is not None:
                yield from sorted(n for n in self.numbers if previous < n < number)
            yield number
            previous = number

    def _read_names(self, content: str) -> Reading | None:
        whole = self._named(content)
        if whole is not None:
            return Reading((whole,), 0)
        parts = [self._named(part) for part in content.split(";")]
        if all(number is not None for number in parts):
            return Reading(tuple(dict.fromkeys(number for number in parts if number is not None)), 0)
        if _UUID.search(content) or _IDENTIFIER.fullmatch(content):
            return Reading((), 1)
        return None

    def _named(self, label: str) -> int | None:
        found = self.names.get(fold(label))
        if found is not None:
            return found
        match = _AUTHOR_YEAR.fullmatch(label.strip()) if _ENDS_IN_YEAR.search(label) else None
        if match is None:
            return None
        return self.names.get(f"{fold(match['name'])} {match['year']}")


def fold(label: str) -> str:
    """The form in which names are compared: case folded, single spaces, no quotes or stops at the ends."""
    return " ".join(label.split()).strip(" \"'“”‘’.*_").casefold()


def _names(abstract: Abstract) -> Iterable[str]:
    yield fold(abstract.id)
    yield from (fold(alias) for alias in abstract.aliases)
    if abstract.title and len(abstract.title.split()) >= _MIN_TITLE_WORDS:
        yield fold(abstract.title)
    if abstract.authors and abstract.year is not None:
        yield f"{fold(_surname(abstract.authors[0]))} {abstract.year}"


def _surname(author: str) -> str:
    """The family name of "Smith, John", "John Smith" or "Smith JA"."""
    if "," in author:
        return author.partition(",")[0]
    words = author.split() or [""]
    initials = len(words) > 1 and words[-1].isupper() and len(words[-1].replace(".", "")) <= 3
    return " ".join(words[:-1]) if initials else words[-1]
