"""What went wrong when a model was asked: every way to fail, as one kind with what to do about it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

MAX_MESSAGE = 300  # characters of a server's own words that are passed on

FIXES = {
    "no_server": "Check that the server runs and that OPENAI_BASE_URL is its address, with /v1 at the end.",
    "bad_key": "Check OPENAI_API_KEY.",
    "unknown_model": "Check FOOTNOTE_LLM_MODEL against the names under /v1/models of the server.",
    "rate_limited": "Wait a little, or ask with fewer workers.",
    "quota": "The account has no quota left; check its plan and billing.",
    "context": "Lower FOOTNOTE_LLM_CONTEXT_WINDOW to what the server really holds, or FOOTNOTE_TOP_K.",
    "timeout": "Raise FOOTNOTE_LLM_TIMEOUT, or use a faster model.",
    "broken_stream": "Ask again; if it happens again, look at the server's log.",
    "empty_reply": "Ask again, raise FOOTNOTE_LLM_MAX_TOKENS, or use another model.",
}

_BY_STATUS = {
    401: "bad_key",
    402: "quota",
    403: "bad_key",
    408: "timeout",
    413: "context",
    429: "rate_limited",
    504: "timeout",
}
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|\bcredits?\b|per day|daily", re.IGNORECASE)
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|maximum context|too many tokens"
    r"|(?:prompt|input) is too long|max(?:imum)? (?:input|sequence|model) len",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model_not_found|model\b.{0,120}?(?:not found|not exist|not available|not loaded)"
    r"|(?:unknown|invalid|no such) model",
    re.IGNORECASE | re.DOTALL,
)
_RETRIED_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_OVERLOADED_STATUS = frozenset({429, 503, 529})  # 529: what some providers say for "overloaded"


class NotAReply(Exception):  # noqa: N818 - it is the finding, not an error class of the interface
    """The server answered 200 with something that is no model's reply: `body` is its JSON value or its text."""

    def __init__(self, body: Any) -> None:
        super().__init__("not a model's reply")
        self.body = body


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt. `retry_after` is what the server asked for, in seconds; `status` None where none came."""

    kind: str
    message: str
    retryable: bool = False
    retry_after: float | None = None
    status: int | None = None

    @property
    def overloaded(self) -> bool:
        """Whether the server asks for fewer requests."""
        return self.retryable and (self.kind == "rate_limited" or self.status in _OVERLOADED_STATUS)

    @property
    def unreachable(self) -> bool:
        """Whether nothing answers at the server's address."""
        return self.kind == "no_server" and self.status is None


def classify(error: Exception, server: str) -> Failure:
    """The failure that an exception of openai, httpx or the JSON decoder stands for."""
    import httpx
    import openai

    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) and error.__cause__ else error
    if isinstance(cause, NotAReply):
        return _of_body(cause.body, server)
    if isinstance(cause, openai.APIStatusError):
        return _of_status(cause, server)
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return Failure("no_server", f"No model server answers at {server} ({_line(cause)}).")
    if isinstance(cause, httpx.TimeoutException | openai.APITimeoutError):
        return Failure("timeout", f"The model server at {server} said nothing for too long.")
    if isinstance(cause, openai.APIError) and cause.body is not None:
        return _of_body({"error": cause.body}, server)
    return Failure("broken_stream", f"The reply of {server} broke off ({_line(cause)}).", retryable=True)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as `retry-after-ms` or `Retry-After` (seconds or a date) say; None without them."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _seconds_until(headers["retry-after"]) if "retry-after" in headers else None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time())
    except ValueError:
        return None


def _of_status(error: Any, server: str) -> Failure:
    status = int(error.status_code)
    said = _said(error.body) or _line(error.response.text)
    # A page instead of JSON comes from something else at that address, whatever its status means there.
    is_page = "<html" in error.response.text[:2000].lower()
    kind = "no_server" if is_page and status in (401, 403, 404) else _kind(_signal(error.body) or said, status)
    retryable = status in _RETRIED_STATUS and kind in ("rate_limited", "no_server")
    message = f"{server} answered {status}: {said}" if said else f"{server} answered {status}."
    return Failure(kind, message, retryable, retry_after(error.response.headers), status)


def _of_body(body: Any, server: str) -> Failure:
    """A failure that was reported under status 200, or within a stream."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not error:
        text = _line(re.sub(r"<[^>]*>", " ", body)) if isinstance(body, str) else _line(json.dumps(body))
        return Failure("no_server", f"{server} answered with something that is no model's reply: {text}", status=200)
    code = str(error.get("code") if isinstance(error, Mapping) else "")
    status = int(code) if code.isdecimal() and len(code) == 3 else 0
    kind = _kind(_signal(error), status) if status or _is_known(_signal(error)) else "broken_stream"
    return Failure(kind, f"{server} reported: {_said(error)}", kind == "rate_limited", status=200)


def _is_known(signal: str) -> bool:
    return any(pattern.search(signal) for pattern in (_QUOTA, _CONTEXT, _MODEL)) or "rate_limit" in signal


def _kind(signal: str, status: int) -> str:
    if status in (0, 402, 403, 429) and _QUOTA.search(signal):
        return "quota"
    if status != 429 and _CONTEXT.search(signal):
        return "context"
    if status in (0, 400, 403, 404, 422) and _MODEL.search(signal):
        return "unknown_model"
    return "rate_limited" if "rate_limit" in signal else _BY_STATUS.get(status, "no_server")


def _signal(body: Any) -> str:
    """Message, code and type of an error's body in one string."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(inner, Mapping):
        return " ".join(str(inner.get(name) or "") for name in ("message", "code", "type", "detail"))
    return str(inner or "")


def _said(body: Any) -> str:
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(inner, Mapping):
        inner = inner.get("message") or inner.get("detail") or inner.get("type") or json.dumps(dict(inner))
    return _line(str(inner or ""))


def _line(value: object) -> str:
    text = " ".join(re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", str(value), flags=re.DOTALL).split())
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
