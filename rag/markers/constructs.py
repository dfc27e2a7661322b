"""Stretches of text in which a bracketed number is no citation: code, maths, amounts of money.

Each function looks at the start of `text` and returns the length of the construct there, 0 where there is none, or
None when more text has to arrive first (never when `final`). No function looks further than ENCLOSED_LIMIT.
"""

from __future__ import annotations

import re

ENCLOSED_LIMIT = 1000

_TICKS = re.compile(r"`+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*(?:\n|$)")
_FENCE_BEGUN = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|(?:`{3,}|~{3,})[^`\n]*)$")
_AMOUNT = re.compile(
    r"\$\d[\d.,]*(?:\s?(?:[KMBT]|bn|tn|million|billion|trillion)\b)?(?=\s+[A-Za-z]{2}|\s*[,;.:)\[【]|\s*$)",
    re.IGNORECASE,
)
_AMOUNT_BEGUN = re.compile(r"\$(?:\d[\d.,]*\s*[A-Za-z]{0,9}\s?[A-Za-z]?)?$")
_DISPLAY_CLOSE = re.compile(r"\$\$")
_INLINE_CLOSE = re.compile(r"(?<=[^\s\\$])\$(?!\d)")


def fence_opening(text: str, *, final: bool) -> int | None:
    """A line that opens a block of code."""
    if not final and _FENCE_BEGUN.match(text):
        return None
    match = _FENCE.match(text)
    return match.end() if match else 0


def code_span(text: str, *, final: bool) -> int | None:
    """Code between two equal runs of backticks within a paragraph."""
    ticks = _TICKS.match(text)
    if ticks is None:
        return 0
    if ticks.end() == len(text) and not final:
        return None
    closer = re.compile(rf"(?<!`)`{{{ticks.end()}}}(?!`)")
    return _enclosed(text, ticks.end(), closer, final=final)


def maths(text: str, *, final: bool) -> int | None:
    """`$..$` by pandoc's rule (no space inside next to a sign, no digit after), `$$..$$`, and amounts such as $5."""
    if len(text) == 1 and not final:
        return None
    if text.startswith("$$"):
        return _enclosed(text, 2, _DISPLAY_CLOSE, final=final)
    if not final and _AMOUNT_BEGUN.match(text):
        return None
    amount = _AMOUNT.match(text)
    if amount:
        return amount.end()
    if text[1:2].isspace():
        return 0
    line = text.find("\n")
    if line >= 0:
        return _enclosed(text[:line], 1, _INLINE_CLOSE, final=True)
    return _enclosed(text, 1, _INLINE_CLOSE, final=final)


def escaped(text: str, *, final: bool) -> int | None:
    r"""What a backslash begins: `\(..\)`, `\[..\]`, or one escaped character."""
    if len(text) == 1 and not final:
        return None
    if text[1:2] not in ("(", "["):
        return 2 if text[1:2] in ("$", "`", "\\") else 0
    closer = re.compile(r"\\\)" if text[1] == "(" else r"\\\]")
    return _enclosed(text, 2, closer, final=final)


def _enclosed(text: str, start: int, closer: re.Pattern[str], *, final: bool) -> int | None:
    window = text[:ENCLOSED_LIMIT]
    blank = window.find("\n\n", start)
    match = closer.search(window if blank < 0 else window[:blank], start)
    if match and (match.end() < len(text) or final):
        return match.end()
    if match is None and (blank >= 0 or len(text) >= ENCLOSED_LIMIT):
        return 0
    return 0 if final else None
