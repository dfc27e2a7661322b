"""The one path from a question to its answer: understand, find, write, check."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from rag import followup
from rag.candidates import candidates_of
from rag.catalogue import Matrix
from rag.counting import counted
from rag.counting.request import read_request
from rag.draft import Draft
from rag.errors import LLMError, QuestionError
from rag.library import Library
from rag.quotes import Candidate
from rag.quoting.drafting import quoted
from rag.quoting.relevance import Judgement, judge
from rag.retrieve import retrieve
from rag.rewriting import other_queries, standalone_question
from rag.text.language import NOTE, seems_foreign
from rag.types import Answer, AnswerHit, Delta, Hit, Question, Reset, Seconds, Sentence, Usage

if TYPE_CHECKING:
    from collections.abc import Generator

    from rag.llm import LLM
    from rag.packing import Packed
    from rag.writer import Writing

MAX_QUESTION = 8000
"""Code points of a question; a longer one is a text pasted by mistake."""
REPAIR = "repair"
SHOWN_HITS = 10
"""Hits that an answer remembers, whether it could draw on them or not."""


def ask(library: Library, question: Question, *, fall_back: bool = True) -> Answer:
    """Answer a question from the shelf.

    When the language model fails the answer is made of quotes, with the error kind as its reason; without
    `fall_back` it is an answer of status `error`. Raises QuestionError for a question that cannot be asked, and
    IndexUnusableError.
    """
    answering = stream(library, question, fall_back=fall_back)
    for _ in answering:
        pass
    return answering.answer


def stream(
    library: Library,
    question: Question,
    *,
    fall_back: bool = True,
    stopping: Callable[[], bool] | None = None,
) -> AnswerStream:
    """`ask`, piece by piece. `stopping` is asked often, also while the model is silent; once it says so, what came is
    kept as the answer."""
    return AnswerStream(library, question, fall_back=fall_back, stopping=stopping)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What retrieval brings to a question: `candidates` are the hits an answer may draw on, with their sentences."""

    standalone: str
    vector: Matrix
    hits: list[Hit]
    candidates: list[Candidate]
    judgement: Judgement


def find(library: Library, question: Question, standalone: str, others: Sequence[str] = ()) -> Found:
    """What an answer to a question has to draw on.

    `standalone` is the question without what it leaves to the conversation, `others` are further queries for it.
    """
    top_k = question.top_k or library.settings.top_k
    retrieval = retrieve(library, standalone, max(SHOWN_HITS, top_k), question.filters, others)
    candidates = candidates_of(library, retrieval.hits[:top_k])
    judgement = judge(standalone, candidates, retrieval.vector, library.vocabulary, library.thresholds)
    return Found(standalone, retrieval.vector, retrieval.hits, candidates, judgement)


def prompt(library: Library, question: Question) -> Packed | None:
    """What a language model would be sent for a question; None where it would not be asked. Raises as `ask` does."""
    standalone = followup.standalone(question.text, question.history)
    if read_request(standalone):
        return None
    found = find(library, _checked(question), standalone)
    if found.judgement.outcome == "nothing_relevant" or question.style == "quotes":
        return None
    return _packed(library, question, found)


def _packed(library: Library, question: Question, found: Found) -> Packed:
    from rag.packing import build

    hits = [candidate.hit for candidate in found.candidates]
    return build(found.standalone, hits, question.history, library.settings, question.style)


