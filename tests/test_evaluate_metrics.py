from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from rag.evaluate.case import Case
from rag.evaluate.citations import score_support
from rag.evaluate.contract import violations
from rag.evaluate.facts import has_fact
from rag.evaluate.retrieval import ranking_values
from rag.evaluate.score import CaseScore, Share, Sheet
from rag.evaluate.scoring import score_answers
from rag.evaluate.summary import summarise
from rag.types import Abstract, Question

SHELF = {name: Abstract(name, text, text) for name, text in {"a": "A holds.", "b": "B holds.", "c": "C."}.items()}


class Scripted:
    """A judge that is told which abstracts, read together, state which claim; None: it cannot be read."""

    name = "scripted"

    def __init__(self, **verdicts: bool | None) -> None:
        self._verdicts = verdicts
        self.asked: list[str] = []

    def supports(self, claims: Sequence[tuple[str, Sequence[Abstract]]]) -> list[bool | None]:
        self.asked += ["".join(abstract.id for abstract in abstracts) for _, abstracts in claims]
        return [self._verdicts.get("".join(abstract.id for abstract in abstracts), False) for _, abstracts in claims]


def case(identity: str = "q", kind: str = "fact", gold: Sequence[str] = ("a",), facts: Sequence[str] = ()) -> Case:
    return Case(Question("?", id=identity), kind, tuple(gold), facts=tuple(facts))


def answer(*sentences: tuple[str, Sequence[str]], hits: Sequence[str] = "abc", **fields: Any) -> dict[str, Any]:
    """An answer whose sentences cite abstracts by id."""
    cited = list(dict.fromkeys(identity for _, ids in sentences for identity in ids))
    numbers = {identity: n for n, identity in enumerate(cited, 1)}
    return {
        "schema": 1,
        "id": "q",
        "status": "answered",
        "reason": None,
        "mode": "llm",
        "answer": " ".join(text + "".join(f" [{numbers[i]}]" for i in ids) for text, ids in sentences),
        "sentences": [
            {"text": text, "citations": [numbers[i] for i in ids], "verdict": "supported"} for text, ids in sentences
        ],
        "citations": [{"number": n, "id": identity} for identity, n in numbers.items()],
        "hits": [{"id": identity, "sent": True} for identity in hits],
        **fields,
    }


REFUSAL = answer(status="not_found", reason="nothing_relevant", answer="None is about this.")
ERROR = {**answer(hits=()), "status": "error", "reason": "timeout", "answer": ""}
CLAIM = "Heron keeps all heads."


def scored(one: Case, given: Mapping[str, Any] | None, judge: Scripted | None = None) -> CaseScore:
    answers = {} if given is None else {one.id: given}
    (score,) = score_answers([one], answers, SHELF, judge or Scripted())
    return score


def test_ranking_metrics_are_those_computed_by_hand() -> None:
    one = Case(Question("?", id="q"), gold=("a", "b"))
    values = ranking_values([one], {"q": {"hits": [{"id": i} for i in "xayzvwbk"]}})["q"]
    ideal = 1 + 1 / math.log2(3)

    assert values == pytest.approx(
        {
            "ndcg@10": (1 / math.log2(3) + 1 / math.log2(8)) / ideal,
            "recall@5": 0.5,
            "recall@10": 1.0,
            "mrr": 0.5,
            "map@10": (1 / 2 + 2 / 7) / 2,
        }
    )


def test_grades_count_in_ndcg() -> None:
    one = Case(Question("?", id="q"), gold=("a", "b"), grades={"a": 1, "b": 2})
    values = ranking_values([one], {"q": {"hits": [{"id": "a"}, {"id": "b"}]}})["q"]

    assert values["ndcg@10"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))


def test_an_abstract_that_is_twice_among_the_hits_counts_once() -> None:
    values = ranking_values([case(gold="a")], {"q": {"hits": [{"id": i} for i in "xxxa"]}})["q"]

    assert values["mrr"] == 0.5


def test_an_answer_without_hits_has_found_nothing() -> None:
    assert set(ranking_values([case()], {"q": {"hits": []}})["q"].values()) == {0.0}


@pytest.mark.parametrize(
    ("fact", "text", "stated"),
    [
        ("62.8%", "It reaches 62.8 % [1].", True),
        ("62.8%", "It reaches 62.9%.", False),
        ("26 models", "1 of the models [26].", False),
        ("1,200 stations", "At 1200 stations.", True),
        ("random forest classifier", "They trained random forests.", True),
        ("random forest classifier", "They trained a forest.", False),
    ],
)
def test_a_fact_needs_its_numbers_and_most_of_its_words(fact: str, text: str, stated: bool) -> None:
    assert has_fact(fact, text) == stated


