"""What decides about meaning: whether texts support a claim, and what an answer is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rag.evaluate.case import Case
from rag.evaluate.score import Sheet
from rag.types import Abstract


class SupportJudge(Protocol):
    """Decides whether abstracts, read together, state a claim."""

    @property
    def name(self) -> str:
        """What stands in the run: `verifier`, or the model's name."""

    def supports(self, claims: Sequence[tuple[str, Sequence[Abstract]]]) -> list[bool | None]:
        """For each claim (without markers) and its abstracts (at least one) whether they state all of it.

        None where the judge's word cannot be had or read: the claim is then unscored, never unsupported.
        """


class Scorer(Protocol):
    """Adds metrics of one answer to its sheet: the built-in ones, or a judge's."""

    def __call__(self, case: Case, answer: Mapping[str, Any], sheet: Sheet) -> None:
        """`answer` is an Answer (schema 1). What cannot be read is put with None and a reason."""
