"""What retrieval brings to a question, and the prompt made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.candidates import candidates_of
from rag.catalogue import Matrix
from rag.library import Library
from rag.quotes import Candidate
from rag.quoting.relevance import Judgement, judge
from rag.retrieve import retrieve
from rag.types import AnswerHit, Hit, Question

if TYPE_CHECKING:
    from rag.packing import Packed

SHOWN_HITS = 10
"""Hits that an answer remembers, whether it could draw on them or not."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """`candidates` are the hits an answer may draw on, with their sentences; `standalone` is what was searched for."""

    standalone: str
    vector: Matrix
    hits: list[Hit]
    candidates: list[Candidate]
    judgement: Judgement

    @property
    def relevant(self) -> bool:
        """Whether any of it is about the question."""
        return self.judgement.outcome != "nothing_relevant"

    def remembered(self, sent: Sequence[str]) -> tuple[AnswerHit, ...]:
        """The hits as an answer keeps them, those with the ids `sent` marked as such."""
        shown = [hit for n, hit in enumerate(self.hits) if n < SHOWN_HITS or hit.abstract.id in sent]
        return tuple(AnswerHit.of(hit, sent=hit.abstract.id in sent) for hit in shown)


def find(library: Library, question: Question, standalone: str, others: Sequence[str] = ()) -> Found:
    """What an answer to a question has to draw on.

    `standalone` is the question without what it leaves to the conversation, `others` are further queries for it.
    """
    top_k = question.top_k or library.settings.top_k
    retrieval = retrieve(library, standalone, max(SHOWN_HITS, top_k), question.filters, others)
    candidates = candidates_of(library, retrieval.hits[:top_k])
    judgement = judge(standalone, candidates, retrieval.vector, library.vocabulary, library.thresholds)
    return Found(standalone, retrieval.vector, retrieval.hits, candidates, judgement)


def packed(library: Library, question: Question, found: Found) -> Packed:
    """The prompt for an answer from what was found. Raises LLMError (context) where nothing of it fits."""
    from rag.packing import build

    hits = [candidate.hit for candidate in found.candidates]
    return build(found.standalone, hits, question.history, library.settings, question.style)
