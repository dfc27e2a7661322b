"""What can come of asking a service."""

from __future__ import annotations

from typing import Any

from rag.errors import InputError


class FeedError(InputError):
    """A service did not give what was asked for; `refused` tells that asking again would change nothing."""

    def __init__(self, message: str, fix: str = "", *, refused: bool = False) -> None:
        super().__init__(message, fix)
        self.refused = refused


class UnreadyError(FeedError):
    """An answer that is worth asking for again, after `wait` seconds where the service named a time."""

    def __init__(self, message: str, fix: str = "", *, wait: float | None = None) -> None:
        super().__init__(message, fix)
        self.wait = wait


class DoubtfulError(UnreadyError):
    """An answer that may be true but often is not, such as an empty page; asked for again, then `believed`."""

    def __init__(self, message: str, believed: Any) -> None:
        super().__init__(message)
        self.believed = believed
