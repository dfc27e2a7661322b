"""A model's attempts at an answer: the first before the reader's eyes, a second where the first is at fault."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from rag.account import Account
from rag.ahead import Ahead
from rag.draft import Draft
from rag.errors import LLMError
from rag.found import Found
from rag.library import Library
from rag.llm import LLM
from rag.packing import Packed
from rag.repair import is_better, repair_prompt
from rag.types import Delta, Reset
from rag.writer import Writing

REPAIR = "repair"


class Attempts:
    """What a model makes of one question; `stopping` ends the writing, who is `patient` after the piece at hand."""

    def __init__(
        self, library: Library, llm: LLM, account: Account, stopping: Callable[[], bool], *, patient: bool
    ) -> None:
        self._library = library
        self._llm = llm
        self._account = account
        self._stopping = stopping
        self._patient = patient

    def run(self, packed: Packed, found: Found) -> Generator[Delta | Reset, None, Draft]:
        """The first attempt, or the second where that is better. Raises LLMError where the first fails."""
        first = yield from self._write(packed, found)
        again = self._repair_prompt(packed, first)
        second = self._out_of_sight(again, found) if again else None
        if second is None or not is_better(second, first):
            return first
        yield Reset(REPAIR)
        yield Delta(second.text)
        return replace(second, repaired=True)

    def _write(self, packed: Packed, found: Found) -> Generator[Delta | Reset, None, Draft]:
        writing = Writing(self._llm, packed, Ahead.of(self._library, found.candidates))
        with self._account.timed("llm"):
            yield from writing.run(self._stopping, patient=self._patient)
        with self._account.timed("verify"):
            draft = writing.draft(self._library, found.candidates)
        self._account.charge(draft.usage)
        return draft

    def _repair_prompt(self, packed: Packed, draft: Draft) -> Packed | None:
        settings = self._library.settings
        return repair_prompt(packed, draft, settings) if settings.repair == "on" and not self._stopping() else None

    def _out_of_sight(self, packed: Packed, found: Found) -> Draft | None:
        """An attempt that nobody reads along; None where it is stopped or the model fails, which costs no more."""
        writing = self._write(packed, found)
        try:
            while True:
                next(writing)
        except StopIteration as end:
            draft: Draft = end.value
            return None if self._stopping() else draft
        except LLMError as error:
            self._account.charge(error.usage)
            return None
