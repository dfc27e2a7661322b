from __future__ import annotations

import numpy as np

from rag.quoting.calibrate import NARROWEST, calibrate, off_topic_questions
from rag.quoting.thresholds import Thresholds
from rag.text.sentences import split
from tests.hashing import HashingEmbedder
from tests.made_up import SHELF


def measured(times: int = 1) -> Thresholds:
    embedder = HashingEmbedder()
    texts = [text for text in SHELF for _ in range(times)]
    sentences = [(text[s.start : s.end], owner) for owner, text in enumerate(texts) for s in split(text)]
    vectors = embedder.embed([sentence for sentence, _ in sentences])
    return calibrate(embedder, vectors, [owner for _, owner in sentences], embedder.embed(texts))


def test_questions_of_other_fields_lie_around_zero_of_the_scale() -> None:
    thresholds = measured()
    assert 0 < thresholds.other_field < 1
    assert thresholds.scaled(thresholds.other_field) == 0


def test_the_threshold_never_shuts_out_the_shelf_itself() -> None:
    assert measured(times=4).relevance <= Thresholds().relevance


def test_the_same_shelf_gives_the_same_thresholds() -> None:
    assert measured() == measured()


def test_thresholds_survive_being_stored() -> None:
    assert Thresholds.from_dict(measured().to_dict()) == measured()


def test_an_empty_shelf_has_the_defaults() -> None:
    nothing = np.zeros((0, 256), np.float32)
    assert calibrate(HashingEmbedder(), nothing, [], nothing) == Thresholds()


def test_an_embedder_without_spread_does_not_magnify_noise() -> None:
    class Flat:
        def embed(self, texts: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
            return np.ones((len(texts), 1), np.float32)

    one = np.ones((1, 1), np.float32)
    assert calibrate(Flat(), one, [0], one).spread == NARROWEST  # type: ignore[arg-type]


def test_shipped_questions_are_short_and_different() -> None:
    questions = off_topic_questions()
    assert len(questions) == len(set(questions)) == 64
    assert all(0 < len(question) < 80 for question in questions)
