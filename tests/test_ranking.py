from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.answer import ask
from rag.library import Library
from rag.ranking.acronyms import Definition, definitions, long_forms, short_forms
from rag.ranking.dense import PassageVectors, widened
from rag.ranking.fusion import smoothed, standardised
from rag.ranking.spelling import mended
from rag.retrieve import retrieve, search
from rag.types import Question
from tests.shelf import fill, open_shelf, write_lines

ABSTRACTS = {
    "rag": "We study Retrieval-Augmented Generation (RAG) over long documents. RAG answers with fewer inventions.",
    "denoise": "Denoising diffusion restores magnetic resonance images. One network serves several field strengths.",
    "flow": "C^2OT couples noise and data for conditional flows. The coupling costs little.",
    "space": "Surfaces immersed in R^3 have bounded curvature. The proof is elementary.",
    "policy": "The policy pi_0 controls robots. It folds laundry.",
    "quiz": "(QA)^2 asks questions with questionable assumptions. Models fall for them.",
    "count": "The archive holds 20'910 letters. They were transcribed by hand.",
    "sleep": "IL-6 rises after a night without rest. Volunteers slept badly.",
    "beta": "The exponent β grows with depth. It governs convergence.",
    "barp": "BaRP routes prompts under a budget. Feedback comes from bandits.",
    "barley": "Some BARP of barley ripens early. Farmers value the barp in dry years.",
    "chinese": "注意力机制 提高 翻译 质量。 模型 更 小。",
    "german": "Ein Verfahren zur Schätzung der Bodenfeuchte aus Satellitendaten. Der Fehler sinkt deutlich.",
    "arabic": "تقدير رطوبة التربة من صور الأقمار الصناعية. الخطأ صغير.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranking")
    records = [{"id": name, "abstract": text} for name, text in ABSTRACTS.items()]
    fill(folder / "home", write_lines(folder / "papers.jsonl", records))
    return folder / "home"


@pytest.fixture(scope="module")
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def best(library: Library, query: str) -> str:
    text = search(library, query)[0].abstract.text
    return next(name for name, own in ABSTRACTS.items() if own == text)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("can one netwrok do denoisng across field strenghts", "denoise"),
        ("what does RAG do", "rag"),
        ("retrieval augmented generation", "rag"),
        ("who routes with BaRP?", "barp"),
        ("when is BARP ripe?", "barley"),
        ("β", "beta"),
        ("IL-6", "sleep"),
        ("il6", "sleep"),
        ("R^3", "space"),
        ("(QA)^2", "quiz"),
        ("pi_0", "policy"),
        ("20'910", "count"),
        ("20910", "count"),
        ("C^2OT", "flow"),
        ("C2OT", "flow"),
        ("翻译 质量", "chinese"),
        ("Schätzung der Bodenfeuchte", "german"),
        ("رطوبة التربة", "arabic"),
    ],
)
def test_the_abstract_meant_comes_first(library: Library, query: str, expected: str) -> None:
    assert expected == best(library, query)


@pytest.mark.parametrize("query", ["the of and", "what is it", "_", "^ ' -", "word " * 2000, "β " * 2000])
def test_every_abstract_has_a_place_whatever_is_asked(library: Library, query: str) -> None:
    hits = search(library, query, 100)

    assert len(ABSTRACTS) == len({hit.abstract.id for hit in hits})
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("denoisng netwrok", "denoising network"),
        ("C2OT and il6", "c^2ot and il-6"),
        ("does it restorres images?", "does it restores images?"),
        ("one whale beats another", "one whale beats another"),
        ("GANs, BARQ and Zendaya", "GANs, BARQ and Zendaya"),
        ("netz", "netz"),
    ],
)
def test_a_question_is_mended_only_where_the_shelf_has_the_word(library: Library, question: str, expected: str) -> None:
    assert expected == mended(library.snapshot.lexical, question)


def test_what_was_asked_is_shown_as_it_was_written(library: Library) -> None:
    asked = "does one netwrok do denoisng?"
    answer = ask(library, Question(asked))

    assert (asked, asked) == (answer.question, answer.standalone_question)
    assert retrieve(library, asked).query == "does one network do denoising?"


