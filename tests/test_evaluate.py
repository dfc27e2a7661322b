from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ingest.command import app as ingest_app
from rag.commands.app import app
from rag.console import status_of
from rag.errors import InputError, SettingsError
from rag.evaluate.answers import scorable_answers
from rag.evaluate.case import Case
from rag.evaluate.cases import checked, read_cases
from rag.evaluate.evaluation import How, answer_cases, evaluate, keep_answers, shelf_of
from rag.evaluate.faults import CasesError
from rag.evaluate.run import Run, read_run, write_run
from rag.library import Library
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines

HERON, SOIL, SLEEP = "doi:10.1000/heron", "arxiv:1901.00001", "pmid:3300001"
CASES: tuple[dict[str, Any], ...] = (
    {
        "id": "c1",
        "type": "fact",
        "question": "By how much did IL-6 rise without sleep?",
        "gold": [SLEEP],
        "facts": ["31%"],
        "quote": ["IL-6 rose by 31% and fell back after one night of rest."],
    },
    {"id": "c2", "type": "fact", "question": "Which attention heads does Heron remove?", "gold": [HERON]},
    {"id": "c3", "type": "offtopic", "question": "what temperature should i bake sourdough bread at?"},
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def cases_in(library: Library, path: Path, *, keep_missing: bool = False) -> tuple[Case, ...]:
    cases = read_cases(path)
    return checked(cases, shelf_of(library, [n for case in cases for n in case.gold]), keep_missing=keep_missing)


def made(library: Library, path: Path, out: Path) -> Run:
    how = How()
    cases = cases_in(library, path)
    answers, _ = answer_cases(library, cases, out, how)
    run = evaluate(library, cases, answers, out, how)
    write_run(run, out)
    return run


def faults_of(library: Library, path: Path) -> list[str]:
    with pytest.raises(CasesError) as raised:
        cases_in(library, path)
    return [str(fault).removeprefix(f"{path.parent}/") for fault in raised.value.faults]


# --- cases ---


def test_cases_are_read_as_they_are_written(library: Library, tmp_path: Path) -> None:
    cases = cases_in(library, write_lines(tmp_path / "cases.jsonl", CASES))

    assert [case.to_dict() for case in cases] == list(CASES)


def test_gold_may_be_named_by_any_alias(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [{"question": "?", "gold": ["10.1000/heron", HERON]}])
    (case,) = cases_in(library, path) if library.catalogue.find("10.1000/heron") else (None,)

    assert case is None or case.gold == (HERON,)


def test_every_line_that_is_no_case_is_named(library: Library, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "c.jsonl",
        [{"id": "a", "question": ""}, {"id": "b", "question": "?", "gold": 3}, {"question": "?", "type": 1}],
    )

    assert faults_of(library, path) == [
        "c.jsonl:1: has no question.",
        "c.jsonl:2: gold is no list of texts.",
        "c.jsonl:3: type and answer are texts.",
    ]


def test_an_id_that_stands_twice_is_named_with_both_lines(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [{"id": "a", "question": "?"}, {"id": "a", "question": "!"}])

    assert faults_of(library, path) == [f"c.jsonl:2: the id a stands already at {path}:1."]


def test_unknown_gold_and_quotes_that_are_nowhere_are_named_with_their_lines(library: Library, tmp_path: Path) -> None:
    lines = [{**CASES[0], "quote": ["IL-6 rose by 32%"]}, {**CASES[1], "gold": ["doi:10.1/none"]}, CASES[2]]
    path = write_lines(tmp_path / "c.jsonl", lines)

    assert faults_of(library, path) == [
        'c.jsonl:1: no gold abstract holds the quote "IL-6 rose by 32%".',
        "c.jsonl:2: the gold abstract doi:10.1/none is not on the shelf.",
    ]


def test_gold_that_is_not_on_the_shelf_can_count_as_not_found(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [{**CASES[1], "gold": [HERON, "doi:10.1/none"]}])
    cases = cases_in(library, path, keep_missing=True)
    answers, _ = answer_cases(library, cases, tmp_path, How())

    assert evaluate(library, cases, answers, tmp_path).summary["all"]["recall@10"].mean == 0.5


def test_a_file_without_cases_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("\n")

    with pytest.raises(InputError, match="holds no cases"):
        read_cases(tmp_path / "c.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")


def test_a_table_of_questions_and_answers_is_cases(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text('Question,Expected Answer,Gold,Facts\n"Which, then?",The heads.,a; b,"40%;two hours"\nWhy?,,,\n')
    first, second = read_cases(path)

    assert (first.question.text, first.answer, first.gold) == ("Which, then?", "The heads.", ("a", "b"))
    assert (first.facts, first.where) == (("40%", "two hours"), f"{path}:2")
    assert (second.answer, second.gold, second.type) == (None, (), "other")


def test_a_folder_like_beirs_is_cases(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t2\n1\td2\t1\n2\td1\t0\n")
    write_lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "one"}, {"_id": "2", "text": "two"}])
    (case,) = read_cases(tmp_path)

    assert (case.id, case.question.text, case.gold) == ("1", "one", ("d1", "d2"))
    assert case.grades == {"d1": 2, "d2": 1}


