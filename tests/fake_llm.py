"""An OpenAI-compatible server on 127.0.0.1 that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

MODEL = "my/model:7b-q4"


@dataclass(frozen=True)
class Say:
    """A good reply: streamed in `pieces` (default: word by word) or at once, as the request wants it."""

    text: str
    pieces: tuple[str, ...] = ()
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    pause: float = 0.0
    before: float = 0.0


@dataclass(frozen=True)
class Raw:
    """The bytes of a 200 answer, each sent by itself; `end` tells how the connection ends.

    "clean": the transfer is complete; "cut": it is closed in the middle of the transfer; "reset": likewise, by RST;
    "eof": HTTP/1.0 style, where the end of the connection is the end of the body.
    """

    chunks: tuple[bytes, ...]
    content_type: str = "text/event-stream"
    end: str = "clean"
    pause: float = 0.0


@dataclass(frozen=True)
class Fail:
    """An error status with a JSON object or a text as body."""

    status: int
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Say | Raw | Fail


@dataclass
class Asked:
    """A request from a client's `port`: `hung_up` is set when it closed the connection before the reply was over."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    port: int = 0
    hung_up: threading.Event = field(default_factory=threading.Event)


def error(message: str, *, code: str | None = None, kind: str | None = None) -> dict[str, Any]:
    """The body of an error in OpenAI's form."""
    return {"error": {"message": message, "code": code, "type": kind, "param": None}}


def event(delta: Mapping[str, Any] | None = None, *, finish: str | None = None, **fields: Any) -> bytes:
    """One server-sent event of a streamed completion."""
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
    chunk["choices"] = [{"index": 0, "delta": dict(delta or {}), "finish_reason": finish}]
    return b"data: " + json.dumps({**chunk, **fields}, ensure_ascii=False).encode() + b"\n\n"


def content(*pieces: str) -> tuple[bytes, ...]:
    """Events that carry these pieces of text."""
    return tuple(event({"content": piece}) for piece in pieces)


DONE = b"data: [DONE]\n\n"


class FakeLLM:
    """Use as a context manager. Replies come from the queue, then from `otherwise` (one, or a function of a body)."""

    def __init__(self, *replies: Reply, otherwise: Reply | Callable[[dict[str, Any]], Reply] | None = None) -> None:
        self.asked: list[Asked] = []
        self.offered = [MODEL]
        self._queue = deque(replies)
        self._otherwise = otherwise
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address to give as OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of all requests, in order."""
        return [asked.body for asked in self.asked]

    def will(self, *replies: Reply) -> None:
        """Add replies to the queue."""
        with self._lock:
            self._queue.extend(replies)

    def next_reply(self, asked: Asked) -> Reply:
        """The reply to this request, which is remembered."""
        with self._lock:
            self.asked.append(asked)
            if self._queue:
                return self._queue.popleft()
        if self._otherwise is None:
            return Fail(500, error("the test has no reply for this request"))
        return self._otherwise(asked.body) if callable(self._otherwise) else self._otherwise


class _Server(ThreadingHTTPServer):
    """One thread for each connection; knows whose replies it gives."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, fake: FakeLLM) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fake = fake


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection as the FakeLLM that owns the server says."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing."""

    def do_GET(self) -> None:
        self._send_json(
            200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.server.fake.offered]}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        asked = Asked(
            self.path, {name.lower(): value for name, value in self.headers.items()}, body, self.client_address[1]
        )
        reply = self.server.fake.next_reply(asked)
        try:
            self._answer(reply, body)
        except OSError:
            self.close_connection = True
            asked.hung_up.set()

    def _answer(self, reply: Reply, body: Mapping[str, Any]) -> None:
        if isinstance(reply, Fail):
            text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
            kind = "text/html" if isinstance(reply.body, str) else "application/json"
            self._send(reply.status, text.encode(), kind, reply.headers)
        elif isinstance(reply, Raw):
            self._send_raw(reply)
        else:
            time.sleep(reply.before)
            if body.get("stream"):
                self._send_raw(Raw(tuple(_events(reply, body)), pause=reply.pause))
            else:
                self._send_json(200, _completion(reply))

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", {})

    def _send(self, status: int, data: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _send_raw(self, reply: Raw) -> None:
        self.send_response(200)
        self.send_header("Content-Type", reply.content_type)
        chunked = reply.end != "eof"
        self.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Connection", "close")))
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)
            self.wfile.flush()
            time.sleep(reply.pause)
        if reply.end == "clean":
            self.wfile.write(b"0\r\n\r\n")
        else:
            self._hang_up(reset=reply.end == "reset")

    def _hang_up(self, *, reset: bool) -> None:
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()


def _events(reply: Say, body: Mapping[str, Any]) -> Iterable[bytes]:
    yield event({"role": "assistant", "content": ""})
    words = reply.text.split(" ")
    pieces = reply.pieces or tuple(word if number == 0 else f" {word}" for number, word in enumerate(words))
    yield from content(*pieces)
    yield event(finish=reply.finish)
    if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
        yield event(choices=[], usage=_usage(reply.usage))
    yield DONE


def _completion(reply: Say) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text or "".join(reply.pieces)}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    completion = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice]}
    return {**completion, "usage": _usage(reply.usage)} if reply.usage else completion


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
