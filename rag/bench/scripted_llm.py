"""An OpenAI-compatible server that says the same thing after a fixed time, in a process of its own.

Run as a program it serves until its standard input ends, and prints its address first: no thread of what is measured
has to make room for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MODEL = "scripted"
REPLY = "The abstract states it [1]. It says so in its own words [1]."
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def scripted_llm(latency: float) -> Iterator[str]:
    """The server's address, with /v1, while it runs; every reply takes `latency` seconds."""
    command = [sys.executable, "-P", __file__, str(latency)]  # -P: its neighbours are no top-level modules
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.stdin is not None  # noqa: S101 - asked for above
        assert process.stdout is not None  # noqa: S101
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def _events() -> bytes:
    usage = {"prompt_tokens": 1000, "completion_tokens": 16, "total_tokens": 1016}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": REPLY}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]
    same: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    texts = [json.dumps({**same, **chunk}) for chunk in chunks]
    body = "".join(f"data: {text}\n\n" for text in [*texts, "[DONE]"]).encode()
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


async def _serve(latency: float) -> None:
    body = _events()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split()[0]))
            await asyncio.sleep(latency)
            writer.write(_HEAD + body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=512)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    threading.Thread(target=_end_with_input, daemon=True).start()
    await server.serve_forever()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
