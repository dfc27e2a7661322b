"""A question the bundled embedder cannot read is answered as well as it goes, and told so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.answer import ask
from rag.text.language import NOTE, seems_foreign
from rag.types import Question
from tests.shelf import PAPERS, fill, open_shelf, write_lines


@pytest.mark.parametrize(
    "question",
    [
        "Welche Methoden verbessern das Schlussfolgern großer Sprachmodelle?",
        "Wie viele Parameter hat das Modell?",
        "Quelles méthodes améliorent le raisonnement des grands modèles de langage ?",
        "¿Qué métodos mejoran el razonamiento de los modelos de lenguaje?",
        "大型语言模型的推理能力如何提高？",
        "ما هي الطرق التي تحسن الاستدلال؟",
        "Какие методы улучшают рассуждения?",
        "言語モデル",
        "кофе",
    ],
)
def test_other_languages_are_recognised(question: str) -> None:
    assert seems_foreign(question)


@pytest.mark.parametrize(
    "question",
    [
        *("IL-6", "β", "π_0", "20'910", "R^3", "Escherichia coli O157", "Plasmodium falciparum", "naïve Bayes", ""),
        *("el niño southern oscillation", "de novo genome assembly", "Schrödinger equation solver", "BERT SQuAD"),
        *("mixture-of-experts routing", "What does IL-6 do?", "Alzheimer", "Kaffee", "the the the", "?!"),
        "Who is Erwin Schrödinger?",
    ],
)
def test_names_symbols_and_english_are_not(question: str) -> None:
    assert not seems_foreign(question)


def test_no_gold_question_is_taken_for_another_language(shared_data: Path) -> None:
    lines = (shared_data / "gold" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if seems_foreign(json.loads(line)["question"])] == []


def test_the_answer_says_so(tmp_path: Path) -> None:  # ragflow#11499
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS))
    library = open_shelf(tmp_path / "home")
    foreign = ask(library, Question("Wie stark steigt IL-6 nach einer Nacht ohne Schlaf an?"))
    english = ask(library, Question("By how much did IL-6 rise without sleep?"))
    library.close()
    assert foreign.answer.endswith(NOTE)
    assert foreign.sentences[-1].text == NOTE
    assert NOTE not in english.answer
