"""What can go wrong, each with the step that mends it."""

import re

from rag.types import NO_USAGE, Usage

_LOGIN = re.compile(r"(?<=://)[^/@\s]+@")
REFUSED = frozenset({"no_server", "bad_key", "unknown_model", "rate_limited", "quota", "context"})
"""Kinds of failures of a language model before it read anything."""


class FootnoteError(Exception):
    """A failure a person can act on: `message` says what and where, `fix` what to do.

    A login in an address (`http://user:password@host`) is left out of the message: errors are stored and shown.
    """

    exit_code = 1

    def __init__(self, message: str, fix: str = "") -> None:
        self.message = without_login(message)
        super().__init__(self.message)
        self.fix = fix

    def __str__(self) -> str:
        """One line: the message, and after it the fix."""
        return " ".join(f"{self.message} {self.fix}".split())


def without_login(text: str) -> str:
    """The text, its addresses without the names and passwords they may hold."""
    return _LOGIN.sub("", text)


class SettingsError(FootnoteError):
    """A setting or an argument is wrong; nothing was started."""

    exit_code = 2


class IndexUnusableError(FootnoteError):
    """The index cannot be read: missing, built by another embedder, damaged or held by another process."""


class InputError(FootnoteError):
    """An input file cannot be used."""


class QuestionError(FootnoteError):
    """A question cannot be asked as it stands."""

    exit_code = 2


class LLMError(FootnoteError):
    """The language model did not answer; `kind` is one of the error kinds of the answer contract."""

    def __init__(self, kind: str, message: str, fix: str = "") -> None:
        super().__init__(message, fix)
        self.kind = kind

    @property
    def usage(self) -> Usage:
        """What the request took; unknown where the model had begun."""
        return NO_USAGE if self.kind in REFUSED else Usage()
