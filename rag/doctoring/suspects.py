"""Records that are stored soundly and still look wrong: one text under several papers, blurbs in place of abstracts.

They are listed for a person to look at; nothing is changed, and the shelf is sound with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rag.catalogue import Catalogue
from rag.doctoring.check import Check
from rag.doctoring.titles import misfits
from rag.library import Library

COMMON = 3
"""A sentence in so many papers is nobody's own."""
BOILERPLATE = 0.6
"""Share of an abstract's characters in such sentences from which it says nothing of its paper."""
ALIKE = 0.8
"""Share of the longer text's characters in sentences that two abstracts have in common."""
SHORT = 25
"""Characters of a sentence that may well stand in several abstracts ("Methods.", "All rights reserved.")."""
SHOWN = 8
"""Ids named in a finding."""


@dataclass(frozen=True, slots=True)
class Text:
    """An abstract as it is compared: its sentences without case and signs, each with its number of characters."""

    sentences: Mapping[str, int]

    @property
    def length(self) -> int:
        """Of all sentences, at least 1."""
        return max(1, sum(self.sentences.values()))

    def share(self, some: Collection[str]) -> float:
        """Of its characters in these sentences."""
        return sum(n for sentence, n in self.sentences.items() if sentence in some) / self.length


def suspicious(library: Library) -> Check:
    """Each finding begins with its kind and names the papers."""
    texts = dict(_texts(library.catalogue))
    papers = _papers_by_sentence(texts)
    groups = _alike(texts, papers)
    grouped = {paper for group in groups for paper in group}
    findings = [f"one text: under {len(group)} papers: {_named(group)}" for group in groups]
    findings += [f"boilerplate: {paper}" for paper in _boilerplate(texts, papers) if paper not in grouped]
    findings += [f"title: does not fit the abstract: {paper}" for paper in misfits(library)]
    kinds = Counter(finding.partition(":")[0] for finding in findings)
    detail = ", ".join(f"{kind}: {number}" for kind, number in kinds.items()) or "nothing stands out"
    return Check("suspicious", True, detail, findings=tuple(findings))


def _texts(catalogue: Catalogue) -> Iterator[tuple[str, Text]]:
    query = (
        "SELECT id, substr(text, start + 1, end - start) FROM abstract JOIN passage ON abstract = key "
        "ORDER BY key, number"
    )
    for identity, rows in groupby(catalogue.connection.execute(query), key=itemgetter(0)):
        whole, *sentences = (text for _, text in rows)
        yield identity, Text({_plain(sentence): len(sentence) for sentence in sentences or [whole]})


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _papers_by_sentence(texts: Mapping[str, Text]) -> dict[str, list[str]]:
    """The papers of each sentence that stands in several."""
    papers: dict[str, list[str]] = defaultdict(list)
    for identity, text in texts.items():
        for sentence, length in text.sentences.items():
            if length >= SHORT:
                papers[sentence].append(identity)
    return {sentence: some for sentence, some in papers.items() if len(some) > 1}


def _alike(texts: Mapping[str, Text], papers: Mapping[str, list[str]]) -> list[list[str]]:
    """Groups of papers with nearly one text, in the catalogue's order."""
    group_of: dict[str, list[str]] = {}
    for first, *others in papers.values():
        for other in others:
            if group_of.get(other) is not group_of.get(first) or other not in group_of:
                _join(group_of, texts, first, other)
    order = {identity: n for n, identity in enumerate(texts)}
    groups = {id(group): group for group in group_of.values()}
    return sorted((sorted(group, key=order.__getitem__) for group in groups.values()), key=lambda g: order[g[0]])


def _join(group_of: dict[str, list[str]], texts: Mapping[str, Text], first: str, other: str) -> None:
    one, two = texts[first], texts[other]
    long, short = (one, two) if one.length >= two.length else (two, one)
    if long.share(short.sentences) < ALIKE:
        return
    joined = list(dict.fromkeys([*group_of.get(first, [first]), *group_of.get(other, [other])]))
    group_of.update(dict.fromkeys(joined, joined))


def _boilerplate(texts: Mapping[str, Text], papers: Mapping[str, list[str]]) -> list[str]:
    common = {sentence for sentence, some in papers.items() if len(some) >= COMMON}
    return [identity for identity, text in texts.items() if common and text.share(common) >= BOILERPLATE]


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (" ..." if len(ids) > SHOWN else "")
