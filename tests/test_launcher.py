"""`scripts/chat.py`: one line for what is wrong."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY


def launch(*arguments: str) -> tuple[int, str]:
    """Exit status and what was said on stderr."""
    command = [sys.executable, str(REPOSITORY / "scripts" / "chat.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_a_taken_port_is_one_line_that_names_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        status, said = launch("--port", str(port))
    assert status == 1
    assert said.count("\n") == 1
    assert f"Port {port} cannot be used" in said
    assert "make chat PORT=" in said


@pytest.mark.parametrize("port", ["x", "0", "70000", "-1"])
def test_what_is_no_port_is_one_line(port: str) -> None:
    status, said = launch(f"--port={port}")
    assert status == 2
    assert said.count("\n") == 1
    assert "is no port" in said
