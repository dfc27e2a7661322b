"""The HTTP client for model servers: it tells a model's reply from whatever else is sent under status 200."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from time import monotonic
from typing import Any

import httpx

from rag.llms.errors import NotAReply

CONNECT_SECONDS = 10.0
WATCH = "footnote.watched"  # the response's extension that holds its Watched stream
DRAIN = "footnote.drain"  # name of the threads that read the ends of replies
_FRAMING = frozenset({"transfer-encoding", "content-length"})
_FIELD_NAMES = ("data:", "event:", "id:", "retry:", ":")  # what a line of server-sent events begins with


class Watched(httpx.SyncByteStream):
    """Passes bytes on and notes how the stream ended.

    `complete` tells whether the end is known to be the end: the transfer was framed, or [DONE] was seen. Comments
    keep a connection alive but are no word from the model: after `idle` seconds of nothing else it counts as silent.
    """

    def __init__(self, stream: httpx.SyncByteStream, *, framed: bool, idle: float) -> None:
        self._stream = stream
        self._chunks = iter(stream)
        self._idle = idle
        self._done = self._ended = False
        self._tail = b""
        self.complete = framed

    def __iter__(self) -> Iterator[bytes]:
        last = monotonic()
        for chunk in self._chunks:
            self._tail = (self._tail + chunk)[-64 - len(chunk) :]
            if b"data" in self._tail:
                last = monotonic()
            elif monotonic() - last > self._idle:
                raise httpx.ReadTimeout("only comments arrived")
            self._done = self._done or b"[DONE]" in self._tail
            self.complete = self.complete or self._done
            self._tail = self._tail[-16:]
            yield chunk
        self._ended = True

    def close(self) -> None:
        """Close the connection, or free it for the next request once the server has ended what is over."""
        if self._done and not self._ended:
            threading.Thread(target=self._drain, name=DRAIN, daemon=True).start()
        else:
            self._stream.close()

    def _drain(self) -> None:
        # A connection can only be used again when its reply was read to the end, which comes after [DONE]: at once
        # from most servers, so late from some that nobody should have to wait.
        try:
            with suppress(httpx.HTTPError):
                deque(self._chunks, maxlen=0)
        finally:
            self._stream.close()


class ModelClient(httpx.Client):
    """Raises NotAReply for pages and errors under status 200; gives a whole completion as a stream of one piece."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send the request and look at what comes back."""
        response = super().send(request, **options)
        if response.status_code != 200 or not options.get("stream"):
            return response
        kind = response.headers.get("content-type", "").lower()
        if "html" in kind or "json" in kind:
            return _whole(response, request)
        framed = response.http_version == "HTTP/2" or not _FRAMING.isdisjoint(response.headers)
        idle = self.timeout.read or float("inf")
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - a synchronous client has no other
        watched = Watched(response.stream, framed=framed, idle=idle)
        response.stream = watched
        response.extensions[WATCH] = watched
        return response


def model_client(base_url: str, timeout: float) -> ModelClient:
    """A client for this server. A server on this machine is never asked through a proxy."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    waits = httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS), pool=None)
    return ModelClient(timeout=waits, limits=limits, trust_env=not is_loopback(httpx.URL(base_url).host))


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _whole(response: httpx.Response, request: httpx.Request) -> httpx.Response:
    """A body that is no stream, as a stream of events if a reply is in it."""
    text = response.read().decode("utf-8", "replace")
    events = text if text.lstrip().startswith(_FIELD_NAMES) else _as_events(text)
    return httpx.Response(
        200,
        headers={"content-type": "text/event-stream"},
        content=events.encode(),
        request=request,
    )


def _as_events(text: str) -> str:
    try:
        body = json.loads(text)
    except ValueError:
        raise NotAReply(text) from None
    choices = body.get("choices") if isinstance(body, dict) and not body.get("error") else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NotAReply(body)
    chunk = {**body, "choices": [{**choices[0], "delta": choices[0].get("message") or {}}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
