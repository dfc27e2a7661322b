"""What a writer hands over: an answer's text and what it says about it, before it becomes an Answer."""

from __future__ import annotations

from dataclasses import dataclass

from rag.types import Abstract, Citation, Mode, Sentence, Status, Usage


@dataclass(frozen=True, slots=True)
class Draft:
    """`cited[n - 1]` is the abstract behind marker `[n]`; `sent` are the ids the writer could draw on."""

    status: Status
    reason: str | None
    mode: Mode
    text: str
    sentences: tuple[Sentence, ...] = ()
    cited: tuple[Abstract, ...] = ()
    sent: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    dropped_citations: int = 0
    repaired: bool = False
    model: str | None = None
    usage: Usage = Usage()  # noqa: RUF009 - frozen
    detail: str | None = None
    """What went wrong, in one line for people; None where nothing did."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The list of sources, numbered as the markers are."""
        return tuple(Citation.of(number, abstract) for number, abstract in enumerate(self.cited, 1))
