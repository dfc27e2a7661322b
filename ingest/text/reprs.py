"""Lists that a program wrote as text: Python's `['A', 'B']`, JSON's, and numpy's `['A' 'B']` and `array([...])`."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_WRAPPED = re.compile(
    r"(?:np\.)?(?:array|list|tuple|set|frozenset|Index|Series)\((?P<list>[\[({].*[\])}])[^\])}]*\)", re.DOTALL
)
_BRACKETED = re.compile(r"\[\s*(?:[\[{\"']|None\b).*\]|\[\s*\]", re.DOTALL)
_STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NUMPY = re.compile(rf"\[\s*(?:{_STRING})(?:\s+(?:{_STRING}|\.\.\.))+\s*\]", re.DOTALL)
_STRINGS = re.compile(_STRING, re.DOTALL)
_SHORTENED = re.compile(r"""['"]\s+\.\.\.\s+['"]""")
MOST_CHARS = 1_000_000


def is_shortened(text: str) -> bool:
    """Whether numpy left out members of the list that `text` writes."""
    return "..." in text and text.strip()[-1:] in ("]", ")") and _SHORTENED.search(text) is not None


def unrepresented(text: str) -> Any:
    """The list that `text` writes, or `text` itself where it is none.

    Members that numpy left out (`'A' ... 'Z'`) stay out: what a text says of them is nothing.
    """
    bare = text.strip()
    wrapped = _WRAPPED.fullmatch(bare) if bare.endswith(")") else None
    bare = wrapped["list"] if wrapped else bare
    if not bare.startswith("[") or len(bare) > MOST_CHARS or not _BRACKETED.fullmatch(bare):
        return text
    if _NUMPY.fullmatch(bare):
        return [ast.literal_eval(found) for found in _STRINGS.findall(bare.replace("\n", " "))]
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(bare)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else text
    return text
