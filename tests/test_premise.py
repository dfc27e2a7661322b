"""What a question takes for granted is looked up, and said to be otherwise where an abstract says the opposite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.answer import ask
from rag.library import Library
from rag.quotes import Candidate
from rag.quoting.drafting import OTHERWISE
from rag.quoting.premise import contradiction
from rag.quoting.presupposed import presupposed
from rag.text.sentences import split
from rag.text.words import words
from rag.types import Abstract, Hit, Question, Ranks, Span, Turn
from rag.verify import Verifier
from tests.conftest import REPOSITORY
from tests.contract import keeps_the_contract
from tests.fake_llm import Fail, FakeLLM, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines

VERIFIER = Verifier.load()
STORK = (
    "Stork learns to sort lists without any human labels. Early dropout reduces the training error of small models. "
    "Large models sort better than small models on long lists. Stork reaches an accuracy of 91.5% on the Marsh data. "
    "We investigate whether longer training hurts the accuracy of small models."
)


def candidate(text: str) -> Candidate:
    nowhere = np.zeros((1, 1), np.float32)
    return Candidate(
        Hit(Abstract(text, text, text), 1.0, Ranks(1, 1), Span(0, 1)), tuple(split(text)), nowhere, nowhere[0]
    )


def contradicting(question: str, texts: Sequence[str]) -> str | None:
    found = contradiction(question, [candidate(text) for text in texts], lambda: VERIFIER)
    return found.candidate.sentence(found.sentence) if found else None


@pytest.mark.parametrize(
    ("question", "claims"),
    [
        ("Why does early dropout hurt small models?", ["early dropout hurt small models"]),
        ("And why don't small models improve with size?", ["small models not improve with size"]),
        ("why is the large model slower than the small one?", ["the large model slower than the small one"]),
        ("How come pruning helps translation?", ["pruning helps translation"]),
        ("What makes early dropout hurt small models?", ["early dropout hurt small models"]),
        ("What is the reason that pruning hurts translation?", ["pruning hurts translation"]),
        (
            "Given that Stork has no effect on sorting, what else is there?",
            ["Stork has no effect on sorting"],
        ),
        ("Since pruning hurts translation, should I avoid it?", ["pruning hurts translation"]),
        ("How did the authors reach 99% accuracy on Marsh?", ["the authors reach 99% accuracy on Marsh"]),
        ("By how much does dropout raise the training error?", ["dropout raise the training error"]),
        ("How did they prove that classifiers overfit old test sets?", ["classifiers overfit old test sets"]),
        ("Why do heads lose accuracy with Adam, and how does STEP fix that?", ["heads lose accuracy with Adam"]),
        ("Early dropout hurts small models. Which remedy is there?", ["Early dropout hurts small models"]),
        ("How many human labels did Stork need?", ["Stork need human labels"]),
        ("Does early dropout hurt small models?", []),
        ("What is Stork?", []),
        ("How can I sort long lists with small models?", []),
        ("How do I sort long lists with small models?", []),
        ("Which remedies exist for training errors of small models?", []),
        ("How does the training data determine whether dropout hurts?", []),
        ("early dropout small models training error", []),
        ("does early dropout hurt the small models", []),
        ("Why?", []),
        ("", []),
    ],
)
def test_what_a_question_takes_for_granted_is_read_from_its_wording(question: str, claims: list[str]) -> None:
    assert [one.claim for one in presupposed(question)] == claims


@given(
    st.text(max_size=200), st.sampled_from(["Why does {}?", "How come {}", "Given that {}, why?", "{}. Why so?", "{}"])
)
@settings(deadline=None, max_examples=60)
def test_any_question_takes_for_granted_only_what_it_says(text: str, form: str) -> None:
    question = form.format(text.replace("{", "").replace("}", ""))
    said = {word.lower for word in words(question)}
    for one in presupposed(question):
        assert {word.lower for word in words(one.claim)} <= {*said, "not"}


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Why does early dropout increase the training error of small models?", "Early dropout reduces"),
        ("Given that early dropout does not reduce the training error of small models, why use it?", "Early dropout"),
        ("Why do small models sort better than large models on long lists?", "Large models sort better"),
        ("How did the authors reach an accuracy of 99.2% on the Marsh data?", "Stork reaches"),
        ("How many human labels did Stork need to sort lists?", "Stork learns"),
        ("Which human labels does Stork use?", "Stork learns"),
    ],
)
def test_the_opposite_of_what_is_taken_for_granted_is_found(question: str, start: str) -> None:
    found = contradicting(question, [STORK])
    assert found is not None
    assert found.startswith(start)


@pytest.mark.parametrize(
    "question",
    [
        "Why does early dropout reduce the training error of small models?",
        "Why do large models sort better than small models on long lists?",
        "How did the authors reach an accuracy of 91.5% on the Marsh data?",
        "How did the authors reach an accuracy of 92% on the Marsh data?",  # as one may round it
        "Why does longer training hurt the accuracy of small models?",  # only looked into
        "Why does late dropout increase the error of pruned heads?",
        "How many hours of training did Stork need?",
        "How many human labels did Heron need?",
        "How does Stork sort lists without human labels?",
    ],
)
def test_what_an_abstract_states_or_leaves_open_is_no_false_premise(question: str) -> None:
    assert contradicting(question, [STORK]) is None


def test_where_abstracts_disagree_no_premise_is_called_false() -> None:
    question = "Why does early dropout increase the training error of small models?"
    other = "Early dropout increases the training error of small models on images."
    assert contradicting(question, [STORK, other]) is None


def test_things_that_are_counted_are_not_done_without() -> None:
    text = "Stork works without human labels at run time. It was trained on 400 human labels."
    assert contradicting("How many human labels did Stork need?", [text]) is None


def test_no_sentence_of_the_sample_corpus_contradicts_itself() -> None:
    lines = (REPOSITORY / "examples/papers.jsonl").read_text(encoding="utf-8").splitlines()
    for text in [json.loads(line).get("abstract") or "" for line in lines][::3]:
        for start, end in split(text):
            assert contradicting(f"How come {text[start:end].rstrip('.')}?", [text]) is None


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("premise")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


def test_an_answer_says_so_first_and_cites_the_sentence(home: Path) -> None:
    library = open_shelf(home)
    answer = ask(library, Question("Why do clouds disturb the radar?"))
    library.close()

    assert keeps_the_contract(answer)
    assert (answer.status, answer.reason, answer.mode) == ("answered", "premise_contradicted", "quotes")
    assert answer.answer.startswith(f"{OTHERWISE}\n\nClouds do not disturb the radar [1].")
    assert answer.sentences[0].verdict == "unchecked"
    assert answer.citations[0].id == "arxiv:1901.00001"


def test_who_insists_on_the_opposite_is_told_so(home: Path) -> None:
    library = open_shelf(home)
    history = (Turn("user", "By how much did IL-6 rise without sleep?"), Turn("assistant", "IL-6 rose by 31% [1]."))
    answer = ask(library, Question("No, you're wrong, blood pressure did change.", history=history))
    library.close()

    assert answer.reason == "premise_contradicted"
    assert "Blood pressure did not change [1]." in answer.answer


def test_quotes_in_place_of_a_failed_model_keep_the_failure_as_their_reason(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Fail(401, error("no such key")))
    answer = ask(modelled, Question("Why do clouds disturb the radar?"))

    assert (answer.status, answer.reason) == ("answered", "bad_key")
    assert answer.model is None
    assert answer.answer.startswith(OTHERWISE)
    assert fake.asked
