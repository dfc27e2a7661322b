from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from rag.errors import InputError
from rag.evaluate.bootstrap import interval
from rag.evaluate.run import Baseline, Run, read_run, write_run
from rag.evaluate.score import CaseScore, Share, Sheet
from rag.evaluate.summary import MetricSummary, summarise, to_dict
from tests.made_run import ABOUT


def score(identity: str, kind: str = "fact", **values: float) -> CaseScore:
    return CaseScore(identity, kind, values)


def test_a_mean_is_over_the_cases_that_have_a_value_overall_and_by_type() -> None:
    summary = summarise([score("a", facts=1.0), score("b", facts=0.5), score("c", "survey", facts=0.0), score("d")])

    assert (summary["all"]["facts"].mean, summary["all"]["facts"].n) == (0.5, 3)
    assert (summary["fact"]["facts"].mean, summary["fact"]["facts"].n) == (0.75, 2)
    assert MetricSummary(0.0, 1, None) == summary["survey"]["facts"]


# NVIDIA/NeMo PR#458 and lightspeed-evaluation PR#48: one NaN killed the report, or was averaged as 0. LightRAG#4040.
def test_what_is_not_a_number_is_unscored_counted_and_never_zero() -> None:
    sheet = Sheet()
    sheet.put("facts", math.nan, "the judge could not be read")
    scores = [score(str(n), facts=1.0) for n in range(49)] + [CaseScore("x", "fact", sheet.values, sheet.unscored)]
    facts = summarise(scores)["all"]["facts"]

    assert (facts.mean, facts.n, facts.unscored) == (1.0, 49, 1)
    assert facts.reasons == {"the judge could not be read": 1}


def test_nothing_scored_has_no_mean_and_no_interval() -> None:
    summary = summarise([CaseScore("a", "fact", {}, {"facts": "timeout"})])

    assert MetricSummary(None, 0, None, 1, {"timeout": 1}) == summary["all"]["facts"]
    assert '"mean": null' in json.dumps(to_dict(summary), allow_nan=False)


def test_no_cases_have_no_metrics() -> None:
    assert summarise([]) == {"all": {}}


# deep_research_bench#11: which of the two was meant nobody could tell.
def test_macro_and_micro_means_stand_beside_each_other() -> None:
    shares = [Share(1, 1), Share(1, 2), Share(0, 5)]
    scores = [CaseScore(str(n), "fact", {"facts": s.got / s.of}, {}, {"facts": s}) for n, s in enumerate(shares)]
    facts = summarise(scores)["all"]["facts"]

    assert (facts.mean, facts.micro) == (0.5, 0.25)


def test_amounts_have_a_median_a_95th_percentile_and_a_sum() -> None:
    seconds = summarise([score(str(n), seconds=float(n)) for n in range(1, 5)])["all"]["seconds"]

    assert (seconds.mean, seconds.median, seconds.p95, seconds.total) == (2.5, 2.5, 3.85, 10.0)


def test_an_interval_needs_two_values_holds_the_mean_and_is_the_same_every_time() -> None:
    values = [0.0, 1.0, 1.0, 0.5, 0.25, 1.0]
    low, high = interval(values) or (1.0, 0.0)

    assert low < sum(values) / len(values) < high
    assert (low, high) == interval(values)
    assert interval([1.0, 1.0]) == (1.0, 1.0)
    assert interval([1.0]) is interval([]) is None


def test_a_type_called_all_is_not_mixed_with_the_whole() -> None:
    summary = summarise([score("a", "all", facts=1.0), score("b", facts=0.0)])

    assert (summary["all"]["facts"].n, summary["type all"]["facts"].n) == (2, 1)


def test_a_run_comes_back_as_it_was_written(tmp_path: Path) -> None:
    scores = (CaseScore("a", "fact", {"facts": 0.5}, {"alce_recall": "unreadable"}, {"facts": Share(1, 2)}, ("bad",)),)
    baseline = Baseline(scores, summarise(scores))
    answers = {"a": {"id": "a", "answer": "β [1]"}}
    run = Run(ABOUT, ({"id": "a", "question": "?"},), answers, scores, summarise(scores), {"quotes": baseline})
    write_run(run, tmp_path / "run")

    assert run == read_run(tmp_path / "run")
    assert {"schema", "cases", "metrics", "baselines"} == set(json.loads((tmp_path / "run/summary.json").read_text()))


def test_a_folder_without_a_run_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 99}')

    with pytest.raises(InputError, match="cannot be read"):
        read_run(tmp_path / "none")
    with pytest.raises(InputError, match="no run of this version"):
        read_run(tmp_path)
