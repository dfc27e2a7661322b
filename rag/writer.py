"""The answer of a language model: streamed, its markers made the contract's, its sentences checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rag.ahead import Ahead
from rag.checking import check_sentences
from rag.citations import CitationStream, Marked, sentences_of
from rag.draft import Draft
from rag.library import Library
from rag.llm import LLM
from rag.llms.stoppable import stoppable
from rag.packing import Packed
from rag.quotes import Candidate
from rag.types import Delta, Reset, Sentence, Status, Usage

THINKING = "thinking"


class Writing:
    """One reply on its way to a draft."""

    def __init__(self, llm: LLM, packed: Packed, ahead: Ahead | None = None) -> None:
        """With `ahead` the sentences' vectors are made while they are written."""
        self._llm = llm
        self._ahead = ahead
        self._packed = packed
        self._marked = Marked("")
        self._usage = Usage()
        self._finish: str | None = None

    def run(self, stopping: Callable[[], bool], *, patient: bool = True) -> Iterator[Delta | Reset]:
        """What a reader may see, until the reply ends or `stopping` says so; raises LLMError.

        Who is `patient` waits for the next piece before it stops.
        """
        reply = self._llm.stream(self._packed.messages)
        citations = CitationStream(self._packed.issued)
        source = iter(reply)
        pieces = source if patient else stoppable(source, stopping)
        restarts, written = 0, ""
        for piece in pieces:
            text = citations.feed(piece)
            yield from _shown(text, citations.restarts != restarts)
            written = text if citations.restarts != restarts else written + text
            restarts = citations.restarts
            if self._ahead:
                self._ahead.note(written, text)
            if stopping():
                source.close()
                break
        text = citations.finish()
        yield from _shown(text, citations.restarts != restarts)
        self._finish = "stopped" if stopping() else reply.finish
        self._usage = reply.usage
        self._marked = citations.result

    def draft(self, library: Library, candidates: Sequence[Candidate]) -> Draft:
        """The reply as an answer, each sentence with its verdict against the text that was sent."""
        marked, sent = self._marked, self._packed.sent
        cited = sentences_of(marked.text)
        sentences, judging = check_sentences(library, cited, marked.used, sent, candidates, self._ahead)
        return Draft(
            status=_status(marked, self._finish, sentences),
            reason=marked.opening or (self._finish if self._finish in ("stopped", "length") else None),
            mode="llm",
            text=marked.text,
            sentences=sentences,
            cited=tuple(sent[number - 1].hit.abstract for number in marked.used),
            sent=tuple(one.hit.abstract.id for one in sent),
            left_out=self._packed.left_out,
            dropped_citations=marked.dropped,
            model=self._llm.model,
            usage=self._usage + judging,
        )


def _shown(text: str, restarted: bool) -> Iterator[Delta | Reset]:
    if restarted:
        yield Reset(THINKING)
    if text:
        yield Delta(text)


def _status(marked: Marked, finish: str | None, sentences: Sequence[Sentence]) -> Status:
    if marked.opening == "not_stated":
        return "not_found"
    cut = finish in ("stopped", "length") or "not_stated" in marked.later
    doubtful = not marked.used or any(s.opposed or s.verdict in ("unsupported", "contradicted") for s in sentences)
    return "partial" if cut or doubtful else "answered"
