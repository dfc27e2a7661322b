from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.draft import Draft
from rag.quotes import WEIGHTS, Quote, choose
from rag.quoting.drafting import NOT_STATED, quoted
from rag.quoting.relevance import Judgement, Signals
from tests.hashing import HashingEmbedder
from tests.made_up import CURLEW, KESTREL, PLOVER, SHELF, WHEAT, candidates, vocabulary

RELEVANT = Judgement("relevant", Signals(1.0, 1.0))


def quotes_for(question: str, texts: Sequence[str] = SHELF) -> list[Quote]:
    vector = HashingEmbedder().embed_query(question)
    return choose(question, candidates(question, texts), vector, vocabulary(texts))


def draft_for(question: str, texts: Sequence[str] = SHELF, judgement: Judgement = RELEVANT) -> Draft:
    vector = HashingEmbedder().embed_query(question)
    return quoted(question, candidates(question, texts), vector, vocabulary(texts), judgement)


def texts_of(quotes: Sequence[Quote]) -> list[str]:
    return [quote.text for quote in quotes]


def test_a_question_for_a_number_is_answered_by_the_sentence_with_it() -> None:
    assert "On 14 tasks Kestrel is 3.5 times faster than a full reader." in texts_of(
        quotes_for("How much faster is Kestrel than a full reader?")
    )


def test_a_fact_about_one_name_cites_the_abstract_with_that_name_only() -> None:
    assert {q.abstract.text for q in quotes_for("How many summaries does Plover need?")} == {PLOVER}


def test_a_comparison_cites_each_name_it_asks_about() -> None:
    quotes = quotes_for("Compare Kestrel and Plover: which reader is cheaper?")
    assert {KESTREL, PLOVER} <= {q.abstract.text for q in quotes}


def test_an_acronym_with_two_meanings_is_answered_with_both() -> None:
    texts = (
        "Out-of-context reasoning (OCR) lets models recall facts. It grows with size. We measure it on four models.",
        "Robots see better with object-centric representations (OCR). They hold up under new light.",
        *SHELF,
    )
    assert set(texts[:2]) <= {q.abstract.text for q in quotes_for("What does OCR mean?", texts)}


def test_a_sentence_that_begins_with_a_pronoun_brings_the_one_before() -> None:
    texts = texts_of(quotes_for("Which reader looks at the table of contents?"))
    assert "It looks at the table of contents first." in texts
    before = texts[texts.index("It looks at the table of contents first.") - 1]
    assert before == "We propose Kestrel, a reader that skips pages it does not need."


def test_sentences_of_an_abstract_keep_their_order() -> None:
    spans = [q.span for q in quotes_for("How does Kestrel answer questions about long inputs, and how accurate is it?")]
    assert spans == sorted(spans)


def test_a_sentence_that_two_abstracts_share_is_said_once() -> None:
    shared = "Reading with a map is 3 times faster than reading without."
    texts = (f"Maps help. {shared} We tested it on buses.", f"Maps are old. {shared} We tested it on ships.")
    assert texts_of(quotes_for("How much faster is reading with a map?", texts)).count(shared) == 1


def test_abstracts_without_a_sentence_are_passed_over() -> None:
    assert quotes_for("How fast is Kestrel?", ("", KESTREL))[0].abstract.text == KESTREL


def test_no_candidates_give_no_quotes() -> None:
    assert quotes_for("How fast is Kestrel?", ()) == []


def test_each_abstract_is_a_paragraph_and_each_sentence_has_its_marker() -> None:
    draft = draft_for("Compare Kestrel and Plover: which reader is cheaper?")
    paragraphs = draft.text.split("\n\n")
    assert len(draft.cited) == len(paragraphs)
    for number, paragraph in enumerate(paragraphs, 1):
        assert set(re.findall(r"\[(\d+)\]", paragraph)) == {str(number)}
    assert len(re.findall(r"\[\d+\]", draft.text)) == len(draft.sentences)


def test_bracketed_numbers_of_an_abstract_are_no_markers() -> None:
    text = "Kestrel extends the reader of [25] and [3, 4]. It is fast on sqrt[3] pages."
    draft = draft_for("What does Kestrel extend?", (text,))
    assert set(re.findall(r"\[(\d+)\]", draft.text)) == {"1"}
    assert draft.sentences[0].evidence[0].quote == "Kestrel extends the reader of [25] and [3, 4]."


def test_nothing_relevant_is_one_sentence_with_the_closest_titles_and_no_citation() -> None:
    draft = draft_for("How do I bake bread?", judgement=Judgement("nothing_relevant", Signals(0.1, 0.1)))
    assert (draft.status, draft.reason) == ("not_found", "nothing_relevant")
    assert draft.text.startswith("None of the abstracts is about this; the closest are “")
    assert draft.cited == ()
    assert len(draft.sentences) == 1
    assert "\n" not in draft.text


def test_nothing_relevant_on_an_empty_selection_names_no_titles() -> None:
    draft = draft_for("How do I bake bread?", (), Judgement("nothing_relevant", Signals(0, 0)))
    assert draft.text == "None of the abstracts is about this."


def test_not_stated_says_so_and_cites_what_is_stated() -> None:
    question = "How many GPU hours did Kestrel take?"
    kestrel = next(c for c in candidates(question) if c.hit.abstract.text == KESTREL)
    draft = draft_for(question, judgement=Judgement("not_stated", Signals(0.5, 0.5), kestrel))
    assert (draft.status, draft.reason) == ("not_found", "not_stated")
    assert draft.text.startswith(NOT_STATED)
    assert [a.text for a in draft.cited] == [KESTREL]
    assert draft.sentences[0].citations == ()
    assert all(s.citations == (1,) for s in draft.sentences[1:])


@pytest.mark.parametrize("text", [WHEAT, CURLEW])
def test_an_answer_from_one_abstract_stays_short(text: str) -> None:
    assert 1 <= len(quotes_for(f"What about {text.split()[0]}?", (text * 5,))) <= WEIGHTS.most[0]


words = st.sampled_from(
    "Kestrel Plover reader [1] [12] it this fast 3.5 98% pages . ! ? e.g. $x_1$ «é» 中文 We find".split()
)
made_texts = st.lists(st.lists(words, max_size=25).map(" ".join), max_size=5)


@settings(deadline=None, max_examples=60)
@given(texts=made_texts, question=st.lists(words, min_size=1, max_size=8).map(" ".join))
def test_any_quotes_are_verbatim_and_keep_the_contract_of_markers(texts: list[str], question: str) -> None:
    draft = draft_for(question, texts)
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", draft.text)]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(draft.cited) + 1))
    by_id = {a.id: a for a in draft.cited}
    assert len(by_id) == len(draft.cited)
    assert set(by_id) <= set(draft.sent)
    for sentence in draft.sentences:
        for evidence in sentence.evidence:
            assert by_id[evidence.id].text[evidence.start : evidence.end] == evidence.quote
            assert draft.cited[sentence.citations[0] - 1].id == evidence.id
    spans = [(e.id, e.start) for s in draft.sentences for e in s.evidence]
    assert len(spans) == len(set(spans))
