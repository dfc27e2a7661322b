"""Abstracts that nobody wrote, as candidates for quoting: real sentence splitting, predictable vectors."""

from __future__ import annotations

from collections.abc import Sequence

from rag.quotes import Candidate
from rag.text.sentences import split
from rag.text.terms import Vocabulary, stems
from rag.types import Abstract, Hit, Ranks, Span
from tests.hashing import HashingEmbedder

KESTREL = (
    "Long inputs slow down question answering. We propose Kestrel, a reader that skips pages it does not need. "
    "It looks at the table of contents first. On 14 tasks Kestrel is 3.5 times faster than a full reader. "
    "Accuracy falls by 0.4 points."
)
PLOVER = (
    "Plover trains a reader on summaries instead of pages. Plover needs 12,000 summaries and no labels. "
    "It reaches the accuracy of a full reader at half the cost."
)
WHEAT = (
    "Wheat rust spreads with warm wind. We photographed 800 fields in three summers. "
    "A drone finds infected plants two weeks before farmers see them."
)
CURLEW = "The cause of memory loss in readers is unknown. Curlew measures it with probes. No training is required."
SHELF = (KESTREL, PLOVER, WHEAT, CURLEW)


def abstract(text: str, identity: str | None = None) -> Abstract:
    """An abstract whose id is its first word unless another is given."""
    return Abstract(identity or f"file:{text.split()[0].lower()}", text, text)


def vocabulary(texts: Sequence[str] = SHELF) -> Vocabulary:
    """The words of a shelf that holds just these texts."""
    held = [stems(text) for text in texts]
    return Vocabulary(len(texts), lambda word: sum(bool(stems(word)) and stems(word) <= one for one in held))


def candidates(question: str, texts: Sequence[str] = SHELF) -> list[Candidate]:
    """The texts as candidates for a question, best first; the fused score is ten times the whole text's cosine."""
    embedder = HashingEmbedder()
    vector = embedder.embed_query(question)
    found = []
    for number, text in enumerate(texts):
        spans = tuple(split(text))
        vectors = embedder.embed([text[s.start : s.end] for s in spans])
        whole = embedder.embed([text])[0]
        likeness = float(whole @ vector)
        one = abstract(text, f"file:{number}")
        hit = Hit(one, 10 * likeness, Ranks(number + 1, None), Span(0, len(text)), likeness)
        found.append(Candidate(hit, spans, vectors, whole))
    return sorted(found, key=lambda c: -c.hit.score)
