"""The page for evaluations, run without a browser: begun, paused, continued, side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.errors import InputError
from rag.evaluate import folders
from rag.evaluate.evaluation import How, answer_cases, evaluate
from rag.evaluate.faults import CasesError
from rag.evaluate.run import write_run
from rag.library import Library, open_library
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import settings_at
from tests.test_app import Start
from tests.test_app_pages import HERON, button, home, start, text_of, until_done

__all__ = ["home", "start"]  # fixtures

ROWS = (
    {"id": "h", "type": "factoid", "question": "How much of the accuracy does Heron keep?", "gold": [HERON]},
    {"id": "s", "type": "method", "question": "How is soil moisture estimated?", "gold": ["arxiv:1901.00001"]},
    {"id": "o", "type": "offtopic", "question": "How is sourdough bread baked?"},
)
CASES = "".join(f"{json.dumps(row)}\n" for row in ROWS).encode()


def made(library: Library, name: str, *, scored: bool = True) -> Path:
    folder = folders.keep(library, name, "cases.jsonl", CASES)
    if scored:
        cases = folders.given_cases(library, folder)
        answers, _ = answer_cases(library, cases, folder, How())
        write_run(evaluate(library, cases, answers, folder), folder)
    return folder


def test_an_evaluation_is_begun_on_the_page_and_its_run_stands_there(start: Start, home: Path) -> None:
    page = start(home, "evaluation")
    page.radio(key="evaluation-cases").set_value("The sample's questions").run()
    button(page, "Evaluate").click().run()
    assert "not every line is a case of this shelf" in text_of(page)
    assert "questions.jsonl\\:1" in text_of(page)
    assert "is not on the shelf" in text_of(page)
    assert folders.unfinished(home / folders.FOLDER) == []

    page.checkbox(key="evaluation-missing").check().run()
    button(page, "Evaluate").click().run()
    until_done(page, "24 cases answered and scored")
    button(page, "Close").click().run()
    assert page.multiselect(key="runs").value == ["questions"]
    assert (home / folders.FOLDER / "questions" / "report.html").is_file()
    assert not page.exception


def test_what_a_pause_left_is_continued_and_nothing_is_asked_twice(start: Start, home: Path) -> None:
    library = open_library(settings_at(home))
    made(library, "paused", scored=False)
    library.close()
    reply = Say("Heron keeps 98.2% of the accuracy with 40% of the heads [1].", before=1.5)
    with FakeLLM(otherwise=reply) as fake:
        page = start(home, "evaluation", FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url)
        assert "**paused** is not finished" in text_of(page)
        button(page, "Continue").click().run()
        button(page, "Pause").click().run()
        until_done(page, "were not asked")
        button(page, "Continue").click().run()
        until_done(page, "3 cases answered and scored")
        questions = [str(body["messages"][-1]["content"]) for body in fake.bodies]
    for row in ROWS[:2]:
        assert sum(str(row["question"]) in question for question in questions) == 1


def test_runs_stand_side_by_side_with_how_far_they_are_apart_and_their_worst_cases(start: Start, home: Path) -> None:
    library = open_library(settings_at(home))
    for name in ("first", "second"):
        made(library, name)
    library.close()
    page = start(home, "evaluation")
    page.multiselect(key="runs").set_value(["first", "second"]).run()
    table = next(markdown.value for markdown in page.markdown if "| first |" in markdown.value)
    assert "| first | second | Difference |" in table
    assert "| nDCG@10 | 1.000 [1, 1] (n\u00a02)" in table.replace("\\", "")
    assert "the same |" in table
    page.selectbox(key="group").set_value("method").run()
    table = next(markdown.value for markdown in page.markdown if "| first |" in markdown.value)
    assert "(n\u00a01)" in table.replace("\\", "")
    assert "Difference" not in table
    assert any("How is soil moisture estimated" in one.label for one in page.expander)
    assert "(#source-1-1)" in text_of(page)
    assert not page.exception


def test_what_are_no_cases_of_the_shelf_is_not_kept(home: Path) -> None:
    library = open_library(settings_at(home))
    with pytest.raises(CasesError, match="not on the shelf"):
        folders.keep(library, "x", "cases.jsonl", b'{"question": "Why?", "gold": ["doi:10.1/none"]}')
    for name, file in (("../x", "cases.jsonl"), ("x", "cases.exe"), ("", "cases.jsonl"), ("x", "../../up.jsonl")):
        with pytest.raises(InputError):
            folders.keep(library, name, file, b"")
    assert not (home / folders.FOLDER / "x").exists()
    folder = folders.keep(library, "a name", "../../up <b>.jsonl", CASES)
    assert [path.name for path in (folder / folders.GIVEN).iterdir()] == ["up-b-.jsonl"]
    with pytest.raises(InputError, match="already"):
        folders.keep(library, "a name", "cases.jsonl", CASES)
    library.close()