class AnswerStream:
    """Iterate it once; then `answer` is the whole. The deltas since the last reset concatenate to its text."""

    def __init__(
        self,
        library: Library,
        question: Question,
        *,
        fall_back: bool = True,
        stopping: Callable[[], bool] | None = None,
    ) -> None:
        """Raises QuestionError for a question that cannot be asked."""
        self._library = library
        self._question = _checked(question)
        self._fall_back = fall_back
        self._stopping = stopping
        self._stopped = False
        self._seconds = Seconds()
        self._calls: list[Usage] = []
        self._answer: Answer | None = None

    @property
    def answer(self) -> Answer:
        """The finished answer; raises RuntimeError before the end."""
        if self._answer is None:
            raise RuntimeError("the stream has not been read to its end")
        return self._answer

    def stop(self) -> None:
        """End the writing, from any thread, as soon as the next piece arrives; what came is kept."""
        self._stopped = True

    def _is_stopped(self) -> bool:
        return self._stopped or (self._stopping is not None and self._stopping())

    def __iter__(self) -> Iterator[Delta | Reset]:
        with self._timed("total"):
            with self._timed("retrieve"):
                standalone, rewriting = standalone_question(self._library, self._question)
                listing = counted(self._library, standalone, self._question.filters)
            self._calls += [rewriting] if rewriting else []
            if listing:
                yield Delta(listing.text)
                draft, hits = listing, tuple(AnswerHit.listed(abstract) for abstract in listing.cited)
            else:
                draft, hits = yield from self._search(standalone)
        self._answer = self._assemble(standalone, draft, hits)

    def _search(self, standalone: str) -> Generator[Delta | Reset, None, tuple[Draft, tuple[AnswerHit, ...]]]:
        with self._timed("retrieve"):
            queries = other_queries(self._library, standalone)
            found = find(self._library, self._question, standalone, queries.texts)
        self._calls += [queries.usage] if queries.usage else []
        draft = yield from _resetting_once(self._write(found))
        shown = [h for n, h in enumerate(found.hits) if n < SHOWN_HITS or h.abstract.id in draft.sent]
        return draft, tuple(AnswerHit.of(hit, sent=hit.abstract.id in draft.sent) for hit in shown)

    def _write(self, found: Found) -> Generator[Delta | Reset, None, Draft]:
        llm = self._library.llm if self._question.style != "quotes" else None
        if llm is None or found.judgement.outcome == "nothing_relevant":
            return (yield from self._quote(found))
        try:
            return (yield from self._ask_model(llm, found))
        except LLMError as error:
            self._calls.append(Usage())
            if not self._fall_back:
                return Draft("error", error.kind, "llm", "", model=llm.model, detail=str(error))
            yield Reset(error.kind)
            draft = yield from self._quote(found)
            return replace(draft, reason=draft.reason or error.kind, detail=str(error))

    def _quote(self, found: Found) -> Generator[Delta | Reset, None, Draft]:
        draft = quoted(found.standalone, found.candidates, found.vector, self._library.vocabulary, found.judgement)
        if self._library.settings.embed_model == "bundled" and seems_foreign(found.standalone):
            draft = replace(draft, text=f"{draft.text}\n\n{NOTE}", sentences=(*draft.sentences, Sentence(NOTE)))
        yield Delta(draft.text)
        return draft

    def _ask_model(self, llm: LLM, found: Found) -> Generator[Delta | Reset, None, Draft]:
        from rag.ahead import Ahead
        from rag.repair import is_better
        from rag.writer import Writing

        packed = _packed(self._library, self._question, found)
        writing = Writing(llm, packed, Ahead.of(self._library))
        with self._timed("llm"):
            yield from writing.run(self._is_stopped, patient=self._stopping is None)
        first = self._check(writing, found)
        again = self._repair_prompt(packed, first)
        second = self._repair(llm, again, found) if again else None
        if second is None or not is_better(second, first):
            return first
        yield Reset(REPAIR)
        yield Delta(second.text)
        return replace(second, repaired=True)

    def _check(self, writing: Writing, found: Found) -> Draft:
        with self._timed("verify"):
            draft = writing.draft(self._library, found.candidates)
        self._calls.append(draft.usage)
        return draft

    def _repair_prompt(self, packed: Packed, draft: Draft) -> Packed | None:
        from rag.repair import repair_prompt

        settings = self._library.settings
        return repair_prompt(packed, draft, settings) if settings.repair == "on" and not self._is_stopped() else None

    def _repair(self, llm: LLM, packed: Packed, found: Found) -> Draft | None:
        """The second attempt, out of the reader's sight; None where the model fails, which costs no more than that."""
        from rag.ahead import Ahead
        from rag.writer import Writing

        writing = Writing(llm, packed, Ahead.of(self._library))
        try:
            with self._timed("llm"):
                for _ in writing.run(self._is_stopped, patient=self._stopping is None):
                    pass
        except LLMError as error:
            self._calls.append(error.usage)
            return None
        return None if self._is_stopped() else self._check(writing, found)

    def _assemble(self, standalone: str, draft: Draft, hits: tuple[AnswerHit, ...]) -> Answer:
        question = self._question
        return Answer(
            id=question.id,
            question=question.text,
            standalone_question=standalone,
            status=draft.status,
            reason=draft.reason,
            detail=draft.detail,
            mode=draft.mode,
            model=draft.model,
            answer=draft.text,
            sentences=draft.sentences,
            citations=draft.citations,
            hits=hits,
            left_out=draft.left_out,
            dropped_citations=draft.dropped_citations,
            repaired=draft.repaired,
            usage=reduce(add, self._calls) if self._calls else Usage(),
            seconds=self._seconds,
            input=question.input,
            filters=question.filters,
            top_k=question.top_k or self._library.settings.top_k,
            settings=self._library.settings.fingerprint(),
            index=self._library.index,
        )

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            spent = (getattr(self._seconds, stage) or 0.0) + time.perf_counter() - started
            self._seconds = replace(self._seconds, **{stage: round(spent, 4)})


def _resetting_once(events: Generator[Delta | Reset, None, Draft]) -> Generator[Delta | Reset, None, Draft]:
    """The same with one reset at most: what follows the first is held back until nothing can withdraw it any more."""
    reset, held = False, list[Delta]()
    try:
        while True:
            event = next(events)
            if isinstance(event, Delta) and not reset:
                yield event
            elif isinstance(event, Delta):
                held.append(event)
            else:
                held = []
                if not reset:
                    yield event
                reset = True
    except StopIteration as end:
        yield from held
        draft: Draft = end.value
        return draft
    finally:
        events.close()


def _checked(question: Question) -> Question:
    text = question.text.strip()
    if not text:
        raise QuestionError("The question is empty.", "Write one.")
    if len(text) > MAX_QUESTION:
        raise QuestionError(f"The question has {len(text):,} characters.", f"Keep it under {MAX_QUESTION:,}.")
    return replace(question, text=text)
