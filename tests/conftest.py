"""What every test may use, and what none may do: reach the network."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from rag.library import Library
from tests.fake_llm import MODEL, FakeLLM
from tests.shelf import open_shelf

REPOSITORY = Path(__file__).resolve().parent.parent
REFUSED: list[str] = []


def is_local(host: object) -> bool:
    """Whether `host` is this machine's loopback (or no host at all: any local interface)."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost"):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_network(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: connections, datagrams and name look-ups stay on the loopback."""
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event in ("socket.connect", "socket.sendto") and args[0].family in (socket.AF_INET, socket.AF_INET6):
        host = args[1][0]
    else:
        return
    if not is_local(host):
        REFUSED.append(f"{event} {host}")
        raise ConnectionRefusedError(f"tests may not reach the network: {event} {host}")


def pytest_configure() -> None:
    sys.addaudithook(refuse_network)


@pytest.fixture(autouse=True)
def no_network() -> Iterator[None]:
    """A test fails when anything tried to leave the machine, even if the refusal was swallowed."""
    REFUSED.clear()
    yield
    assert REFUSED == []


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of shared test data: TEST_DATA_DIR, or `shared` beside the repository."""
    folder = Path(os.environ.get("TEST_DATA_DIR") or REPOSITORY.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared test data: {folder} is missing and TEST_DATA_DIR does not name another folder")
    return folder


@pytest.fixture
def fake() -> Iterator[FakeLLM]:
    with FakeLLM() as server:
        yield server


@pytest.fixture
def modelled(home: Path, fake: FakeLLM) -> Iterator[Library]:
    """The shelf of the test file's own `home`, its answers written by the scripted server."""
    library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
    yield library
    if library.llm:
        library.llm.close()
    library.close()
