"""The one path from a question to its answer: understand, find, write, check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rag import followup
from rag.account import Account
from rag.counting import counted
from rag.counting.request import read_request
from rag.draft import Draft
from rag.errors import LLMError, QuestionError
from rag.found import Found, find, packed
from rag.library import Library
from rag.objection import without_objection
from rag.quoting.drafting import quoted
from rag.quoting.premise import contradiction
from rag.resets import resetting_once
from rag.rewriting import other_queries, standalone_question
from rag.text.language import NOTE, seems_foreign
from rag.types import Answer, AnswerHit, Delta, Question, Reset, Sentence, Usage

if TYPE_CHECKING:
    from collections.abc import Generator

    from rag.llm import LLM
    from rag.packing import Packed

PRESSED = "pressed"
MAX_QUESTION = 8000
"""Code points of a question; a longer one is a text pasted by mistake."""


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


def prompt(library: Library, question: Question) -> Packed | None:
    """What a language model would be sent for a question; None where it would not be asked. Raises as `ask` does."""
    standalone = followup.standalone(question.text, question.history)
    if question.style == "quotes" or read_request(standalone):
        return None
    found = find(library, _checked(question), standalone)
    return packed(library, question, found) if found.relevant else None


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
        self._account = Account()
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

    @property
    def _llm(self) -> LLM | None:
        return self._library.model_for(self._question)

    def _is_stopped(self) -> bool:
        return self._stopped or (self._stopping is not None and self._stopping())

    def __iter__(self) -> Iterator[Delta | Reset]:
        with self._account.timed("total"):
            with self._account.timed("retrieve"):
                standalone, usage = standalone_question(self._llm, self._question)
                listing = counted(self._library, standalone, self._question.filters)
            self._account.charge(usage)
            if listing:
                yield Delta(listing.text)
                draft, hits = listing, tuple(AnswerHit.listed(abstract) for abstract in listing.cited)
            else:
                draft, hits = yield from self._search(standalone)
        self._answer = self._assemble(standalone, draft, hits)

    def _search(self, standalone: str) -> Generator[Delta | Reset, None, tuple[Draft, tuple[AnswerHit, ...]]]:
        with self._account.timed("retrieve"):
            queries = other_queries(self._llm, standalone, self._library.settings.queries - 1)
            found = find(self._library, self._question, standalone, queries.texts)
        self._account.charge(queries.usage)
        draft = yield from resetting_once(self._write(found))
        return draft, found.remembered(draft.sent)

    def _write(self, found: Found) -> Generator[Delta | Reset, None, Draft]:
        llm = self._llm
        if llm is None or not found.relevant:
            return (yield from self._quote(found))
        try:
            return (yield from self._ask_model(llm, found))
        except LLMError as error:
            self._account.charge(Usage())
            if not self._fall_back:
                return Draft("error", error.kind, "llm", "", model=llm.model, detail=str(error))
            yield Reset(error.kind)
            draft = yield from self._quote(found)
            reason = draft.reason if draft.status == "not_found" else error.kind
            return replace(draft, reason=reason, detail=str(error))

    def _quote(self, found: Found) -> Generator[Delta | Reset, None, Draft]:
        library, candidates = self._library, found.candidates
        against = contradiction(found.standalone, candidates, lambda: library.verifier) if found.relevant else None
        draft = quoted(found.standalone, candidates, found.vector, library.vocabulary, found.judgement, against)
        if library.settings.embed_model == "bundled" and seems_foreign(found.standalone):
            draft = replace(draft, text=f"{draft.text}\n\n{NOTE}", sentences=(*draft.sentences, Sentence(NOTE)))
        yield Delta(draft.text)
        return draft

    def _ask_model(self, llm: LLM, found: Found) -> Generator[Delta | Reset, None, Draft]:
        from rag.attempts import Attempts

        attempts = Attempts(self._library, llm, self._account, self._is_stopped, patient=self._stopping is None)
        draft = yield from attempts.run(packed(self._library, self._question, found), found)
        insists = bool(self._question.history) and without_objection(self._question.text) is not None
        if not insists or draft.status == "answered" or draft.reason == "stopped":
            return draft
        yield Reset(PRESSED)  # who insists is shown the text again, not a model that may be giving in
        return (yield from self._quote(found))

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
            usage=self._account.usage,
            seconds=self._account.seconds,
            input=question.input,
            filters=question.filters,
            top_k=question.top_k or self._library.settings.top_k,
            settings=self._library.settings.fingerprint(),
            index=self._library.index,
        )


def _checked(question: Question) -> Question:
    text = question.text.strip()
    if not text:
        raise QuestionError("The question is empty.", "Write one.")
    if len(text) > MAX_QUESTION:
        raise QuestionError(f"The question has {len(text):,} characters.", f"Keep it under {MAX_QUESTION:,}.")
    return replace(question, text=text)
