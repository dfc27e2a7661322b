"""Drafted cases: what they ask is stated (or is not), and what they quote stands word for word in the abstract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.errors import InputError
from rag.evaluate.drafts import absent, facts, words
from rag.evaluate.drafts.command import make_cases
from rag.evaluate.drafts.make import make
from rag.evaluate.drafts.model import drafted
from rag.evaluate.drafts.topic import Topic, topic_of
from rag.library import Library
from rag.llm import LLM
from rag.types import Abstract
from tests.fake_llm import FakeLLM, Say
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines

MORE: tuple[dict[str, Any], ...] = (
    {
        "abstract": "Rain gauges are sparse. We introduce RainNet, a neural network for local rain forecasts from "
        "radar images. RainNet contains 12 convolutional layers and reaches 91.5% accuracy on Alpine valleys. "
        "Compared with persistence it reduces false alarms by 40%."
    },
    {
        "abstract": "We release BirdSongs, a dataset of field recordings with expert labels. BirdSongs contains 5,120 "
        "labelled recordings of forest birds. Long short-term memory (LSTM) networks recognise most species."
    },
    {
        "abstract": "Key findings of gradient clipping are reviewed. Large step measurement (LSM) explains slow starts "
        "in recurrent training. Noise schedules matter less than expected."
    },
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("drafts")
    fill(folder / "home", write_lines(folder / "papers.jsonl", [*PAPERS, *MORE]))
    library = open_shelf(folder / "home")
    yield library
    library.close()


def abstract(text: str, title: str | None = None) -> Abstract:
    return Abstract("sha-000000000000", text, text, title)


def rare(_: str) -> int:
    return 1


def test_a_paper_is_called_by_the_name_it_gives_its_own_thing() -> None:
    found = topic_of(abstract(MORE[0]["abstract"]), rare)
    assert found is not None
    assert (found.name, found.coined, found.kind) == ("RainNet", True, "method")
    assert found.description == "a neural network for local rain forecasts from radar images"
    assert found.work == "the work on RainNet"


def test_a_name_that_other_papers_mention_is_not_a_papers_own() -> None:
    found = topic_of(abstract("We propose a fast rule for pruning of BERT. We compare BERT with others."), lambda _: 9)
    assert found is not None
    assert found.work == "the work that proposes a fast rule for pruning of BERT"


def test_without_a_name_the_title_stands_for_the_paper_and_without_both_nothing() -> None:
    titled = topic_of(abstract("Soil is wet.", "Soil moisture"), rare)
    assert titled is not None
    assert titled.work == "the paper “Soil moisture”"
    assert topic_of(abstract("Soil is wet."), rare) is None


@pytest.mark.parametrize(
    ("sentence", "question", "fact"),
    [
        ("RainNet contains 12 deep layers.", "How many deep layers does RainNet contain?", "12 deep layers"),
        (
            "We test on 64 river basins.",
            "How many river basins are reported in the work on RainNet?",
            "64 river basins",
        ),
        (
            "It reaches 91.5% accuracy on Alpine Valleys here.",
            "What accuracy on Alpine Valleys does the work on RainNet report?",
            "91.5% accuracy",
        ),
        ("An accuracy of 91.5% is usual.", "What accuracy does the work on RainNet report?", "91.5% accuracy"),
        (
            "It reduces false alarms by 40% or so.",
            "What reduction in false alarms does the work on RainNet report?",
            "40%",
        ),
        ("It is 8.5 times faster.", "What speed-up does the work on RainNet report?", "8.5 times faster"),
    ],
)
def test_a_number_is_asked_for_by_what_it_counts(sentence: str, question: str, fact: str) -> None:
    (draft,) = facts.facts(abstract(sentence), Topic("RainNet", coined=True))
    assert (draft.question, draft.facts, draft.quote) == (question, (fact,), (sentence,))


@pytest.mark.parametrize(
    "sentence",
    [
        "We saw it in 1998.",
        "Between 10-30 cases differ.",
        "Gains of 4%-7% accuracy are seen.",
        "A 7B model and 13B models agree.",
        "We write $12$ papers in 3 days.",
        "There are 2 settings.",
    ],
)
def test_no_question_is_made_of_years_ranges_sizes_formulas_and_trifles(sentence: str) -> None:
    assert list(facts.facts(abstract(sentence), Topic("RainNet", coined=True))) == []


def test_two_numbers_for_one_question_are_no_question() -> None:
    text = "We train on 64 river basins. We test on 12 river basins."
    assert list(facts.facts(abstract(text), Topic("RainNet", coined=True))) == []


def test_a_detail_is_missing_only_where_the_abstract_does_not_state_it() -> None:
    stated = abstract("We train the network FloodNet for 12 GPU hours with a learning rate of 1e-3.")
    asked = [d.question for d in absent.missing_details(stated, Topic("FloodNet", True, "method"))]
    assert "How many parameters does FloodNet have?" in asked
    assert not any("GPU hours" in question or "learning rate" in question for question in asked)


def test_an_everyday_question_is_off_topic_unless_an_abstract_holds_its_words(shelf: Library, tmp_path: Path) -> None:
    from random import Random

    questions = {draft.question for draft in absent.off_topic(shelf.catalogue, Random(1))}
    assert "how do i polish leather shoes" in questions
    shoes = {"abstract": "Leather shoes are polished with wax. Polish keeps leather from breaking in cold weather."}
    fill(tmp_path / "home", write_lines(tmp_path / "shoes.jsonl", [shoes]))
    other = open_shelf(tmp_path / "home")
    assert "how do i polish leather shoes" not in {d.question for d in absent.off_topic(other.catalogue, Random(1))}
    other.close()


def test_slips_leave_names_alone_and_make_no_other_word() -> None:
    from random import Random

    (right,) = facts.facts(abstract("RainNet contains 12 river basins."), Topic("RainNet", coined=True))
    for seed in range(30):
        draft = words.misspelt(right, Random(seed))
        assert draft is not None
        assert draft.kind == "typo"
        assert "RainNet" in draft.question
        assert draft.question != right.question.rstrip("?").lower()
        assert draft.facts == right.facts


def test_what_a_draft_quotes_stands_word_for_word_in_its_abstract(shelf: Library) -> None:
    drafts = make(shelf.catalogue, 30, 7).drafts
    assert {"fact", "acronym", "keyword", "typo", "unanswerable", "offtopic"} == {d.kind for d in drafts}
    for draft in drafts:
        texts = [found.text for identity in draft.gold if (found := shelf.catalogue.get(identity))]
        assert len(texts) == len(draft.gold)
        assert all(any(quote in text for text in texts) for quote in draft.quote)
        assert bool(draft.gold) == (draft.kind not in ("unanswerable", "offtopic"))
    assert len({draft.id for draft in drafts}) == len(drafts)


def test_equal_seeds_draft_equal_cases_and_others_others(shelf: Library) -> None:
    first, again, other = (make(shelf.catalogue, 12, seed).drafts for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_drafts_are_marked_and_never_written_over_a_file(
    shelf: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_at(shelf.settings.home)
    out = tmp_path / "cases.jsonl"
    assert make_cases(settings, 10, 7, out, use_model=True) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 10
    assert all(row["draft"] is True for row in rows)
    assert "10 cases" in capsys.readouterr().err
    with pytest.raises(InputError, match="exists"):
        make_cases(settings, 10, 7, out, use_model=True)


def test_a_shelf_that_holds_too_little_gives_fewer_and_says_so(
    shelf: Library, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make_cases(settings_at(shelf.settings.home), 1000, 7, tmp_path / "cases.jsonl", use_model=True) == 1
    assert "gives no more than" in capsys.readouterr().err


GOOD = {
    "question": "How accurate is RainNet in Alpine valleys?",
    "answer": "91.5% accuracy.",
    "facts": ["91.5% accuracy"],
    "quote": ["RainNet contains 12 convolutional layers and reaches 91.5% accuracy on Alpine valleys."],
}


@pytest.mark.parametrize(
    ("reply", "usable"),
    [
        (json.dumps(GOOD), True),
        (f"Sure!\n```json\n{json.dumps(GOOD)}\n```", True),
        ("I cannot do that.", False),
        ("{}", False),
        (json.dumps({**GOOD, "quote": ["RainNet reaches 91.5%."]}), False),
        (json.dumps({**GOOD, "facts": ["95% accuracy"]}), False),
        (json.dumps({**GOOD, "facts": "91.5%"}), False),
        (json.dumps({**GOOD, "question": "What accuracy does the paper report?"}), False),
    ],
)
def test_a_models_draft_counts_only_if_the_abstract_says_so(reply: str, usable: bool) -> None:
    with FakeLLM(Say(reply)) as server:
        draft = drafted(LLM("judge", base_url=server.url), abstract(MORE[0]["abstract"]), "fact")
    assert (draft is not None) == usable


def test_with_a_model_the_drafts_are_its_and_unusable_replies_are_counted(shelf: Library) -> None:
    with FakeLLM(otherwise=Say("no")) as server:
        made = make(shelf.catalogue, 10, 7, LLM("m", base_url=server.url))
        assert made.unusable == len(server.asked) > 0
    assert len(made.drafts) == 10
    with FakeLLM(otherwise=lambda body: Say(json.dumps(_echo(body)))) as server:
        made = make(shelf.catalogue, 10, 7, LLM("m", base_url=server.url))
    assert made.unusable == 0
    assert any(draft.how == "model m" for draft in made.drafts)


def _echo(body: dict[str, Any]) -> dict[str, Any]:
    """A draft that quotes the first sentence of the abstract it was sent."""
    text = body["messages"][1]["content"].split("\n")[1]
    sentence = text.split(". ")[0] + "."
    return {"question": f"Is it so that {sentence}", "answer": sentence, "facts": [sentence], "quote": [sentence]}
