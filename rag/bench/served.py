"""The chat on a port of its own, as `python scripts/chat.py` serves it."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from typing import NamedTuple
from urllib.error import URLError

REPOSITORY = Path(__file__).resolve().parent.parent.parent
STARTED = 90.0
"""Seconds until the server must answer."""


class Served(NamedTuple):
    """Where the page is, and the process that serves it."""

    address: str
    process: subprocess.Popen[bytes]


@contextmanager
def served(home: Path, environment: Mapping[str, str], cwd: Path | None = None) -> Iterator[Served]:
    """The chat over the shelf in `home`, as long as the context lasts; a relative `home` is one of `cwd`.

    Raises RuntimeError where the server ends, TimeoutError where it does not answer within STARTED seconds.
    """
    with create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, str(REPOSITORY / "scripts" / "chat.py"), "--port", str(port), "--home", str(home)]
    quiet = {**environment, "BROWSER": "true"}  # else the server opens one of its own
    with subprocess.Popen(command, cwd=cwd, env=quiet, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - our own
        try:
            _wait_until_up(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield Served(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()


def _wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTED
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError("the server ended")
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - our own server
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"{url} did not answer within {STARTED:.0f} seconds")
