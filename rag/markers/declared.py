"""Recognises the phrases by which a reply declares that something is not stated or that a premise is wrong."""

from __future__ import annotations

import re
from typing import Literal

Claim = Literal["not_stated", "premise_contradicted"]

NOT_STATED = "NOT STATED"
FALSE_PREMISE = "FALSE PREMISE"
_CLAIMS: dict[str, Claim] = {NOT_STATED: "not_stated", FALSE_PREMISE: "premise_contradicted"}

_ORNAMENT = r"[\s*_\"'“”#>\[\]]*"
_LEADING = re.compile(_ORNAMENT)
_OPENING = re.compile(rf"(not\s+stated|false\s+premise)\b({_ORNAMENT}(?:[:.–—-]+{_ORNAMENT})?)", re.IGNORECASE)
_LATER = re.compile(r"\b(NOT STATED|FALSE PREMISE)(?=[*_]{0,2}:)")
_LATER_BEGUN = re.compile(
    "|".join(rf"\b{phrase[:n]}$" for phrase in _CLAIMS for n in range(1, len(phrase)))
    + r"|\b(?:NOT STATED|FALSE PREMISE)[*_]{0,2}$"
)


class Declared:
    """Feed it all pieces of a text, then `finish` it; the strings it returns concatenate to the text for readers.

    `opening` is what the text begins by declaring (the phrase itself is not passed on where a stop or a colon ends it),
    `later` what it declares further on ("NOT STATED: ..." about a part; passed on as "Not stated: ...").
    """

    def __init__(self) -> None:
        self.opening: Claim | None = None
        self.later: tuple[Claim, ...] = ()
        self._held = ""
        self._at_start = True
        self._last = ""

    def feed(self, chunk: str) -> str:
        """The text that is decided now."""
        self._held += chunk
        return self._run(final=False)

    def finish(self) -> str:
        """The text that was held back."""
        return self._run(final=True)

    def _run(self, *, final: bool) -> str:
        if self._at_start and not self._open(final=final):
            return ""
        return self._body(final=final)

    def _open(self, *, final: bool) -> bool:
        """Decide how the text begins; False when more has to arrive first."""
        leading = _LEADING.match(self._held)
        start = leading.end() if leading else 0
        match = _OPENING.match(self._held, start)
        if match is None:
            begun = " ".join(self._held[start:].upper().split())
            if not final and any(phrase.startswith(begun) for phrase in _CLAIMS):
                return False
        elif match.end() == len(self._held) and not final:
            return False
        else:
            self._declare(match)
        self._at_start = False
        return True

    def _declare(self, match: re.Match[str]) -> None:
        self.opening = _CLAIMS[" ".join(match[1].upper().split())]
        rest = self._held[match.end() :]
        shouted = match[1].isupper() and rest[:1].isupper()
        if not rest or shouted or re.search(r"[:.–—-]", match[2]):
            self._held = rest[:1].upper() + rest[1:]

    def _body(self, *, final: bool) -> str:
        # The last character passed on goes along: a phrase inside a longer word is none.
        text, start = self._last + self._held, len(self._last)
        begun = None if final else _LATER_BEGUN.search(text, start)
        cut = begun.start() if begun else len(text)
        pieces = []
        for match in _LATER.finditer(text, start, cut):
            pieces += [text[start : match.start()], match[1].capitalize()]
            self.later += (_CLAIMS[match[1]],)
            start = match.end()
        pieces.append(text[start:cut])
        self._last, self._held = text[:cut][-1:], text[cut:]
        return "".join(pieces)