def test_citations_are_compared_with_gold() -> None:
    score = scored(case(gold="ab"), answer(("Heron keeps heads.", "ac"), ("It is fast indeed.", "a")))

    assert score.shares["gold_cited"] == score.shares["citation_precision"] == Share(1, 2)


# ALCE, section 3.2: the second citation of the first claim adds nothing that the first has not.
def test_citation_recall_and_precision_follow_alce() -> None:
    judge = Scripted(ab=True, a=True, b=False, c=False)
    given = answer((CLAIM, "ab"), ("Training takes two hours.", "c"), ("It was tested on seven tasks.", ""))
    score = scored(case(), given, judge)

    assert score.shares["alce_recall"] == Share(1, 3)
    assert score.shares["alce_precision"] == Share(1, 3)
    assert judge.asked == ["ab", "c", "a", "b", "a"]


def test_citations_that_support_a_claim_only_together_both_count() -> None:
    score = scored(case(), answer((CLAIM, "ab")), Scripted(ab=True))

    assert (score.values["alce_recall"], score.values["alce_precision"]) == (1.0, 1.0)


def test_citations_that_each_support_a_claim_alone_both_count() -> None:
    assert scored(case(), answer((CLAIM, "ab")), Scripted(ab=True, a=True, b=True)).values["alce_precision"] == 1.0


# ScholarQABench's scorer skips short sentences and lends a sentence without citation the one before.
def test_a_short_claim_without_a_citation_is_unsupported() -> None:
    score = scored(case(), answer((CLAIM, "a"), ("It needs 12 GB of memory.", "")), Scripted(a=True))

    assert score.shares["alce_recall"] == Share(1, 2)


def test_an_answer_that_cites_nothing_has_precision_zero_as_in_alce() -> None:
    score = scored(case(), answer((CLAIM, "")))

    assert (score.values["alce_recall"], score.values["alce_precision"]) == (0.0, 0.0)


def test_what_claims_nothing_needs_no_citation() -> None:
    assert "alce_recall" not in scored(case(), answer(("Here is a summary:", ""))).values


# LightRAG#4040: judgements that could not be read counted as scored, with 0.
@pytest.mark.parametrize("verdicts", [{"ab": None}, {"ab": True, "a": None}, {"ab": True, "b": None}])
def test_a_judge_that_cannot_be_read_leaves_citations_unscored(verdicts: dict[str, bool | None]) -> None:
    score = scored(case(), answer((CLAIM, "ab")), Scripted(**verdicts))

    assert "alce_precision" not in score.values
    assert score.unscored["alce_precision"] == "the judge gave no verdict"
    assert ("alce_recall" in score.values) == (verdicts["ab"] is not None)


def test_a_cited_abstract_that_is_gone_leaves_citations_unscored() -> None:
    sheet = Sheet()
    score_support(answer((CLAIM, "z")), SHELF, Scripted(), sheet)

    assert sheet.values == {}
    assert set(sheet.unscored) == {"alce_recall", "alce_precision"}


def test_sentences_nobody_checked_are_unscored_not_unsupported() -> None:
    given = answer((CLAIM, "a"))
    given["sentences"][0]["verdict"] = "unchecked"

    assert scored(case(), given).unscored["supported"] == "the answer was not checked"


def test_refusals_are_right_where_nothing_can_be_answered() -> None:
    kinds = ["unanswerable", "offtopic", "fact", "false_premise"]
    cases = [case(kind, kind, gold=()) for kind in kinds]
    summary = summarise(score_answers(cases, dict.fromkeys(kinds, REFUSAL), SHELF, Scripted()))["all"]

    assert (summary["refused"].mean, summary["refused"].n) == (1.0, 2)
    assert (summary["answered"].mean, summary["false_refusal"].mean) == (0.0, 1.0)
    assert (summary["refusal_precision"].mean, summary["refusal_precision"].n) == (0.5, 4)


def test_saying_that_a_premise_is_not_stated_is_right_when_an_abstract_is_cited() -> None:
    given = answer((CLAIM, "a"), status="not_found", reason="not_stated")
    score = scored(case(kind="false_premise"), given)

    assert (score.values["answered"], score.values["refusal_precision"]) == (1.0, 1.0)


def test_answering_what_cannot_be_answered_is_no_refusal() -> None:
    score = scored(case(kind="unanswerable", gold=()), answer((CLAIM, "a")))

    assert score.values["refused"] == 0.0
    assert "refusal_precision" not in score.values


def test_citing_what_a_reader_called_wrong_is_seen() -> None:
    marked = Case(Question("?", id="q"), "feedback", wrong=("b",))

    assert scored(marked, answer((CLAIM, "ab"))).values["wrong_cited"] == 1.0
    assert scored(marked, answer((CLAIM, "a"))).values["wrong_cited"] == 0.0
    assert scored(marked, ERROR).unscored["wrong_cited"] == "timeout"


