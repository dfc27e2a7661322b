"""One service, asked at its pace: retries, waits it asks for, and no step to another host.

The addresses asked are built from the service's own base and a feed's parameters, never taken from what a service
sent, so that neither a query nor an answer can lead anywhere else. Keys travel in headers or bodies, never in
addresses, which logs and proxies keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from ingest.web.access import Access
from ingest.web.errors import DoubtfulError, FeedError, UnreadyError
from ingest.web.reply import Reply
from ingest.web.service import Service

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

T = TypeVar("T")

PROGRAM = "Footnote/0.1"
REDIRECTS = 5
CONNECT_SECONDS = 10.0
LONGEST_BACKOFF = 60.0
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
AGAIN = "Run the same command again: it goes on where it stopped."


class Client:
    """A context manager; `ask` is all it does."""

    def __init__(self, service: Service, access: Access) -> None:
        self.service = service
        self.access = access
        self.base = access.bases.get(service.name, service.base).rstrip("/")
        self.key = access.keys.get(service.name)
        self._not_before = 0.0
        self._http = self._connected()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def ask(
        self,
        path: str,
        parameters: Mapping[str, str | int],
        read: Callable[[Reply], T],
        *,
        form: Mapping[str, str] | None = None,
    ) -> T:
        """What `read` makes of the answer to a GET of `path`, or to a POST of `form`.

        `read` may raise UnreadyError to have it asked again, DoubtfulError to have it asked again before it is
        believed, or FeedError. Raises FeedError, one line, when the answer does not come.
        """
        from tenacity import Retrying, retry_if_exception_type

        retrying = Retrying(
            retry=retry_if_exception_type(UnreadyError),
            stop=self._enough,
            wait=self._wait,
            sleep=self.access.sleep,
            reraise=True,
        )
        try:
            return retrying(lambda: read(self._reply(path, parameters, form)))
        except DoubtfulError as error:
            believed: T = error.believed
            return believed
        except UnreadyError as error:
            raise FeedError(error.message, error.fix or AGAIN) from error

    def _enough(self, state: RetryCallState) -> bool:
        error = _error(state)
        limit = self.access.doubts if isinstance(error, DoubtfulError) else self.access.attempts
        too_long = error.wait is not None and error.wait > self.access.longest_wait
        return too_long or state.attempt_number >= limit

    def _wait(self, state: RetryCallState) -> float:
        asked = _error(state).wait
        return asked if asked is not None else min(LONGEST_BACKOFF, 2.0 ** (state.attempt_number - 1))

    def _connected(self) -> httpx.Client:
        import httpx

        from rag.llms.http import is_loopback

        contact = f" (mailto:{self.access.contact})" if self.access.contact else ""
        headers = {"User-Agent": PROGRAM + contact}
        if self.key is not None and not (self.key.isascii() and self.key.isprintable()):
            raise FeedError(f"{self.service.key_setting} holds characters that no key has.", "Copy it again.")
        if self.key and self.service.key_header:
            scheme = "Bearer " if self.service.key_header == "Authorization" else ""
            headers[self.service.key_header] = scheme + self.key
        waits = httpx.Timeout(self.access.timeout, connect=min(CONNECT_SECONDS, self.access.timeout))
        # A service on this machine is never asked through a proxy.
        return httpx.Client(headers=headers, timeout=waits, trust_env=not is_loopback(httpx.URL(self.base).host))

    def _reply(self, path: str, parameters: Mapping[str, str | int], form: Mapping[str, str] | None) -> Reply:
        method = "POST" if form is not None else "GET"
        request = self._http.build_request(method, self.base + path, params=dict(parameters), data=form)
        for _ in range(REDIRECTS):
            reply, onward = self._sent(request)
            if onward is None:
                return self._accepted(reply)
            request = onward
        raise FeedError(f"{self.service.title} redirects in a circle.", refused=True)

    def _sent(self, request: httpx.Request) -> tuple[Reply, httpx.Request | None]:
        """The answer, and the request it redirects to."""
        self._keep_pace()
        with self._explained():
            response = self._http.send(request, stream=True)
            try:
                body = self._body(response)
            finally:
                response.close()
        if asked := seconds_of(response.headers.get("backoff")):
            self._not_before = monotonic() + min(asked, self.access.longest_wait)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(self.service.title, response.status_code, headers, body), self._onward(response)

    def _keep_pace(self) -> None:
        early = self._not_before - monotonic()
        if early > 0:
            self.access.sleep(early)
        self._not_before = monotonic() + self.service.pause

    def _body(self, response: httpx.Response) -> bytes:
        began, parts, size = monotonic(), [], 0
        for part in response.iter_bytes():
            size += len(part)
            if size > self.access.largest_answer:
                limit = f"{self.access.largest_answer / 2**20:.0f} MB"
                raise FeedError(f"{self.service.title} sent more than {limit} at once.", refused=True)
            if monotonic() - began > self.access.longest_answer:
                raise UnreadyError(f"{self.service.title} did not finish its answer.")
            parts.append(part)
        return b"".join(parts)

    def _onward(self, response: httpx.Response) -> httpx.Request | None:
        onward = response.next_request
        if onward is None:
            return None
        here, there = response.request.url, onward.url
        upgraded = (here.scheme, there.scheme) == ("http", "https") and here.port is None and there.port is None
        if here.host != there.host or not (upgraded or (here.scheme, here.port) == (there.scheme, there.port)):
            raise FeedError(
                f"{self.service.title} redirects to another address, {there.scheme}://{there.host}; it was not "
                "followed.",
                refused=True,
            )
        return onward

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What the connection may run into, in words."""
        import httpx

        title, host = self.service.title, httpx.URL(self.base).host
        try:
            yield
        except httpx.ConnectTimeout:
            raise UnreadyError(
                f"{title} cannot be reached at {host}: no answer.", f"Is there a network? {AGAIN}"
            ) from None
        except httpx.ConnectError as error:
            reason = self._safe(str(error))
            fix = f"Is there a network? {AGAIN}"
            raise UnreadyError(f"{title} cannot be reached at {host}: {reason}.", fix) from None
        except httpx.TimeoutException:
            raise UnreadyError(f"{title} did not answer within {self.access.timeout:.0f} s.") from None
        except httpx.HTTPError as error:
            raise UnreadyError(
                f"{title} broke off its answer ({self._safe(str(error)) or type(error).__name__})."
            ) from None

    def _accepted(self, reply: Reply) -> Reply:
        """The reply, if it is an answer to the question."""
        title, status = self.service.title, reply.status
        words = self._safe(reply.words)
        said = f": {words.rstrip('.')}" if words else ""
        if status in TEMPORARY:
            wait = retry_after(reply.headers.get("retry-after"))
            raise UnreadyError(
                f"{title} {_trouble(status)}{said}.", _patience(wait, self.access.longest_wait), wait=wait
            )
        if status in (401, 403):
            raise FeedError(f"{title} refused access (HTTP {status}{said}).", self._about_key())
        if status != 200:
            raise FeedError(f"{title} did not accept the query (HTTP {status}{said}).", refused=True)
        if reply.is_page:
            raise UnreadyError(f"{title} sent a web page instead of data.")
        return reply

    def _about_key(self) -> str:
        name = self.service.key_setting
        if name is None:
            return ""
        return f"See that {name} is right." if self.key else f"Set a key: {name}."

    def _safe(self, text: str) -> str:
        """`text` on one line, without the key."""
        line = " ".join(text.split())
        return line.replace(self.key, "***") if self.key else line


def _error(state: RetryCallState) -> UnreadyError:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, UnreadyError)  # noqa: S101 - nothing else is retried
    return error


def _trouble(status: int) -> str:
    return "asks for fewer requests (HTTP 429)" if status == 429 else f"has trouble (HTTP {status})"


def _patience(wait: float | None, longest: float) -> str:
    return f"It asks to wait {wait:,.0f} seconds; then {AGAIN[0].lower()}{AGAIN[1:]}" if (wait or 0) > longest else ""


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, a number or a date (RFC 9110, 10.2.3); None where it has none."""
    if (seconds := seconds_of(value)) is not None or value is None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    now = datetime.now(UTC) if moment.tzinfo else datetime.now(UTC).replace(tzinfo=None)
    return max(0.0, (moment - now).total_seconds())


def seconds_of(value: str | None) -> float | None:
    """A header's number of seconds, None where it is no number."""
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
