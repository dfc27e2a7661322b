from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.command import app as ingest_app
from rag.answer import ask as answer_of
from rag.chats import feedback
from rag.chats.values import Opinion
from rag.commands.app import app as rag_app
from rag.config import environment_names, load_settings
from rag.console import status_of
from rag.conversations import Conversations
from rag.library import open_library
from rag.types import Question
from tests.shelf import PAPERS, write_lines

ROOT = Path(__file__).parent.parent
HEAVY = ("llama_index", "chromadb", "openai", "streamlit", "onnxruntime", "openvino", "pandas", "torch")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        program, *rest = map(str, arguments)
        app = {"ingest": ingest_app, "rag": rag_app}[program]
        status = status_of(app, f"python -m {program}", rest)
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    papers = write_lines(folder / "papers.jsonl", PAPERS)
    assert status_of(ingest_app, "ingest", [str(papers), "--home", str(folder / "home"), "--json"]) == 0
    return folder / "home"


def test_ingest_prints_its_report_as_one_json_document(run: Run, tmp_path: Path) -> None:
    papers = write_lines(tmp_path / "papers.jsonl", PAPERS)
    status, out, err = run("ingest", papers, "--home", tmp_path / "home", "--json")
    report = json.loads(out)

    assert (status, err) == (0, "")
    assert (report["read"], report["new"], report["abstracts"]) == (3, 3, 3)
    assert {"rejects", "conflicts", "passages", "embedded", "seconds", "removed", "merged"} <= set(report)


def test_search_prints_hits_with_ranks_and_passage(run: Run, home: Path) -> None:
    status, out, _ = run("rag", "search", "IL-6 and sleep", "--k", 2, "--home", home, "--json")
    result = json.loads(out)

    assert status == 0
    assert result["query"] == "IL-6 and sleep"
    assert [hit["rank"] for hit in result["hits"]] == [1, 2]
    first = result["hits"][0]
    assert {"rank", "id", "score", "ranks", "title", "text", "source", "passage"} == set(first)
    assert (first["id"], first["ranks"]) == ("pmid:3300001", {"dense": 1, "lexical": 1})


def test_ask_prints_an_answer_of_the_contract(run: Run, home: Path) -> None:
    status, out, _ = run("rag", "ask", "By how much did IL-6 rise?", "--home", home, "--json")
    answer = json.loads(out)

    assert status == 0
    assert (answer["schema"], answer["status"], answer["mode"]) == (1, "answered", "quotes")
    assert "31%" in answer["answer"]
    assert "pmid:3300001" in [c["id"] for c in answer["citations"]]


def test_ask_for_people_shows_text_and_sources(run: Run, home: Path) -> None:
    status, out, _ = run("rag", "ask", "By how much did IL-6 rise?", "--home", home)

    assert status == 0
    assert "[1] Interleukin 6 and sleep (Ada Lum, 2023)" in out
    assert "Quoted word for word" in out


@pytest.mark.parametrize("before", [True, False])
def test_home_and_json_stand_before_or_after_the_command(run: Run, home: Path, before: bool) -> None:
    options, command = ["--home", home, "--json"], ["search", "sleep"]
    status, out, _ = run("rag", *(options + command if before else command + options))

    assert status == 0
    assert json.loads(out)["hits"]


def test_batch_answers_a_file_and_resumes(run: Run, home: Path, tmp_path: Path) -> None:
    questions = tmp_path / "q.txt"
    questions.write_text("# about sleep\nBy how much did IL-6 rise?\n\nWhat does radar measure?\n")
    out = tmp_path / "answers.jsonl"
    first = run("rag", "batch", questions, "--out", out, "--home", home, "--json")
    second = run("rag", "batch", questions, "--out", out, "--home", home, "--json")

    assert {k: v for k, v in json.loads(first[1]).items() if k in ("asked", "kept", "errors", "left")} == {
        "asked": 2,
        "kept": 0,
        "errors": 0,
        "left": 0,
    }
    assert json.loads(second[1])["asked"] == 0
    assert len(out.read_text().splitlines()) == 2


def test_chat_answers_line_after_line(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("By how much did IL-6 rise?\nand what fell back?\n"))
    status, out, _ = run("rag", "chat", "--home", home, "--json")

    assert status == 0
    assert len([json.loads(line) for line in out.splitlines()]) == 2


