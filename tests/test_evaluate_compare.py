from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.commands.app import app
from rag.console import status_of
from rag.errors import InputError, SettingsError
from rag.evaluate.compare import compare
from rag.evaluate.gates import check_gate, parse_gate
from rag.evaluate.run import Run, write_run
from rag.evaluate.score import CaseScore
from rag.evaluate.significance import difference, mcnemar, randomisation, smallest_difference
from rag.evaluate.summary import MetricSummary, summarise
from tests import made_run

ABOUT = replace(made_run.ABOUT, settings={"top_k": 8, "home": "data"}, prompts="p", libraries={"chromadb": "1"})


def run_of(values: Sequence[Mapping[str, float]], kinds: Sequence[str] = (), **about: Any) -> Run:
    names = [f"q{n}" for n in range(len(values))]
    types = kinds or ["fact"] * len(values)
    scores = tuple(CaseScore(name, kind, one) for name, kind, one in zip(names, types, values, strict=True))
    cases = tuple({"id": name, "question": f"{name}?"} for name in names)
    return Run(replace(ABOUT, **about), cases, {}, scores, summarise(scores))


def ranks(seed: int, number: int = 100) -> list[float]:
    """Values such as reciprocal ranks have."""
    rng = random.Random(seed)
    return [rng.choice([1.0, 1.0, 0.5, 0.25, 0.0]) for _ in range(number)]


# --- statistics ---


def test_a_run_does_not_differ_from_itself() -> None:
    run = run_of([{"mrr": value, "answered": float(value > 0)} for value in ranks(1)])
    found = compare(run, run).metrics

    for one in found.values():
        assert (one.difference.mean, one.difference.ci95, one.difference.p) == (0.0, (0.0, 0.0), 1.0)
        assert (one.changed, one.difference.smallest) == ((), None)
    assert found["answered"].difference.p_mcnemar == 1.0


def test_a_planted_difference_is_found_with_its_sign() -> None:
    rng = random.Random(3)
    before = ranks(1)
    after = [max(0.0, value - 0.25) if rng.random() < 0.3 else value for value in before]
    found = difference(before, after)

    assert found.mean < 0
    assert found.ci95
    assert found.ci95[1] < 0
    assert found.p is not None
    assert found.p < 0.01
    assert difference(after, before).mean == -found.mean


def test_the_randomisation_test_counts_every_choice_of_signs_where_there_are_few() -> None:
    deltas = [0.5, 0.25, -0.125, 0.75]
    totals = [abs(sum(s * d for s, d in zip(signs, deltas, strict=True))) for signs in product((1, -1), repeat=4)]

    assert randomisation(np.array(deltas)) == sum(total >= abs(sum(deltas)) for total in totals) / 16


def test_cases_that_did_not_change_do_not_change_p() -> None:
    assert randomisation(np.array([0.5, 0.25, 0.75] + [0.0] * 50)) == 0.25


def test_mcnemar_is_the_binomial_test_of_the_cases_that_flipped() -> None:
    before, after = np.array([1.0] * 10 + [0.0] * 6), np.array([1.0] * 10 + [1.0] * 6)

    assert mcnemar(before, after) == 2 / 2**6
    assert mcnemar(before, before) == 1.0


def test_the_smallest_difference_that_could_show_is_that_of_the_normal_approximation() -> None:
    deltas = np.array([1.0, -1.0] * 50)

    assert smallest_difference(deltas) == pytest.approx(2.80159 * deltas.std(ddof=1) / 10, abs=1e-5)


def test_one_case_has_a_difference_and_no_statistics() -> None:
    found = difference([0.0], [1.0], yes_no=True)

    assert (found.mean, found.ci95, found.p, found.smallest) == (1.0, None, None, None)
    assert found.p_mcnemar == 1.0


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=12))
def test_differences_are_numbers_and_p_does_not_depend_on_which_run_is_first(deltas: list[float]) -> None:
    there, back = difference([0.0] * len(deltas), deltas), difference(deltas, [0.0] * len(deltas))
    json.dumps(there.to_dict(), allow_nan=False)

    assert there.p == back.p
    assert there.p is not None
    assert 0 < there.p <= 1


# --- comparisons ---


def test_wins_and_losses_are_counted_by_type_and_the_largest_loss_comes_first() -> None:
    a = run_of([{"mrr": v} for v in (1.0, 1.0, 0.5, 0.25)], ["fact", "fact", "fact", "survey"])
    b = run_of([{"mrr": v} for v in (0.5, 0.0, 0.5, 1.0)], ["fact", "fact", "fact", "survey"])
    found = compare(a, b).metrics["mrr"]

    assert found.by_type == {"fact": {"wins": 0, "losses": 2, "ties": 1}, "survey": {"wins": 1, "losses": 0, "ties": 0}}
    assert [(change.id, change.b) for change in found.changed] == [("q1", 0.0), ("q0", 0.5), ("q3", 1.0)]


