"""Vectors of an answer's sentences, made while the rest of it is still being written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from functools import partial

from rag.catalogue import Matrix
from rag.citations import sentences_of
from rag.library import Library
from rag.quotes import Candidate, stored_vectors

_ENDS = frozenset(".!?。！？\n")


class Ahead:
    """Each sentence is embedded by itself, so that its vector is the same however its text arrived."""

    def __init__(self, library: Library, known: Collection[str] = ()) -> None:
        """`known`: sentences that have a vector already."""
        self._library = library
        self._known = known
        self._begun: dict[str, Future[Matrix]] = {}

    @classmethod
    def of(cls, library: Library, candidates: Sequence[Candidate] = ()) -> Ahead | None:
        """For an answer from these abstracts, whose own sentences need no new vectors.

        None where an answer's sentences are not checked by their vectors.
        """
        from rag.verify import Verifier

        checked = library.settings.verify != "off" and Verifier.knows(library.embedder.identity)
        return cls(library, stored_vectors(candidates)) if checked else None

    def note(self, text: str, piece: str) -> None:
        """Begin with the complete sentences of `text`, an answer so far, if `piece`, its last, may have ended one."""
        if _ENDS.intersection(piece):
            written = [sentence.text for sentence in sentences_of(text)[:-1]]
            self._begin([sentence for sentence in written if sentence not in self._known])

    def vectors(self, sentences: Sequence[str]) -> dict[str, Matrix]:
        """The vectors of these sentences, those not begun yet made now."""
        self._begin(sentences)
        return {sentence: self._begun[sentence].result() for sentence in dict.fromkeys(sentences)}

    def _begin(self, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            if sentence not in self._begun:
                self._begun[sentence] = self._library.beside(partial(self._library.embedder.embed_query, sentence))
