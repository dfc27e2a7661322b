from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.answer import MAX_QUESTION, ask, stream
from rag.errors import QuestionError, SettingsError
from rag.library import Library
from rag.types import Delta, Question, Reset, Turn
from tests.contract import keeps_the_contract
from tests.fake_llm import MODEL, Fail, FakeLLM, Raw, Say, content, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines

HERON, SOIL, SLEEP = "doi:10.1000/heron", "arxiv:1901.00001", "pmid:3300001"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answer")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def test_quotes_are_verbatim_and_cited(library: Library) -> None:
    answer = ask(library, Question("By how much did IL-6 rise without sleep?"))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.mode, answer.model) == ("answered", "quotes", None)
    assert "31%" in answer.answer
    for sentence in answer.sentences:
        (evidence,) = sentence.evidence
        abstract = library.catalogue.get(evidence.id)
        assert abstract is not None
        assert abstract.text[evidence.start : evidence.end] == evidence.quote == sentence.text


def test_an_off_topic_question_is_refused_with_the_closest_titles_and_no_citation(library: Library) -> None:
    answer = ask(library, Question("Which wine goes with roast goose?"))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.reason, answer.citations) == ("not_found", "nothing_relevant", ())
    assert any(str(paper["title"]) in answer.answer for paper in PAPERS)
    assert len(answer.hits) == 3


def test_a_follow_up_is_understood_from_the_turn_before(library: Library) -> None:
    history = (
        Turn("user", "Which attention heads does Heron remove?"),
        Turn("assistant", "Attention heads that never retrieve."),
    )
    answer = ask(library, Question("and how long does its training take?", history=history))

    assert keeps_the_contract(answer)
    assert answer.hits[0].id == HERON
    assert "two hours" in answer.answer
    assert answer.standalone_question != answer.question


def test_a_filter_that_nothing_passes_is_an_answer(library: Library) -> None:
    from rag.filters import parse

    answer = ask(library, Question("sleep", filters=parse({"year": "1900"})))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.hits) == ("not_found", ())


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_QUESTION + 1)])
def test_a_question_that_cannot_be_asked_is_one_line(library: Library, text: str) -> None:
    with pytest.raises(QuestionError) as caught:
        ask(library, Question(text))
    assert "\n" not in str(caught.value)


def test_the_answer_before_the_end_of_the_stream_is_an_error(library: Library) -> None:
    with pytest.raises(RuntimeError):
        _ = stream(library, Question("sleep")).answer


def test_a_model_writes_and_its_markers_become_dense(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Say("IL-6 rose by 31% [2]. It fell back after rest [2][1]. Nothing else [9]."))
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))

    assert keeps_the_contract(answer)
    assert (answer.mode, answer.model, answer.dropped_citations) == ("llm", MODEL, 1)
    assert answer.answer == "IL-6 rose by 31% [1]. It fell back after rest [1][2]. Nothing else."
    assert answer.usage.prompt_tokens == 11


def test_the_deltas_since_the_last_reset_are_the_answer(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Say("<think>which?</think>IL-6 rose by 31% 【1】. See also [1, 2].\n\nReferences\n[1] Someone"))
    answering = stream(modelled, Question("By how much did IL-6 rise without sleep?"))
    shown = ""
    for piece in answering:
        shown = "" if isinstance(piece, Reset) else shown + piece.text

    assert shown == answering.answer.answer
    assert keeps_the_contract(answering.answer)
    assert "Someone" not in shown


def test_nothing_relevant_asks_no_model(modelled: Library, fake: FakeLLM) -> None:
    answer = ask(modelled, Question("Which wine goes with roast goose?"))

    assert (answer.status, answer.reason) == ("not_found", "nothing_relevant")
    assert fake.asked == []