def test_what_readers_said_becomes_cases_that_evaluate_takes(run: Run, home: Path, tmp_path: Path) -> None:
    """Thumbs, a comment and a wrong source go out as cases, and an evaluation scores them."""
    library, store = open_library(load_settings(None, home=home)), Conversations(home)
    chat = store.begin()
    turns = [store.ask(chat, text) for text in ("How much of the accuracy does Heron keep?", "What of drought?")]
    for turn in turns:
        asked = store.claim(chat)
        assert asked is not None
        store.finish(turn, answer_of(library, Question(asked.question)), {})
    good, bad = store.turns(chat)
    assert bad.answer is not None
    feedback.say(store.database, Opinion(good.id, None, True))
    feedback.say(store.database, Opinion(bad.id, None, False, "Not what I asked."))
    feedback.say(store.database, Opinion(bad.id, bad.answer.citations[0].id, False))
    store.close()
    library.close()

    cases = tmp_path / "cases.jsonl"
    status, out, err = run("rag", "export", "feedback", "--home", home, "--out", cases)
    assert (status, out, err.strip()) == (0, "", f"{cases}: 2 cases.")
    assert run("rag", "export", "feedback", "--home", home)[1] == cases.read_text("utf-8")
    first, second = map(json.loads, cases.read_text("utf-8").splitlines())
    assert (first["gold"], first["rating"]) == (["doi:10.1000/heron"], "good")
    assert (second["wrong"], second["comment"]) == ([bad.answer.citations[0].id], "Not what I asked.")

    status, out, _ = run("rag", "evaluate", cases, "--home", home, "--out", tmp_path / "run", "--json")
    assert status == 0
    assert json.loads(out)["metrics"]["feedback"]


def test_there_is_no_feedback_where_nothing_was_asked(run: Run, tmp_path: Path) -> None:
    status, out, err = run("rag", "export", "feedback", "--home", tmp_path)
    assert (status, out) == (1, "")
    assert "There are no conversations" in err


def test_doctor_finds_a_sound_shelf_sound(run: Run, home: Path) -> None:
    status, out, _ = run("rag", "doctor", "--home", home, "--json")
    result = json.loads(out)

    assert (status, result["ok"]) == (0, True)
    assert {"name", "ok", "detail", "fix", "findings"} == set(result["checks"][0])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["rag", "ask", ""], 2),
        (["rag", "ask", "  "], 2),
        (["rag", "search"], 2),
        (["rag", "serch", "x"], 2),
        (["rag", "search", "x", "--k", "0"], 2),
        (["rag", "search", "x", "--year", "soon", "--home", "HOME"], 2),
        (["rag", "ask", "word " * 2000, "--home", "HOME"], 2),
        (["rag", "ask", "x", "--home", "nowhere"], 1),
        (["rag", "doctor", "--home", "nowhere"], 1),
        (["rag", "batch", "missing.txt", "--out", "a.jsonl"], 1),
        (["rag", "batch", "missing.txt"], 2),
        (["ingest"], 2),
        (["ingest", "missing.txt", "--home", "h"], 1),
        (["ingest", "--wrong"], 2),
    ],
)
def test_wrong_use_ends_in_one_line_and_an_honest_status(
    run: Run, home: Path, arguments: list[str], expected: int
) -> None:
    status, _, err = run(*[str(home) if a == "HOME" else a for a in arguments])

    assert expected == status
    assert "Traceback" not in err
    if arguments[:2] != ["rag", "doctor"]:
        assert len(err.splitlines()) == 1, err


def test_with_json_nothing_but_json_reaches_stdout_when_it_fails(run: Run) -> None:  # haiku.rag#266
    status, out, err = run("rag", "ask", "anything", "--home", "nowhere", "--json")

    assert (status, out) == (1, "")
    assert "python -m ingest" in err


def fresh_python(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    modules: list[str] = json.loads(done.stdout.splitlines()[-1])
    return modules


def loaded_by(*arguments: str) -> list[str]:
    """Top-level modules loaded by a command in a process of its own."""
    return fresh_python(
        "import sys, json, io, contextlib\n"
        "from rag.commands.app import app; from rag.console import status_of\n"
        f"with contextlib.redirect_stdout(io.StringIO()): status_of(app, 'rag', {list(arguments)!r})\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )


def test_help_imports_nothing_heavy() -> None:
    assert [name for name in HEAVY if name in loaded_by("--help")] == []


def test_search_imports_no_llama_index_no_openai_and_no_streamlit(home: Path) -> None:
    loaded = loaded_by("search", "sleep", "--home", str(home))
    assert [name for name in ("llama_index", "openai", "streamlit", "pandas") if name in loaded] == []
