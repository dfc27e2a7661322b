"""Where abstracts disagree about what is asked: a sentence of the side that was not chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rag.text.terms import Term, coverage, stems
from rag.verification.alignment import leaning
from rag.verification.reading import Reading, read

if TYPE_CHECKING:
    from rag.quotes import Quote, Rated

COVERED = 0.6
"""Share of the question's words, by weight, that a sentence of the other side must have."""
BEHIND = 0.5
"""How far it may lie behind the best sentence that was chosen."""


def other_side(
    question: str, chosen: Sequence[Quote], rated: Sequence[Rated], terms: Sequence[Term]
) -> tuple[Rated, int] | None:
    """The best sentence, as a candidate and its number, of an abstract not chosen that leans the other way.

    None where what was chosen leans both ways or neither, or nothing that is about the question leans against it.
    """
    asked = read(question)
    about = [quote for quote in chosen if _is_about(quote.text, terms)]
    leanings = {leaning(asked, read(quote.text)) for quote in about} - {0}
    if len(leanings) != 1:
        return None
    least = max(quote.value for quote in chosen) - BEHIND
    wanted = -leanings.pop()
    taken = {quote.abstract.id for quote in chosen}
    others = [one for one in rated if one.candidate.hit.abstract.id not in taken]
    return max(_leaning(asked, wanted, others, least, terms), key=lambda pair: pair[0].values[pair[1]], default=None)


def _leaning(
    asked: Reading, wanted: int, rated: Sequence[Rated], least: float, terms: Sequence[Term]
) -> Iterator[tuple[Rated, int]]:
    for one in rated:
        for n, value in enumerate(one.values.tolist()):
            sentence = one.candidate.sentence(n)
            if value >= least and _is_about(sentence, terms) and leaning(asked, read(sentence)) == wanted:
                yield one, n


def _is_about(sentence: str, terms: Sequence[Term]) -> bool:
    return coverage(terms, stems(sentence)) >= COVERED
