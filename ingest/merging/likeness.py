"""How alike two records are: the same words, nearly the same words, one title, people in common. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

from ingest.text.identifiers import ARXIV_DOI
from rag.types import Abstract

NEAR = 0.8
"""Of the longer text's words, the share both have in one order, from which two texts under one title are one."""
RELATED = 0.5
"""The same where the records share an identifier: a published abstract is often rewritten."""
EQUAL = 0.97
"""The same where two publishers gave each an identifier of its own: only slips may differ."""
CUT_WORDS, CUT_SHARE, CUT_SLACK = 20, 1 / 3, 2
"""A text that the longer one begins with is that text cut off: so many words, so much of it, and words of its own."""
TITLE_WORDS = 4
"""Titles with fewer words ("Introduction", "Deep learning") stand above many papers."""
TITLE_RATIO = 80.0
YEARS_APART = 5
WORD = re.compile(r"\w+(?:[.,]\d+)*|[<>=±≤≥≈~+\u2212]")
_DECIMAL = re.compile(r"[.,]\d")
_SIGNS = "<>=~+"
_SPACED = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in f"_{_SIGNS}")}
"""Of ASCII, what WORD does not find; four times as fast where no word holds a point."""
PREPRINT_DOIS = (
    *(ARXIV_DOI, "10.1101/", "10.64898/", "10.21203/rs", "10.2139/ssrn", "10.26434/", "10.20944/", "10.36227/"),
    *(
        "10.31219/",
        "10.31234/",
        "10.31235/",
        "10.31730/",
        "10.22541/",
        "10.7287/peerj.preprints",
        "10.5281/",
        "10.6084/",
    ),
)
"""Of arXiv, bioRxiv and medRxiv, Research Square, SSRN, ChemRxiv, Preprints.org, TechRxiv, OSF, Authorea, PeerJ,
Zenodo and figshare: what is deposited there is published elsewhere too."""


def words(text: str) -> list[str]:
    """The words, numbers and relations of a text, without case and typography."""
    if not text.isascii():
        return WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    if _DECIMAL.search(text):
        return WORD.findall(text.lower())
    for sign in _SIGNS:
        if sign in text:
            text = text.replace(sign, f" {sign} ")
    return text.lower().translate(_SPACED).split()


def title_key(title: str | None) -> str:
    """A title as it is compared: its letters and digits without accents and case; empty where there is none."""
    letters = unicodedata.normalize("NFKD", title or "").casefold()
    return " ".join(re.findall(r"\w+", "".join(c for c in letters if not unicodedata.combining(c))))


def fingerprint(key: str) -> int | None:
    """A number for a compared text, which fits SQLite's integers; None for an empty one."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), signed=True) if key else None


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of the longer text that both have, in one order; EQUAL at least where one is the other cut off."""
    from rapidfuzz.distance import LCSseq

    short, long = sorted((one, other), key=len)
    if short == long or not short:
        return float(short == long)
    if len(short) >= max(CUT_WORDS, CUT_SHARE * len(long)):
        begin = long[: len(short) + CUT_SLACK]
        if LCSseq.similarity(short, begin) >= EQUAL * len(short):
            return max(EQUAL, len(short) / len(long))
    return LCSseq.similarity(short, long) / len(long)


def titles_agree(one: str | None, other: str | None) -> bool:
    """Whether two titles can be one paper's: nearly the same, one the beginning of the other, or one unknown."""
    from rapidfuzz.fuzz import ratio

    first, second = title_key(one), title_key(other)
    if not first or not second or first.startswith(second) or second.startswith(first):
        return True
    return ratio(first, second) >= TITLE_RATIO


def people_agree(one: Abstract, other: Abstract) -> bool:
    """Whether the authors can be the same: a name in common, or none known."""
    first, second = (set(title_key(" ".join(paper.authors)).split()) for paper in (one, other))
    return not first or not second or any(len(name) > 1 for name in first & second)


def years_agree(one: Abstract, other: Abstract) -> bool:
    """Whether a preprint of the one year can be the paper of the other."""
    return one.year is None or other.year is None or abs(one.year - other.year) <= YEARS_APART


def registered_apart(one: Abstract, other: Abstract) -> bool:
    """Whether each has an identifier of one kind that the other lacks: two DOIs of publishers, PMIDs or arXiv ids."""
    first, second = _registered(one), _registered(other)
    return any(first[kind] and second[kind] and first[kind].isdisjoint(second[kind]) for kind in first)


def _registered(paper: Abstract) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"doi": set(), "pmid": set(), "arxiv": set()}
    for name in (paper.id, *paper.aliases):
        kind, _, value = name.partition(":")
        if kind in found and not value.startswith(PREPRINT_DOIS):
            found[kind].add(value)
    return found
