"""A server on 127.0.0.1 that answers requests as a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request: `query` and `form` as single values, header names in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """An answer; with `cut` the connection ends after that many bytes of the body it promised."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None


def as_json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(json.dumps(value).encode(), status, {"Content-Type": "application/json", **(headers or {})})


Answer = Callable[[Asked], Reply]


@dataclass
class Site:
    """Where it is, and all it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def served(answer: Answer) -> Iterator[Site]:
    """A site that gives these answers."""
    site = Site("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            form = dict(parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            site.asked.append(Asked(self.command, parts.path, dict(parse_qsl(parts.query)), form, headers))
            reply = answer(site.asked[-1])
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body[: reply.cut])
            self.close_connection = reply.cut is not None

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def in_turn(*replies: Reply | Answer) -> Answer:
    """Each reply once, then the last again and again."""
    left = list(replies)

    def answer(asked: Asked) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(asked)

    return answer