def test_a_judgement_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("qid\tdocid\trel\n1\td1\n")
    write_lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "one"}])

    with pytest.raises(InputError, match=r"qrels\.tsv:2 is no judgement"):
        read_cases(tmp_path)


def test_documents_of_a_collection_are_found_by_the_keys_of_their_file(tmp_path: Path) -> None:
    corpus = [{"_id": f"d{n}", "title": paper["title"], "text": paper["abstract"]} for n, paper in enumerate(PAPERS)]
    fill(tmp_path / "home", write_lines(tmp_path / "corpus.jsonl", corpus))
    write_lines(tmp_path / "queries.jsonl", [{"_id": "1", "text": "soil moisture"}])
    (tmp_path / "qrels.tsv").write_text("1\td1\t1\n")
    library = open_shelf(tmp_path / "home")
    (case,) = cases_in(library, tmp_path)
    library.close()

    assert case.gold[0].startswith("sha-")


# --- runs ---


def test_a_run_is_a_batch_with_a_score(library: Library, tmp_path: Path) -> None:
    run = made(library, write_lines(tmp_path / "cases.jsonl", CASES), tmp_path / "run")
    whole = run.summary["all"]

    assert (whole["ndcg@10"].mean, whole["facts"].mean, whole["refused"].mean) == (1.0, 1.0, 1.0)
    assert set(run.summary) == {"all", "fact", "offtopic"}
    assert {path.name for path in (tmp_path / "run").iterdir() if not path.name.startswith(".")} == {
        "answers.jsonl",
        "cases.jsonl",
        "run.json",
        "summary.json",
    }
    assert read_run(tmp_path / "run") == run


