"""What a group of abstracts is about, in words that they share and others lack."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from rag.text.terms import EMPTY_WORDS
from rag.text.words import REPORTING_WORDS, words
from rag.types import Abstract

WORDS = 3
"""Words that name a topic."""
READ = 60
"""Abstracts of a topic that are read for them."""
RARE = 0.05
"""Share elsewhere below which a word is as good as none elsewhere."""
_SHORTEST = 3
_COMMON = frozenset("method methods model models data results approach based performance task tasks paper new".split())


def name_topics(groups: Sequence[Sequence[Abstract]], count: int = WORDS) -> list[str]:
    """A name for each group: its most telling words, as written most often, with commas.

    A word tells by the share of the group's abstracts that hold it, weighed by how few of all groups' do (class-based
    tf-idf: Grootendorst 2022, "BERTopic").
    """
    written: dict[str, Counter[str]] = defaultdict(Counter)
    shares = [_shares(group[:READ], written) for group in groups]
    everywhere: dict[str, float] = defaultdict(float)
    for group in shares:
        for stem, share in group.items():
            everywhere[stem] += share
    return [", ".join(_telling(group, everywhere, written, count)) for group in shares]


def _shares(group: Sequence[Abstract], written: dict[str, Counter[str]]) -> dict[str, float]:
    """The share of abstracts that hold a stem; notes in `written` how words are written."""
    held: Counter[str] = Counter()
    for abstract in group:
        here = {w.stem: w for w in words(f"{abstract.title or ''}. {abstract.text}") if _tells(w.lower)}
        for stem, word in here.items():
            written[stem][word.lower if word.text[1:].islower() else word.text] += 1
        held.update(here.keys())
    return {stem: number / len(group) for stem, number in held.items()}


def _tells(word: str) -> bool:
    plain = word not in EMPTY_WORDS and word not in REPORTING_WORDS and word not in _COMMON
    return plain and len(word) >= _SHORTEST and not word[0].isdigit()


def _telling(
    group: dict[str, float], everywhere: dict[str, float], written: dict[str, Counter[str]], count: int
) -> list[str]:
    scores = {stem: share * math.log(1 + 1 / (everywhere[stem] - share + RARE)) for stem, share in group.items()}
    best: list[str] = []
    for stem in sorted(scores, key=lambda stem: (-scores[stem], stem)):
        word = written[stem].most_common(1)[0][0]
        if not any(word.lower().startswith(w.lower()) or w.lower().startswith(word.lower()) for w in best):
            best.append(word)
        if len(best) == count:
            break
    return best
