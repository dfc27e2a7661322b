from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from rag.batch import read_answers, run
from rag.errors import InputError, SettingsError
from rag.library import Library
from rag.questions import read_questions
from rag.types import Question
from tests.fake_llm import MODEL, Fail, FakeLLM, Say, error
from tests.shelf import PAPERS, fill, open_shelf, write_lines


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def questions(*texts: str) -> list[Question]:
    return [Question(text, id=f"q{n}") for n, text in enumerate(texts, 1)]


ASKED = questions(
    "By how much did IL-6 rise without sleep?",
    "How is soil moisture estimated from satellite radar?",
    "Which attention heads does Heron remove?",
)


def test_every_question_is_answered_once_and_running_again_asks_nothing(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    first, again = run(library, ASKED, out, workers=2), run(library, ASKED, out, workers=2)

    assert (first.asked, first.kept, again.asked, again.kept) == (3, 0, 0, 3)
    assert sorted(read_answers(out)) == ["q1", "q2", "q3"]
    assert len(out.read_text().splitlines()) == 3


def test_a_half_line_at_the_end_is_cut_off_and_asked_again(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    run(library, ASKED, out)
    whole = out.read_bytes()
    out.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 40])

    assert run(library, ASKED, out).asked == 1
    assert [json.loads(line)["id"] for line in out.read_text().splitlines()] == ["q1", "q2", "q3"]


def test_the_last_line_of_an_id_counts(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    out.write_text('{"id": "a", "status": "error"}\n{"id": "a", "status": "answered"}\n')

    assert read_answers(out)["a"]["status"] == "answered"


def test_own_columns_come_back(library: Library, tmp_path: Path) -> None:
    table = tmp_path / "q.csv"
    table.write_text('question,team,note\n"How much, exactly, did IL-6 rise?",blue,"a, ""b"""\n')
    run(library, read_questions(str(table)), tmp_path / "a.jsonl")
    (answer,) = read_answers(tmp_path / "a.jsonl").values()

    assert answer["input"] == {"team": "blue", "note": 'a, "b"'}
    assert answer["question"] == "How much, exactly, did IL-6 rise?"


def test_answers_of_other_settings_are_not_mixed_unless_told(home: Path, library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    run(library, ASKED[:1], out)
    other = open_shelf(home, top_k=2)

    with pytest.raises(SettingsError, match="--mix"):
        run(other, ASKED, out)
    assert run(other, ASKED, out, mix=True).asked == 2
    other.close()


def test_two_runs_on_one_output_are_refused(library: Library, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with FileLock(tmp_path / ".answers.jsonl.lock"), pytest.raises(InputError, match="Another run"):
        run(library, ASKED, out)


def test_a_question_that_cannot_be_asked_is_an_error_and_the_others_are_answered(
    library: Library, tmp_path: Path
) -> None:
    outcome = run(library, questions("x" * 10_000, "By how much did IL-6 rise without sleep?"), tmp_path / "a.jsonl")
    answers = read_answers(tmp_path / "a.jsonl")

    assert (outcome.asked, outcome.errors) == (2, 1)
    assert (answers["q1"]["status"], answers["q2"]["status"]) == ("error", "answered")
    assert "10,000 characters" in answers["q1"]["detail"]


def test_a_failing_model_makes_errors_that_retry_errors_asks_again(
    home: Path, tmp_path: Path
) -> None:  # promptfoo#1970
    out = tmp_path / "a.jsonl"
    with FakeLLM(otherwise=Fail(401, error("bad key", code="invalid_api_key"))) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        failed = run(library, ASKED, out)
        kept = run(library, ASKED, out)
        fake.will(*[Say("So it is [1].")] * 3)
        mended = run(library, ASKED, out, retry_errors=True)
        assert library.llm is not None
        library.llm.close()
        library.close()

    assert (failed.errors, kept.asked, mended.asked, mended.errors) == (3, 0, 3, 0)
    assert len(out.read_text().splitlines()) == 6
