"""What an acronym of the shelf stands for, all its meanings together."""

from __future__ import annotations

import re

from rag.catalogue import Catalogue
from rag.evaluate.drafts.draft import Draft
from rag.ranking.acronyms import definitions
from rag.text.sentences import split
from rag.text.words import FUNCTION_WORDS
from rag.types import Abstract

_MOST = 4
"""Papers that define one acronym, at most: a common one is no question about a paper."""


def expansions(catalogue: Catalogue, abstract: Abstract) -> list[Draft]:
    """A draft for each acronym the abstract defines; gold are all abstracts that define it, this one first."""
    found = (
        _expansion(catalogue, abstract, short) for short in dict.fromkeys(d.short for d in definitions(abstract.text))
    )
    return [draft for draft in found if draft is not None]


def _expansion(catalogue: Catalogue, abstract: Abstract, short: str) -> Draft | None:
    query = "SELECT id, long FROM definition JOIN abstract ON key = abstract WHERE short = ? ORDER BY key, long"
    rows = catalogue.connection.execute(query, (short,)).fetchall()
    gold = tuple(dict.fromkeys([abstract.id, *(identity for identity, _ in rows)]))
    own = next((d.long for d in definitions(abstract.text) if d.short == short), "")
    known = {long.removesuffix("s"): long for long in [*(long for _, long in rows), own]}
    meanings = tuple(known.values())[::-1]
    sentence = next((abstract.text[a:b] for a, b in split(abstract.text) if f"({short}" in abstract.text[a:b]), None)
    if sentence is None or len(gold) > _MOST or not all(_spells(short, meaning) for meaning in meanings):
        return None
    question = f"What does {short} stand for?"
    return Draft("acronym", question, "acronym", abstract.id, gold, "; ".join(meanings), meanings, (sentence,))


def _spells(short: str, meaning: str) -> bool:
    """Whether the acronym's capitals are first letters of the words, in order: what else was matched may be chance."""
    if re.split(r"\W", meaning)[0] in FUNCTION_WORDS:  # a piece of "out-of-context reasoning"
        return False
    initials = iter(re.findall(r"(?<![a-z])[a-z]", meaning))
    return all(letter.lower() in initials for letter in short if letter.isupper())