def test_a_missing_key_is_one_line_before_any_work(home: Path) -> None:  # run-llama/rags, create-llama
    library = open_shelf(home, llm_model=MODEL)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY is not") as caught:
        ask(library, Question("By how much did IL-6 rise without sleep?"))
    library.close()
    assert "without FOOTNOTE_LLM_MODEL answers are quotes" in caught.value.fix
    assert "\n" not in str(caught.value)


def test_who_wants_quotes_only_asks_no_model_anything(home: Path, fake: FakeLLM) -> None:
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, queries=3, verify="llm", repair="on")
    history = (Turn("user", "Which attention heads does Heron remove?"), Turn("assistant", "Those that retrieve [1]."))
    answer = ask(library, Question("and how long does its training take?", history=history, style="quotes"))
    library.close()

    assert fake.asked == []
    assert (answer.mode, answer.model, answer.usage.prompt_tokens) == ("quotes", None, None)
    assert "two hours" in answer.answer


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Fail(401, error("bad key", code="invalid_api_key")), "bad_key"),
        (Fail(404, error("no such model", code="model_not_found")), "unknown_model"),
        (Fail(429, error("spent", code="insufficient_quota")), "quota"),
        (Raw((b"<html>busy</html>",), content_type="text/html"), "no_server"),
        (Raw(content("IL-6 ro"), end="cut"), "broken_stream"),
        (Say(""), "empty_reply"),
    ],
)
def test_when_the_model_fails_quotes_stand_in_and_say_why(
    modelled: Library, fake: FakeLLM, reply: Any, kind: str
) -> None:
    fake.will(*[reply] * 5)
    pieces = list(stream(modelled, Question("By how much did IL-6 rise without sleep?")))
    fake.will(*[reply] * 5)
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.mode, answer.reason) == ("answered", "quotes", kind)
    assert answer.detail
    assert "31%" in answer.answer
    assert [p for p in pieces if isinstance(p, Reset)] == [Reset(kind)]


def test_without_falling_back_a_failure_is_an_error_with_its_hits(modelled: Library, fake: FakeLLM) -> None:
    fake.will(*[Fail(401, error("bad key", code="invalid_api_key"))] * 2)
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"), fall_back=False)

    assert (answer.status, answer.reason, answer.answer) == ("error", "bad_key", "")
    assert answer.hits[0].id == SLEEP


def test_one_failed_turn_does_not_shift_the_sources_of_the_next(
    modelled: Library, fake: FakeLLM
) -> None:  # ragflow#12252
    fake.will(Say("Heads are pruned [1]."), *[Fail(500)] * 5)
    first = ask(modelled, Question("Which attention heads does Heron remove?"))
    history = (Turn("user", first.question), Turn("assistant", first.answer))
    ask(modelled, Question("and what is measured by radar?", history=history))
    fake.will(Say("By how much did IL-6 rise without sleep?"), Say("IL-6 rose by 31% [1]."))
    third = ask(modelled, Question("By how much did IL-6 rise without sleep?", history=history))

    assert keeps_the_contract(third)
    assert [c.id for c in third.citations] == [SLEEP]


def test_stopping_keeps_what_came(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Say(" ".join(f"word{n}" for n in range(200)), pause=0.01))
    answering = stream(modelled, Question("By how much did IL-6 rise without sleep?"))
    shown = ""
    for piece in answering:
        assert isinstance(piece, Delta)
        shown += piece.text
        if "word5" in shown:
            answering.stop()

    assert (answering.answer.status, answering.answer.reason) == ("partial", "stopped")
    assert shown == answering.answer.answer
    assert "word199" not in shown


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        (Say("NOT STATED: The abstracts give no dose. IL-6 rose by 31% [1]."), "not_found", "not_stated"),
        (Say("FALSE PREMISE: IL-6 did not fall. It rose by 31% [1]."), "answered", "premise_contradicted"),
        (Say("IL-6 rose by 31%", finish="length"), "partial", "length"),
    ],
)
def test_what_a_reply_declares_and_how_it_ends_decides_the_status(
    modelled: Library, fake: FakeLLM, reply: Say, status: str, reason: str
) -> None:
    fake.will(reply)
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.reason) == (status, reason)


