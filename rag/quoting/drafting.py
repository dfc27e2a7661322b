"""Quotes as an answer's text, its sentences and its sources."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rag.citations import compose, escape_numbers
from rag.draft import Draft
from rag.quotes import Candidate, Quote, Vector, choose
from rag.quoting.premise import Contradiction
from rag.quoting.relevance import Judgement
from rag.text.terms import Vocabulary
from rag.types import Abstract, Evidence, Sentence

CLOSEST = 3
"""Titles named when nothing relevant was found."""
NOT_STATED = "The abstracts do not state this; the closest one says:"
OTHERWISE = "The abstracts do not bear out what the question takes for granted; they state:"


def quoted(
    question: str,
    candidates: Sequence[Candidate],
    vector: Vector,
    vocabulary: Vocabulary,
    judgement: Judgement,
    against: Contradiction | None = None,
) -> Draft:
    """An answer made of sentences of `candidates` (best first), as `judgement` allows; `vector` is the question's.

    `against` is the sentence of one of them that contradicts what the question takes for granted, if there is one.
    """
    if judgement.outcome == "nothing_relevant" or not candidates:
        return _nothing_relevant([c.hit.abstract for c in candidates])
    sent = tuple(c.hit.abstract.id for c in candidates)
    if against is not None:
        quotes = _against_first(
            against, choose(question, [judgement.about] if judgement.about else candidates, vector, vocabulary)
        )
        sentences, cited = _sentences(quotes)
        text = f"{OTHERWISE}\n\n{_paragraphs(quotes)}"
        return Draft("answered", "premise_contradicted", "quotes", text, (Sentence(OTHERWISE), *sentences), cited, sent)
    if judgement.about is not None:
        quotes = choose(question, [judgement.about], vector, vocabulary)
        sentences, cited = _sentences(quotes)
        text = f"{NOT_STATED}\n\n{_paragraphs(quotes)}"
        return Draft("not_found", "not_stated", "quotes", text, (Sentence(NOT_STATED), *sentences), cited, sent)
    quotes = choose(question, candidates, vector, vocabulary)
    return Draft("answered", None, "quotes", _paragraphs(quotes), *_sentences(quotes), sent)


def _against_first(against: Contradiction, chosen: Sequence[Quote]) -> list[Quote]:
    """As many quotes as were chosen, the contradicting sentence before them."""
    span = against.candidate.spans[against.sentence]
    first = Quote(against.candidate.hit.abstract, span, max((quote.value for quote in chosen), default=0.0))
    others = [quote for quote in chosen if (quote.abstract.id, quote.span) != (first.abstract.id, span)]
    return [first, *others][: max(1, len(chosen))]


def _nothing_relevant(closest: Sequence[Abstract]) -> Draft:
    """That no abstract is about the question, in one sentence with the closest titles."""
    titles = "; ".join(f"“{escape_numbers(abstract.label.rstrip('.'))}”" for abstract in closest[:CLOSEST])
    text = "None of the abstracts is about this" + (f"; the closest are {titles}." if titles else ".")
    sent = tuple(abstract.id for abstract in closest)
    return Draft("not_found", "nothing_relevant", "quotes", text, (Sentence(text),), sent=sent)


def _sentences(quotes: Sequence[Quote]) -> tuple[tuple[Sentence, ...], tuple[Abstract, ...]]:
    """The quotes with their evidence, and what their numbers stand for; a quote supports itself."""
    cited = {quote.abstract.id: quote.abstract for quote in quotes}
    number = {identity: n for n, identity in enumerate(cited, 1)}
    sentences = [
        Sentence(
            escape_numbers(quote.text),
            (number[quote.abstract.id],),
            "supported",
            1.0,
            (Evidence(quote.abstract.id, *quote.span, quote.text, quote.abstract.text_sha),),
        )
        for quote in quotes
    ]
    return tuple(sentences), tuple(cited.values())


def _paragraphs(quotes: Sequence[Quote]) -> str:
    """Sentences with their markers; a blank line between abstracts."""
    paragraphs: list[str] = []
    written = ""
    parts: list[tuple[str, list[str]]] = []
    for identity, group in groupby(quotes, key=lambda quote: quote.abstract.id):
        parts += [(quote.text, [identity]) for quote in group]
        longer, _ = compose(parts)  # numbers follow first use, so what was written before stays as it is
        paragraphs.append(longer[len(written) :].strip())
        written = longer
    return "\n\n".join(paragraphs)
