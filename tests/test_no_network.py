"""Everything that needs no language model works without a network, and nobody is called."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import PAPERS, write_lines

PATIENCE = 200.0
WATCHED = """
import runpy, sys
from tests.network import refuse_network

def tell(event, values):
    try:
        refuse_network(event, values)
    except ConnectionRefusedError as refused:
        sys.stderr.write(f"CALLED {refused}\\n")
        raise

sys.addaudithook(tell)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
QUESTION = "How much of the accuracy does Heron keep?"


def without_network() -> list[str]:
    """What a command is begun with so that it has the loopback and nothing else; nothing where that is not allowed."""
    inside = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if not (shutil.which("unshare") and shutil.which("ip")):
        return []
    return inside if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0 else []


def run(folder: Path, *command: str, within: Sequence[str] = (), **settings: str) -> subprocess.CompletedProcess[str]:
    """A command of ours in an empty folder, with nothing of this process's settings, and every call told."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOOTNOTE_", "OPENAI_"))}
    return subprocess.run(
        [*within, sys.executable, "-c", WATCHED, *command],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(REPOSITORY), "FOOTNOTE_HOME": str(folder / "home"), **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def quiet(done: subprocess.CompletedProcess[str]) -> str:
    """What a command printed; it ended well, called nobody and spoke of no telemetry."""
    assert done.returncode == 0, done.stderr
    for word in ("CALLED", "telemetry", "posthog", "Traceback"):
        assert word not in done.stderr
    return done.stdout


def test_a_shelf_is_made_asked_and_examined_without_a_network(tmp_path: Path) -> None:
    # chroma#2910, #4966, #4997, open-webui#15652, vanna#1015, llama_index#9343
    papers = write_lines(tmp_path / "papers.jsonl", PAPERS)
    within = without_network()
    quiet(run(tmp_path, "ingest", str(papers), within=within))
    assert "98.2%" in quiet(run(tmp_path, "rag", "ask", QUESTION, within=within))
    quiet(run(tmp_path, "rag", "doctor", within=within))


def test_with_a_model_only_its_server_is_called(tmp_path: Path) -> None:
    # paper-qa#582, openai/tiktoken#232
    quiet(run(tmp_path, "ingest", str(write_lines(tmp_path / "papers.jsonl", PAPERS))))
    with FakeLLM(Say("Heron keeps 98.2% of the accuracy with 40% of the heads [1].")) as llm:
        settings = {"OPENAI_BASE_URL": llm.url, "FOOTNOTE_LLM_MODEL": MODEL, "OPENAI_API_KEY": "none"}
        answer = json.loads(quiet(run(tmp_path, "rag", "ask", QUESTION, "--json", **settings)))
    assert answer["mode"] == "llm"