def test_a_follow_up_is_rewritten_by_the_model_and_its_failure_falls_back_to_the_rule(
    modelled: Library, fake: FakeLLM
) -> None:
    history = (
        Turn("user", "Which attention heads does Heron remove?"),
        Turn("assistant", "Those that never retrieve."),
    )
    follow_up = Question("and how long does its training take?", history=history)
    fake.will(Say("How long does training take when Heron removes attention heads?"), Say("Two hours [1]."))
    rewritten = ask(modelled, follow_up)
    fake.will(Fail(401), Say("Two hours [1]."))
    by_rule = ask(modelled, follow_up)

    assert rewritten.standalone_question == "How long does training take when Heron removes attention heads?"
    assert "Heron" in by_rule.standalone_question
    assert [answer.hits[0].id for answer in (rewritten, by_rule)] == [HERON, HERON]


def test_a_sentence_that_the_cited_abstract_does_not_carry_is_unsupported_and_the_right_one_suggested(
    modelled: Library, fake: FakeLLM
) -> None:  # ragflow#7232
    fake.will(Say("IL-6 rose by 31% and fell back after one night of rest [2]."))
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))
    (sentence,) = answer.sentences

    assert keeps_the_contract(answer)
    assert (answer.status, sentence.verdict, sentence.suggested) == ("partial", "unsupported", (SLEEP,))


def test_a_supported_sentence_shows_the_evidence_it_rests_on(modelled: Library, fake: FakeLLM) -> None:
    fake.will(Say("IL-6 rose by 31% and fell back after one night of rest [1]."))
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))
    (sentence,) = answer.sentences

    assert (answer.status, sentence.verdict) == ("answered", "supported")
    for evidence in sentence.evidence:
        abstract = modelled.catalogue.get(evidence.id)
        assert abstract is not None
        assert abstract.text[evidence.start : evidence.end] == evidence.quote


def test_where_the_verifier_is_unsure_a_model_may_judge(home: Path, fake: FakeLLM) -> None:
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, verify="llm")
    fake.will(Say("After rest the level of IL-6 was as before [1]."), *[Say("CONTRADICTED")] * 2)
    answer = ask(library, Question("By how much did IL-6 rise without sleep?"))
    asked = len(fake.asked)
    if library.llm:
        library.llm.close()
    library.close()

    assert (asked == 2) == (answer.sentences[0].verdict == "contradicted")


def test_with_verification_off_nothing_is_checked(home: Path, fake: FakeLLM) -> None:
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url, verify="off")
    fake.will(Say("IL-6 rose by 99% [1]."))
    answer = ask(library, Question("By how much did IL-6 rise without sleep?"))
    if library.llm:
        library.llm.close()
    library.close()

    assert [(s.verdict, s.p_supported) for s in answer.sentences] == [("unchecked", None)]


def test_prose_without_a_citation_is_partial_and_gets_none(modelled: Library, fake: FakeLLM) -> None:  # paper-qa#259
    fake.will(Say("IL-6 rose by 31% without sleep."))
    answer = ask(modelled, Question("By how much did IL-6 rise without sleep?"))

    assert keeps_the_contract(answer)
    assert (answer.status, answer.citations) == ("partial", ())


def test_braces_percent_signs_and_other_scripts_pass_through(modelled: Library, fake: FakeLLM) -> None:
    history = (Turn("user", "{question} %s {0} “sleep” 😴 مرحبا"), Turn("assistant", "{answer} %(x)s"))
    fake.will(Fail(401), Say("{IL-6} rose by 100 %s 😴 [1]."))
    answer = ask(modelled, Question("By how much did {IL-6} rise without sleep %d?", history=history))

    assert answer.answer == "{IL-6} rose by 100 %s 😴 [1]."
    assert "{question} %s {0}" in json.dumps(fake.bodies[-1], ensure_ascii=False)
