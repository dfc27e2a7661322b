"""What checking an answer asks of the embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ingest.pipeline import ingest
from rag.candidates import candidates_of
from rag.checking import claim_vectors
from rag.library import Library
from rag.retrieve import search
from rag.verify import FITTED_ON
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, settings_at, write_lines


class Known(HashingEmbedder):
    """Passes for the embedder whose cosines the verifier knows."""

    identity = f"{FITTED_ON}stand-in"


def test_a_sentence_that_an_abstract_has_word_for_word_is_not_embedded_again(tmp_path: Path) -> None:
    embedder = Known()
    settings = settings_at(tmp_path / "home")
    ingest([str(write_lines(tmp_path / "papers.jsonl", PAPERS))], settings, embedder)
    library = Library(settings, embedder)
    candidates = candidates_of(library, search(library, "IL-6 and sleep"))
    verbatim = "Blood pressure did not change."
    embedder.embedded = 0
    vectors = claim_vectors(library, [verbatim, "Blood pressure rose.", verbatim, "Blood pressure rose."], candidates)
    library.close()

    assert embedder.embedded == 1
    expected = embedder.embed([verbatim, "Blood pressure rose."] * 2)
    assert np.allclose(np.stack([v for v in vectors if v is not None]), expected, atol=1e-3)
