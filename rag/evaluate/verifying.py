"""Our own verifier as the judge of support."""

from __future__ import annotations

from collections.abc import Sequence

from rag.library import Library
from rag.markers.typesetter import WORD_JOINER
from rag.text.sentences import split
from rag.types import Abstract
from rag.verify import Source, Vector, Verifier


class VerifierJudge:
    """The verifier that checks answers, asked again about the whole abstracts; full support alone counts."""

    name = "verifier"

    def __init__(self, library: Library) -> None:
        self._library = library
        self._knows = Verifier.knows(library.embedder.identity)

    def supports(self, claims: Sequence[tuple[str, Sequence[Abstract]]]) -> list[bool | None]:
        """Verdict `supported` or not; a sentence that an abstract holds word for word needs no model."""
        doubtful = [n for n, (claim, abstracts) in enumerate(claims) if not _holds(abstracts, claim)]
        verdicts: list[bool | None] = [True] * len(claims)
        vectors = self._vectors([claims[n][0] for n in doubtful])
        for n, vector in zip(doubtful, vectors, strict=True):
            claim, abstracts = claims[n]
            judgement = self._library.verifier.check(claim, vector, self._sources(abstracts))
            verdicts[n] = judgement.verdict == "supported"
        return verdicts

    def _vectors(self, claims: Sequence[str]) -> Sequence[Vector | None]:
        if not claims or not self._knows:
            return [None] * len(claims)
        return list(self._library.embedder.embed(claims))

    def _sources(self, abstracts: Sequence[Abstract]) -> list[Source]:
        library = self._library
        stored = library.catalogue.vectors([a.id for a in abstracts], library.index) if self._knows else {}
        return [
            Source(a.id, a.text, tuple(split(a.text)), stored[a.id].sentences if a.id in stored else None, cited=True)
            for a in abstracts
        ]


def _holds(abstracts: Sequence[Abstract], claim: str) -> bool:
    words = _words(claim)
    return any(words in _words(abstract.text) for abstract in abstracts)


def _words(text: str) -> str:
    return " ".join(text.replace(WORD_JOINER, "").split())