def test_another_process_ranks_alike(library: Library, home: Path) -> None:
    queries = ["noise and data", "denoisng", "a b c", "RAG"]
    script = (
        "import json, sys; from pathlib import Path;"
        "from rag.retrieve import search; from tests.shelf import open_shelf;"
        "shelf = open_shelf(Path(sys.argv[1]));"
        "print(json.dumps([[(h.abstract.id, h.score) for h in search(shelf, q)] for q in json.loads(sys.argv[2])]))"
    )
    command = [sys.executable, "-c", script, str(home), json.dumps(queries)]
    other = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    assert [[[hit.abstract.id, hit.score] for hit in search(library, query)] for query in queries] == other


def test_a_word_that_left_the_shelf_mends_nothing(tmp_path: Path) -> None:
    paper = {"doi": "10.1000/birds", "abstract": "Kestrels hover. They see mice from above."}
    file = write_lines(tmp_path / "p.jsonl", [paper])
    fill(tmp_path / "home", file)
    fill(tmp_path / "home", write_lines(file, [{**paper, "abstract": "Herons wait. They see fish from above."}]))
    shelf = open_shelf(tmp_path / "home")

    assert mended(shelf.snapshot.lexical, "kestrelz") == "kestrelz"
    assert mended(shelf.snapshot.lexical, "heronz") == "herons"


def test_an_open_shelf_sees_what_is_added(tmp_path: Path) -> None:
    one = write_lines(
        tmp_path / "1.jsonl", [{"id": "a", "abstract": "Graph Neural Networks (GNNs) learn. They scale."}]
    )
    two = write_lines(tmp_path / "2.jsonl", [{"id": "b", "abstract": "Spiking Neural Nets (SNNs) fire. They rest."}])
    fill(tmp_path / "home", one)
    shelf = open_shelf(tmp_path / "home")
    assert len(search(shelf, "SNN")) == 1

    fill(tmp_path / "home", two)
    assert long_forms(shelf.catalogue, ["SNNs"]) == ["spiking neural nets"]
    assert "Spiking" in search(shelf, "spiking nets")[0].abstract.text


def test_acronyms_are_learnt_where_they_are_defined() -> None:
    text = (
        "We use chain-of-thought (CoT) and Large Language Models (LLMs) for area under the curve (AUC). "
        "Results (Table) and values (P) and studies (IL) define nothing, nor does (XYZ)."
    )
    assert list(definitions(text)) == [
        Definition("LLM", "large language models"),
        Definition("AUC", "area under the curve"),
    ]


def test_long_and_short_forms_find_each_other(library: Library) -> None:
    assert long_forms(library.catalogue, ["RAGs", "RAG", "we"]) == ["retrieval-augmented generation"]
    assert short_forms(library.catalogue, "Is retrieval-augmented generation any good?") == ["RAG"]
    assert short_forms(library.catalogue, "") == []


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=300))
def test_any_text_defines_acronyms_without_fail(text: str) -> None:
    assert all(len(found.long.split()) >= 2 for found in definitions(text))


def test_an_abstract_scores_by_its_whole_and_its_two_best_sentences() -> None:
    rows = np.array([[0.5], [0.1], [0.9], [0.7], [0.4], [0.2], [0.3]], np.float32)
    vectors = PassageVectors(rows, np.array([4, 2, 1]))
    cosines = vectors.cosines(np.ones(1, np.float32))

    assert vectors.scores(cosines) == pytest.approx([1.3, 0.6, 0.6])


def test_scores_are_standardised_over_the_shelf() -> None:
    assert standardised(np.array([5.0, 1.0]), np.array([0.0, 4.0])).tolist() == [1.5, -0.5]
    assert standardised(np.array([3.0]), np.array([3.0, 3.0])).tolist() == [0.0]


def test_neighbours_of_the_best_gain() -> None:
    vectors = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [1, 0]], np.float32)
    scores = smoothed(np.array([9.0, 9.0, 9.0, 1.0, 1.0]), vectors, vectors)

    assert scores[4] > scores[3]


def test_stored_vectors_are_widened_exactly() -> None:
    patterns = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = patterns[np.isfinite(patterns)]
    assert np.array_equal(widened(finite), finite.astype(np.float32))
