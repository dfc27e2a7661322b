"""What every test may use, and what none may do: reach the network."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag.library import Library
from tests.browsing import chromium
from tests.fake_llm import MODEL, FakeLLM
from tests.network import REFUSED, refuse_network
from tests.shelf import open_shelf

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPOSITORY = Path(__file__).resolve().parent.parent


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a real small model's server."""
    from rag.bench.local_llm import MISSING, local_llm, model_file

    if model_file() is None:
        pytest.skip(MISSING)
    with local_llm() as address:
        yield address