def test_feedback_without_a_good_source_does_not_say_whether_to_answer() -> None:
    refused, found = Case(Question("?", id="q"), "feedback"), case(kind="feedback")

    assert not {"answered", "false_refusal", "refusal_precision"} & set(scored(refused, REFUSAL).values)
    assert scored(found, REFUSAL).values["answered"] == 0.0


# promptfoo#1970 and #1612: a reply of status 429 was judged as an answer.
def test_an_error_is_counted_as_one_and_leaves_the_rest_unscored() -> None:
    score = scored(case(facts=["62.8%"]), ERROR)

    assert score.values == {"error": 1.0, "violations": 0.0}
    assert {"ndcg@10", "facts", "answered", "alce_recall"} <= set(score.unscored)
    assert set(score.unscored.values()) == {"timeout"}


def test_hits_that_an_error_left_are_scored() -> None:
    score = scored(case(), {**ERROR, "hits": [{"id": "a"}]})

    assert score.values["ndcg@10"] == 1.0
    assert score.unscored["answered"] == "timeout"


def test_a_case_without_an_answer_is_unscored_and_an_error() -> None:
    score = scored(case(), None)

    assert score.values == {"error": 1.0}
    assert set(score.unscored.values()) == {"no answer"}


def test_all_errors_have_no_mean_but_that_of_errors() -> None:
    cases = [case("x"), case("y", "offtopic", ())]
    summary = summarise(score_answers(cases, {"x": ERROR, "y": ERROR}, SHELF, Scripted()))["all"]

    assert summary["error"].mean == 1.0
    assert (summary["ndcg@10"].mean, summary["refused"].mean, summary["ndcg@10"].ci95) == (None, None, None)


def test_all_refused_has_no_citations_to_score() -> None:
    score = scored(case(), REFUSAL)

    assert score.values["gold_cited"] == score.values["answered"] == 0.0
    assert not {"citation_precision", "alce_recall", "alce_precision", "sentences"} & {*score.values, *score.unscored}


def test_no_cases_have_no_scores() -> None:
    assert score_answers([], {}, SHELF, Scripted()) == ()


# OpenScholar's run.py counts words and calls them tokens.
def test_tokens_and_cost_are_the_servers_and_unknown_ones_are_unscored() -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": None, "cost_usd": None}
    given = answer((CLAIM, "a"), model="m", usage=usage, seconds={"total": 2.0, "retrieve": 0.5, "llm": None})
    score = scored(case(), given)

    assert (score.values["prompt_tokens"], score.values["seconds"], score.values["seconds_retrieve"]) == (900, 2.0, 0.5)
    assert score.unscored["cost_usd"] == "the price is unknown"
    assert score.unscored["completion_tokens"] == "the server gave no count"
    assert "seconds_llm" not in score.values


def test_an_answer_without_a_model_has_no_tokens() -> None:
    assert "prompt_tokens" not in {**(score := scored(case(), answer((CLAIM, "a")))).values, **score.unscored}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"status": "maybe"}, "status 'maybe'"),
        ({"status": "error"}, "error without a reason"),
        ({"status": "not_found", "reason": "tired"}, "not_found with reason 'tired'"),
        ({"answer": " "}, "answered with no text"),
        ({"answer": "It holds [2]."}, "markers [2] but citations [1]"),
        ({"answer": "It holds [1] and [1, 2]."}, "a marker was left as [1, 2]"),
        ({"hits": [{"id": "a", "sent": False}]}, "a citation is not among the hits that were sent"),
        ({"hits": [{"id": "a"}, {"id": "a"}]}, "an abstract is twice among the hits"),
        ({"citations": [{"number": 1, "id": "a"}, {"number": 2, "id": "a"}]}, "one abstract has two numbers"),
        ({"sentences": [{"text": "It.", "citations": [1], "verdict": "so"}]}, "verdict 'so'"),
    ],
)
def test_breaches_of_the_contract_are_named(change: dict[str, Any], said: str) -> None:
    sound = answer((CLAIM, "a"))

    assert violations(sound, SHELF) == ()
    assert said in violations({**sound, **change}, SHELF)


def test_a_quote_that_its_abstract_does_not_hold_is_a_breach() -> None:
    evidence = {"id": "a", "start": 0, "end": 8, "quote": "A helds.", "text_sha": SHELF["a"].text_sha}
    given = answer((CLAIM, "a"))
    given["sentences"][0]["evidence"] = [evidence]

    assert violations(given, SHELF) == ("a quote is not what a has at 0",)
    evidence["text_sha"] = "another version"
    assert violations(given, SHELF) == ()