def test_less_is_a_win_where_less_is_better() -> None:
    found = compare(run_of([{"false_refusal": 1.0}]), run_of([{"false_refusal": 0.0}])).metrics["false_refusal"]

    assert found.by_type == {"fact": {"wins": 1, "losses": 0, "ties": 0}}


# alkem-io/alkemio#2059: one metric that failed made the comparison refuse the whole run.
def test_a_metric_of_one_run_alone_is_a_gap_and_the_others_are_compared() -> None:
    comparison = compare(run_of([{"mrr": 1.0, "facts": 1.0}]), run_of([{"mrr": 1.0}]))

    assert list(comparison.metrics) == ["mrr"]
    assert comparison.left_out == {"facts": "only in the first"}


def test_cases_scored_in_one_run_only_are_counted_and_not_compared() -> None:
    comparison = compare(run_of([{"mrr": 1.0}, {"mrr": 0.0}]), run_of([{"mrr": 1.0}, {}]))

    assert (comparison.metrics["mrr"].difference.n, comparison.metrics["mrr"].unpaired) == (1, 1)


def test_other_cases_are_not_compared() -> None:
    two, three = run_of([{"mrr": 1.0}] * 2), run_of([{"mrr": 1.0}] * 3)
    changed = replace(two, cases=(two.cases[0], {"id": "q1", "question": "Another?"}))

    with pytest.raises(InputError, match=r"1 only in the second \(q2\)"):
        compare(two, three)
    with pytest.raises(InputError, match=r"1 changed \(q1\)"):
        compare(two, changed)


def test_settings_that_differ_are_said() -> None:
    a = run_of([{"mrr": 1.0}])
    b = run_of([{"mrr": 1.0}], settings={"top_k": 2, "home": "data"}, prompts="q", libraries={"chromadb": "2"})

    assert compare(a, b).settings == (("top_k", 8, 2), ("prompts", "p", "q"), ("library chromadb", "1", "2"))
    assert compare(a, replace(a, about=replace(ABOUT, created="2025"))).settings == ()


def test_compare_prints_one_json_document_or_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, values in (("a", (1.0, 0.5, 1.0)), ("b", (1.0, 1.0, 0.0))):
        write_run(run_of([{"mrr": v, "answered": float(v > 0)} for v in values]), tmp_path / name)
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]

    assert status_of(app, "rag", ["compare", *folders, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["mrr"]["mean"] == pytest.approx(-1 / 6, abs=1e-6)
    assert status_of(app, "rag", ["compare", *folders]) == 0
    text = capsys.readouterr().out
    assert "made with the same settings" in text
    assert "q2 (fact) 1.000 -> 0.000" in text


# --- gates ---

SUMMARY = {"all": {"ndcg@10": MetricSummary(0.85, 100, (0.8, 0.9)), "facts": MetricSummary(None, 0, None, 3, {"x": 3})}}


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("ndcg@10>=0.85", True),
        ("ndcg@10 > 0.85", False),
        ("ndcg@10<=0.85", True),
        ("ndcg@10<.9", True),
        ("ndcg@10>=0.8501", False),
        ("ndcg@10>=baseline-0.01", True),
        ("ndcg@10>=baseline - 0.005", False),
        ("ndcg@10>=baseline", False),
        ("ndcg@10<baseline+0.1", True),
    ],
)
def test_gates_compare_the_mean_with_a_number_or_a_stored_run(text: str, ok: bool) -> None:
    stored = {"all": {"ndcg@10": MetricSummary(0.86, 100, None)}}

    assert check_gate(parse_gate(text), SUMMARY, stored).ok == ok


def test_a_metric_that_is_unscored_or_applies_to_nothing_does_not_pass_a_gate() -> None:
    unscored, absent = (check_gate(parse_gate(f"{name}>=0"), SUMMARY, None) for name in ("facts", "mrr"))

    assert (unscored.ok, unscored.detail) == (False, "facts is unscored (3 x)")
    assert (absent.ok, absent.detail) == (False, "mrr applies to no case")


def test_a_baseline_without_the_metric_does_not_pass_a_gate() -> None:
    verdict = check_gate(parse_gate("ndcg@10>=baseline"), SUMMARY, {"all": {}})

    assert (verdict.ok, verdict.detail) == (False, "in the baseline ndcg@10 applies to no case")


@pytest.mark.parametrize("text", ["ndcg@10", "ndcg@10>=", "ndcg@10>=high", "ndcg@10>=baseline*2", "nothing>=1", ">=1"])
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_gate(text)
