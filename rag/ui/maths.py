"""Formulas in text: `$..$`, `$$..$$`, `\\(..\\)` and `\\[..\\]`, told apart from amounts of money."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 400
"""Characters of a formula that is typeset; a longer one stays text."""

_FORMULA = re.compile(
    rf"(?<!\\)\$\$(?P<display>[^$]{{1,{LONGEST}}})\$\$"
    rf"|(?<![\\\w$])\$(?P<inline>[^\s$](?:[^$]{{0,{LONGEST}}}[^\s$\\])?)\$(?![\w$])"
    rf"|\\\((?P<round>(?:(?!\\[()]).){{1,{LONGEST}}}?)\\\)"
    rf"|\\\[(?P<square>(?:(?!\\[\[\]]).){{1,{LONGEST}}}?)\\\]",
    re.DOTALL,
)
_NUMBER = re.compile(r"[-+±~]?\s*\d[\d.,\s]*(?:\\?%)?")
_SYMBOL = re.compile(r"\\[A-Za-z]|[_^=<>+*/|{}~-]")
_NAME = re.compile(r"[^\W\d_]{1,3}'*\d*(?:\s*[(\[,;:].{0,20})?|\(.{1,20}\)")
_COMMAND_WITH_WORDS = re.compile(r"\\(?:text\w*|math\w+|operatorname\*?|mbox)\s*\{[^{}]*\}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD_OF_PROSE = re.compile(r"(?:^|\s)[^\W\d_]{2,}(?=[\s,;.]|$)")
# What fetches, links, runs or redefines; KaTeX refuses most of it as well, in red.
_REFUSED = re.compile(
    r"\\(?:href|url|includegraphics|html\w*|def|[gex]def|let|futurelet|global|long|(?:re)?newcommand|providecommand"
    r"|require|input|include|class|cssId|style|char|catcode)(?![A-Za-z])"
)


class Formula(NamedTuple):
    """`text[start:end]` with its delimiters; `latex` is what is between them, on one line."""

    start: int
    end: int
    latex: str
    display: bool


def formulas(text: str) -> Iterator[Formula]:
    """The formulas of a text in order; what is an amount, prose or unbalanced between delimiters is left out."""
    position = 0
    while match := _FORMULA.search(text, position):
        kind = match.lastgroup or ""
        latex = " ".join(match[kind].replace("\u2060", "").split())
        if _can_be_typeset(latex) and (kind != "inline" or _is_formula(latex)):
            yield Formula(match.start(), match.end(), latex, kind in ("display", "square"))
            position = match.end()
        else:
            position = match.start() + 1


def _can_be_typeset(latex: str) -> bool:
    return bool(latex) and "$" not in latex and _balanced(latex) and not _REFUSED.search(latex)


def _balanced(latex: str) -> bool:
    depth = 0
    for sign in re.findall(r"\\.|[{}]", latex):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    return depth == 0 and not latex.endswith("\\")


def _is_formula(latex: str) -> bool:
    """Whether text between two single dollar signs is mathematics rather than what stands between two prices."""
    if _NUMBER.fullmatch(latex):
        return True
    bare = _COMMAND.sub(" ", _COMMAND_WITH_WORDS.sub(" ", latex))
    if _WORD_OF_PROSE.search(bare):
        return False
    return bool(_SYMBOL.search(latex) or _NAME.fullmatch(latex))