def test_the_same_answers_give_the_same_numbers_to_the_last_digit(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    first = made(library, path, tmp_path / "run")
    cases = cases_in(library, path)
    again = [
        evaluate(library, cases, keep_answers(tmp_path / "run/answers.jsonl", cases, folder)[0], folder)
        for folder in (tmp_path / "one", tmp_path / "two")
    ]

    assert [json.dumps(run.summary_dict()) for run in again] == [json.dumps(first.summary_dict())] * 2


def test_baselines_answered_anew_are_the_same_too(home: Path, library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    made(library, path, tmp_path / "run")
    other = open_shelf(home, top_k=2)
    cases = cases_in(other, path)
    answers = scorable_answers(tmp_path / "run/answers.jsonl")
    one, two = (evaluate(other, cases, answers, tmp_path / name).summary_dict() for name in ("one", "two"))
    other.close()

    assert (tmp_path / "one/baselines").is_dir()
    assert json.dumps(one) == json.dumps(two)


def test_copying_the_top_abstract_cites_perfectly_and_never_refuses(library: Library, tmp_path: Path) -> None:
    run = made(library, write_lines(tmp_path / "cases.jsonl", CASES), tmp_path / "run")
    copied, quotes = run.baselines["copy_top"].summary["all"], run.baselines["quotes"].summary["all"]

    assert (copied["alce_recall"].mean, copied["alce_precision"].mean, copied["refused"].mean) == (1.0, 1.0, 0.0)
    assert copied["violations"].mean == 0.0
    assert quotes["facts"] == run.summary["all"]["facts"]


# promptfoo#1970 and #1612: a failed request was judged as if it were an answer. OpenScholar counts words as tokens.
def test_a_model_that_fails_is_shown_and_not_scored(home: Path, tmp_path: Path) -> None:
    def reply(body: Mapping[str, Any]) -> Say | Fail:
        asked = body["messages"][-1]["content"]
        failed = Fail(400, error("too long", code="context_length_exceeded"))
        return failed if "heads does Heron" in asked else Say("睡眠不足でIL-6は31%上昇した [1].", usage=(901, 17))

    path = write_lines(tmp_path / "cases.jsonl", CASES[:2])
    with FakeLLM(otherwise=reply) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        run = made(library, path, tmp_path / "run")
        assert library.llm
        library.llm.close()
        library.close()
    whole = run.summary["all"]

    assert (whole["error"].mean, whole["answered"].n, whole["answered"].reasons) == (0.5, 1, {"context": 1})
    assert (whole["prompt_tokens"].mean, whole["completion_tokens"].mean) == (901, 17)
    assert whole["cost_usd"].reasons == {"the price is unknown": 1}
    assert run.baselines["quotes"].summary["all"]["answered"].n == 2
    assert run.about.models == (MODEL,)


def test_a_run_remembers_what_decided_it_and_no_secret(home: Path, tmp_path: Path) -> None:
    library = open_shelf(home, openai_api_key="sk-secret", openai_base_url="http://ada:hunter2@127.0.0.1/v1")
    run = made(library, write_lines(tmp_path / "cases.jsonl", CASES), tmp_path / "run")
    library.close()
    kept = (tmp_path / "run/run.json").read_text()

    assert run.about.settings is not None
    assert run.about.settings["top_k"] == 8
    assert run.about.settings["openai_base_url"] == "http://127.0.0.1/v1"
    assert (run.about.indexes, run.about.modes, run.about.judge) == ((library.index,), ("quotes",), "verifier")
    assert run.about.libraries["ir_measures"]
    assert "sk-secret" not in kept
    assert "hunter2" not in kept


def test_answers_of_other_settings_leave_the_settings_unknown(home: Path, library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    made(library, path, tmp_path / "run")
    other = open_shelf(home, top_k=2)
    cases = cases_in(other, path)
    answers, strangers = keep_answers(tmp_path / "run/answers.jsonl", cases[:2], tmp_path / "b")
    run = evaluate(other, cases[:2], answers, tmp_path / "b")
    other.close()

    assert strangers == 1
    assert run.about.settings is None
    assert run.about.fingerprints == (library.settings.fingerprint(),)


def test_answers_of_other_code_are_not_taken_for_those_of_this(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    made(library, path, tmp_path / "run")
    stored = json.loads((tmp_path / "run/run.json").read_text())
    stored["about"]["prompts"] = "another"
    (tmp_path / "run/run.json").write_text(json.dumps(stored))

    with pytest.raises(SettingsError, match="other prompts"):
        made(library, path, tmp_path / "run")


def test_answers_of_other_settings_are_not_mixed(home: Path, library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    made(library, path, tmp_path / "run")
    other = open_shelf(home, top_k=2)

    with pytest.raises(SettingsError, match=r"other settings .* with --answers"):
        made(other, write_lines(path, [*CASES, {"question": "What is soil moisture?"}]), tmp_path / "run")
    other.close()


def test_numbers_that_are_none_are_unknown(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "status": "answered", "seconds": {"total": NaN, "llm": 1e999}}\n')

    assert scorable_answers(tmp_path / "a.jsonl")["1"]["seconds"] == {"total": None, "llm": None}


@pytest.mark.parametrize("fields", ['"hits": ["a"]', '"citations": [{"id": "a"}]', '"usage": {"cost_usd": "much"}'])
def test_what_has_not_the_form_of_an_answer_is_named(fields: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "status": "answered", ' + fields + "}\n")

    with pytest.raises(InputError, match="the answer x has not the form"):
        scorable_answers(tmp_path / "a.jsonl")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["evaluate", "CASES"], 2, "--out"),
        (["evaluate", "none.jsonl", "--out", "run"], 1, "cannot be read"),
        (["evaluate", "CASES", "--out", "run", "--gate", "ndcg>=0.8"], 2, "names no known metric"),
        (["evaluate", "CASES", "--out", "run", "--gate", "ndcg@10=0.8"], 2, "cannot be read"),
        (["evaluate", "CASES", "--out", "run", "--gate", "ndcg@10>=baseline"], 2, "Add --baseline DIR"),
        (["evaluate", "CASES", "--out", "run", "--baseline", "none"], 1, "cannot be read"),
        (["compare", "none", "other"], 1, "cannot be read"),
    ],
)
def test_what_cannot_be_evaluated_is_said_in_one_line_before_anything_is_asked(
    arguments: list[str], status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "cases.jsonl", CASES)
    given = [str(path) if word == "CASES" else word for word in arguments]

    assert status_of(app, "rag", given) == status
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_figures_agree_with_the_independent_scorer(shared_data: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("score_answers", shared_data / "tools/score_answers.py")
    assert spec
    assert spec.loader
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    fill(tmp_path / "home", shared_data / "seeds/000_e2681977d4da9212.txt")
    library = open_shelf(tmp_path / "home")
    every = [json.loads(line) for line in (shared_data / "gold/dev.jsonl").read_text().splitlines()]
    lines = [case for case in every if all(map(library.catalogue.has, case["gold"]))]
    run = made(library, write_lines(tmp_path / "cases.jsonl", lines), tmp_path / "run")
    library.close()

    assert len(lines) > 20
    for case, score in zip(lines, run.scores, strict=True):
        theirs = scorer.score(case, run.answers[case["id"]])
        assert {name: score.values[name] for name in theirs} == pytest.approx(theirs, abs=1e-9)
        assert list(score.violations) == scorer.broken(run.answers[case["id"]])


def test_the_command_evaluates_and_ends_with_1_when_a_gate_fell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no .env
    papers, cases = write_lines(tmp_path / "papers.jsonl", PAPERS), write_lines(tmp_path / "cases.jsonl", CASES)
    assert status_of(ingest_app, "ingest", [str(papers), "--home", "home"]) == 0
    capsys.readouterr()
    first = ["evaluate", str(cases), "--home", "home", "--out", "a", "--json"]
    assert status_of(app, "rag", [*first, "--gate", "ndcg@10>=0.9"]) == 0
    printed, err = capsys.readouterr()
    summary = json.loads(printed)

    assert err.splitlines()[-1] == "ok    ndcg@10>=0.9: ndcg@10 is 1.0000 over 2"
    assert summary["metrics"] == json.loads((tmp_path / "a/summary.json").read_text())["metrics"]
    again = ["evaluate", str(cases), "--home", "home", "--out", "b", "--answers", "a/answers.jsonl", "--baseline", "a"]
    assert status_of(app, "rag", [*again, "--gate", "facts>baseline"]) == 1
    printed, err = capsys.readouterr()
    assert err == "FELL  facts>baseline: facts is 1.0000 over 1, baseline 1.0000\n"
    assert "95 % interval" in printed
