"""Judges: what they say is read strictly, what cannot be read is unscored, and how far they agree with people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.errors import InputError, SettingsError
from rag.evaluate.case import Case
from rag.evaluate.evaluation import How, evaluate
from rag.evaluate.judges.agreement import agreement, kappa, kappa_interval
from rag.evaluate.judges.bench import Bench, as_text, evaluate_judge, judge_llm
from rag.evaluate.judges.labels import read_labels
from rag.evaluate.judges.rating import JUDGES, Rating, parse_judges, rate, rating_of
from rag.evaluate.judges.reading import score_of, yes_or_no
from rag.evaluate.report.wording import cautions
from rag.library import Library
from rag.llm import LLM
from rag.types import Abstract, Question
from tests.fake_llm import Fail, FakeLLM, Reply, Say, error
from tests.made_run import answer
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("YES", True),
        ("No.", False),
        ("**Yes**, it does", True),
        ("Answer: NO", False),
        ("Yesterday it was so", None),
        ("I cannot say: yes and no", None),
        ("yes or no", None),
        ("YES/NO", None),
        ("Empty Response", None),
        ("", None),
        ("Nothing supports it", None),
    ],
)
def test_a_verdict_is_what_the_reply_begins_with(reply: str, verdict: bool | None) -> None:
    assert yes_or_no(reply) is verdict


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("4.0\nGood.", 4.0),
        ("4", 4.0),
        ("Score: 3/5\nSo so.", 3.0),
        ("**5**", 5.0),
        ("7\nx", None),
        ("nan\nx", None),
        ("0", None),
        ("5.5\nx", None),
        ("The answer is 4", None),
        ("", None),
    ],
)
def test_a_score_is_alone_on_the_first_line_and_from_1_to_5(reply: str, score: float | None) -> None:
    assert score_of(reply)[0] == score


CASE = Case(Question("Is it so?", id="one"), "fact", ("a",), answer="It is.")
SHELF = {"a": Abstract("a", "It {is} so.", "It is so.")}


def rated(reply: Reply, *judges: str, case: Case = CASE, **fields: Any) -> dict[str, Rating]:
    found = answer("one", [("a", 1.0)], **fields)
    with FakeLLM(otherwise=reply) as server:
        llm = LLM("judge", base_url=server.url, sleep=lambda _: None)
        ratings = rate(llm, judges or JUDGES, [case], {"one": found}, SHELF, 2).by_case.get("one", {})
        llm.close()
    return dict(ratings)


def test_llamaindex_evaluators_give_the_ratings() -> None:
    assert rated(Say("YES"), "faithfulness", "relevancy") == {"faithfulness": (1.0, ""), "relevancy": (1.0, "")}
    assert rated(Say("NO"), "faithfulness", "relevancy") == {"faithfulness": (0.0, ""), "relevancy": (0.0, "")}
    assert rated(Say("4.0\nNearly."), "correctness") == {"correctness": (0.75, "")}


@pytest.mark.parametrize("said", ["I am sorry, I cannot do that.", "4.0.0\nx", "perhaps yes", "nan\nx"])
def test_what_cannot_be_read_is_no_zero(said: str) -> None:
    # LightRAG#4040: unreadable judgements were counted as a success with score 0
    assert {rating.value for rating in rated(Say(said)).values()} == {None}


def test_a_judge_that_fails_leaves_the_answer_unscored_with_the_kind_of_failure() -> None:
    ratings = rated(Fail(401, error("no such key", code="invalid_api_key")))
    assert set(ratings.values()) == {(None, "the judge failed: bad_key")}


def test_a_judge_is_asked_only_about_what_it_can_judge() -> None:
    refused: dict[str, Any] = {"status": "not_found", "citations": [], "sentences": []}
    assert set(rated(Say("YES"), **refused)) == {"correctness"}
    assert set(rated(Say("YES"), case=Case(Question("Is it so?", id="one")))) == {"faithfulness", "relevancy"}
    assert rated(Say("YES"), status="error") == {}


def test_without_the_abstracts_that_were_sent_nothing_is_judged_on_them() -> None:
    found = answer("one", [("gone", 1.0)])
    with FakeLLM() as server:
        rating = rating_of(LLM("judge", base_url=server.url), "faithfulness", CASE, found, SHELF)
    assert rating == (None, "the abstracts that were sent are not on the shelf")


def test_the_judge_sees_question_answer_and_abstracts_without_markers() -> None:
    with FakeLLM(otherwise=Say("YES")) as server:
        llm = LLM("judge", base_url=server.url)
        rate(llm, ("relevancy",), [CASE], {"one": answer("one", [("a", 1.0)])}, SHELF, 1)
        llm.close()
        prompt = server.bodies[0]["messages"][-1]["content"]
    assert "Is it so?" in prompt
    assert "It is so ." in prompt
    assert "It {is} so." in prompt
    assert "[1]" not in prompt


def test_an_unknown_judge_and_a_missing_model_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="knows no taste"):
        parse_judges("faithfulness, taste")
    with pytest.raises(SettingsError, match="no model to judge"):
        judge_llm(settings_at(tmp_path), None)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("judges")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    library = open_shelf(folder / "home")
    yield library
    library.close()


def test_a_run_scores_without_the_unreadable_counts_them_and_asks_once(shelf: Library, tmp_path: Path) -> None:
    cases = [Case(Question(f"Question {n}?", id=str(n)), answer="So.") for n in range(3)]
    identity = shelf.catalogue.ids()[0]
    answers = {str(n): answer(str(n), [(identity, 1.0)], answer=f"It is {n} [1].", model="judge") for n in range(3)}

    def reply(body: dict[str, Any]) -> Reply:
        return Say("hm" if "It is 1" in body["messages"][-1]["content"] else "YES")

    with FakeLLM(otherwise=reply) as server:
        runs = []
        for _ in range(2):
            bench = Bench(("faithfulness",), LLM("judge", base_url=server.url), tmp_path / "replies")
            ratings = bench.rate(shelf, cases, answers, 2)
            runs.append(evaluate(shelf, cases, answers, tmp_path, How(scorers=(ratings,))))
        assert len(server.asked) == 3
    assert runs[0].summary == runs[1].summary
    found = runs[0].summary["all"]["judge_faithfulness"]
    assert (found.mean, found.n, found.unscored) == (1.0, 2, 1)
    assert any("what the judge said of 1 answer" in caution for caution in cautions(runs[0]))


def test_kappa_is_that_of_a_table_worked_by_hand() -> None:
    # Cohen's example in the form of most textbooks: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no:
    # observed 35/50 = 0.7, expected 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa 0.4
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    interval = kappa_interval(pairs)
    assert interval is not None
    assert interval[0] < 0.4 < interval[1]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=50, deadline=None)
def test_kappa_is_scikit_learns_where_that_has_one(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    labels, verdicts = zip(*pairs, strict=True)
    if len({*labels, *verdicts}) == 1:
        assert kappa(pairs) is None
    else:
        assert kappa(pairs) == pytest.approx(cohen_kappa_score(labels, verdicts), abs=1e-6)


def test_agreement_knows_no_number_where_there_is_none() -> None:
    found = agreement([True, False], [None, None], [("yes", "unscored"), ("no", "unscored")])
    assert (found.n, found.unscored, found.agreement, found.kappa, found.ci95) == (0, 2, None, None, None)
    assert "NaN" not in json.dumps(found.to_dict(), allow_nan=False)
    assert "kappa  -" in as_text("m", found)
    same = agreement([True, True, True], [True, True, True], [("yes", "supported")] * 3)
    assert (same.agreement, same.kappa, same.ci95) == (1.0, None, None)


def test_a_judge_is_compared_with_labels(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"claim": "Heron keeps most.", "evidence": ["Heron keeps most."], "label": "supported"},
        {"claim": "Heron loses all.", "evidence": "Heron keeps most.", "label": "contradicted"},
        {"claim": "Herons fly.", "evidence": ["Heron keeps most."], "label": False},
        {"claim": "Heron keeps some.", "evidence": ["Heron keeps most."], "label": "yes"},
    ]

    def reply(body: dict[str, Any]) -> Reply:
        asked = body["messages"][-1]["content"].rpartition("Information: ")[2]
        return Say("hm" if "fly" in asked else "NO" if "loses" in asked else "YES")

    with FakeLLM(otherwise=reply) as server:
        settings = settings_at(tmp_path, openai_base_url=server.url)
        name, found = evaluate_judge(settings, write_lines(tmp_path / "labels.jsonl", rows), "model", "j")
    assert (name, found.n, found.unscored, found.agreement, found.kappa) == ("j", 3, 1, 1.0, 1.0)
    assert found.to_dict()["confusion"]["false"] == {"unscored": 1}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1]", "no JSON object"),
        ('{"claim": "a", "evidence": [], "label": "yes"}', "evidence a list of texts"),
        ('{"claim": "a", "evidence": ["b"], "label": "perhaps"}', "'perhaps' is not known"),
        ("", "holds no labels"),
    ],
)
def test_labels_that_cannot_be_used_are_named_with_their_line(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_labels(path)
