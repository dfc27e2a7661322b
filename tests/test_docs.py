from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from rag.bench.__main__ import app as bench
from rag.commands.app import app

ROOT = Path(__file__).parent.parent
DOCS = {path.relative_to(ROOT).as_posix(): path.read_text() for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]}


def names(program: typer.Typer) -> set[str]:
    """Commands and groups of a program."""
    commands = {
        command.name or command.callback.__name__ for command in program.registered_commands if command.callback
    }
    return commands | {str(group.name) for group in program.registered_groups}


def test_every_command_is_described_and_every_described_command_exists() -> None:
    described = set(re.findall(r"python -m rag (\w[\w-]*)", " ".join(DOCS.values())))

    assert described == names(app)


def test_every_bench_is_described() -> None:
    (listed,) = re.findall(r"^## python -m rag\.bench ([\w |]+)$", DOCS["docs/commands.md"], re.MULTILINE)

    assert set(listed.split(" | ")) == names(bench)


@pytest.mark.parametrize("name", sorted(DOCS))
def test_links_lead_somewhere(name: str) -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", DOCS[name]) if not t.startswith("http")]

    assert [t for t in targets if not (ROOT / name).parent.joinpath(t).exists()] == []
