from __future__ import annotations

import numpy as np
import pytest

from rag.quoting.relevance import judge
from rag.quoting.thresholds import Thresholds
from rag.text.terms import coverage, is_slip, question_terms, stems
from tests.hashing import HashingEmbedder
from tests.made_up import KESTREL, SHELF, candidates, vocabulary

THRESHOLDS = Thresholds(other_field=0.1, spread=0.08)


def outcome(question: str) -> str:
    vector = HashingEmbedder().embed_query(question)
    return judge(question, candidates(question), vector, vocabulary(), THRESHOLDS).outcome


@pytest.mark.parametrize(
    "question",
    [
        "How much faster is Kestrel than a full reader?",
        "How many summaries does Plover need?",
        "How long before farmers does a drone find infected plants?",
        "what is Kestrel?",
        "What does Curlew measure with probes?",
        "how much fastre is kestrel then a full raeder",
    ],
)
def test_what_the_abstracts_state_is_relevant(question: str) -> None:
    assert outcome(question) == "relevant"


@pytest.mark.parametrize(
    "question",
    [
        "at what temperature should i bake sourdough?",
        "gorbu nafti selwod prindle",
        "Who won the cup final in Madrid?",
        "!!!",
    ],
)
def test_other_fields_and_nonsense_are_not(question: str) -> None:
    assert outcome(question) == "nothing_relevant"


def test_a_known_name_without_the_number_asked_for_is_not_stated() -> None:
    question = "How many GPU hours did the Kestrel reader need to skip pages?"
    vector = HashingEmbedder().embed_query(question)
    judgement = judge(question, candidates(question), vector, vocabulary(), THRESHOLDS)
    assert judgement.outcome == "not_stated"
    assert judgement.about is not None
    assert judgement.about.hit.abstract.text == KESTREL


def test_no_candidates_are_nothing_relevant() -> None:
    judgement = judge("What is Kestrel?", [], np.ones(256, np.float32), vocabulary(), THRESHOLDS)
    assert judgement.outcome == "nothing_relevant"


def test_words_that_no_abstract_knows_count_against_a_question() -> None:
    terms = {t.text: t for t in question_terms("Does Kestrel beat Albatross?", vocabulary())}
    assert (terms["Kestrel"].known, terms["Albatross"].known) == (True, False)
    assert terms["Albatross"].weight >= terms["Kestrel"].weight


def test_small_talk_around_a_question_is_no_term() -> None:
    assert [t.text for t in question_terms("Can you tell me what Kestrel is?", vocabulary())] == ["Kestrel"]


def test_a_question_of_function_words_keeps_them() -> None:
    assert [t.text for t in question_terms("what is it", vocabulary())] == ["what", "is", "it"]


def test_shouting_names_nothing() -> None:
    assert not any(t.name for t in question_terms("HOW FAST IS KESTREL", vocabulary()))


def test_coverage_is_the_share_of_weight() -> None:
    terms = question_terms("Kestrel reader pages", vocabulary())
    assert coverage(terms, stems("Kestrel readers, page by page")) == pytest.approx(1)
    assert coverage(terms, frozenset()) == 0
    assert coverage((), stems(SHELF[0])) == 0


@pytest.mark.parametrize(("word", "known"), [("attentoin", "attention"), ("netwrk", "network"), ("wieght", "weight")])
def test_slips_of_known_words_are_recognised(word: str, known: str) -> None:
    assert is_slip(word, ["other", known])


@pytest.mark.parametrize(("word", "known"), [("dyslexia", "dialect"), ("cat", "cut"), ("gpt4", "gpt3")])
def test_other_words_are_no_slips(word: str, known: str) -> None:
    assert not is_slip(word, [known])
