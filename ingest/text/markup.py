"""HTML, JATS and MathML inside text: entities become characters, known tags go, everything else stays."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

_NAMED = frozenset(name[:-1] for name in html5 if name.endswith(";"))
_NUMERIC = re.compile(r"#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6})")
_BLOCK = frozenset(
    "p br hr div li ul ol dl dt dd h1 h2 h3 h4 h5 h6 table tr td th tbody thead blockquote pre center sec title"
    " abstract list list-item disp-formula".split()
)
_INLINE = frozenset(
    "a b i u em strong small big sup sub span font code tt var cite abbr mark sc scp italic bold monospace underline"
    " styled-content ext-link xref inline-formula tex-math fixed-case uri".split()
)
_MATHML = frozenset(
    "math mrow mi mo mn mtext mspace mstyle msub msup msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd"
    " semantics annotation".split()
)
_ATTRIBUTES = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=]+))*"""
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<prefix>(?:jats|mml|xhtml):)?(?P<name>[A-Za-z][\w-]*)(?P<rest>{_ATTRIBUTES})\s*/?"
)
_COMMENT = re.compile(r"<!--.*--", re.DOTALL)
_CLOSING = re.compile(r"(?:<|&lt;)/((?:\w{1,9}:)?[\w-]{1,30})")
_CANDIDATE = re.compile(r"&#?\w{1,32};|<[/!A-Za-z][^<>]{0,1000}>")
_PIECE = re.compile(r"[&<;>]|[^&<;>]+")
_LONGEST_TAG = 1000
_FARTHEST_OPENING = 8  # pieces: "&" and ";" in a link's address cut its tag


def strip_markup(text: str) -> str:
    """Decode entities and drop known tags until neither is left; block tags and MathML leave a space.

    One pass over a stack, so that nested escapes (`&amp;amp;lt;`, `<<b>i>`) cost no second one. Text in angle brackets
    that is no known tag stays (`<pause>`, `<cit.>`, `n < d`), an inline tag also stays where nothing closes it.
    """
    if not _CANDIDATE.search(text):
        return text
    closed = frozenset(_CLOSING.findall(text))
    stack = [""]
    for read in _PIECE.findall(text):
        piece = read
        while piece:
            piece = _push(stack, piece, closed)
    return "".join(stack)


def _push(stack: list[str], piece: str, closed: frozenset[str]) -> str:
    """Lay the piece on the stack; what it completes is taken off, and its meaning returned to be pushed instead."""
    if piece == ";" and stack[-1].startswith("&"):
        character = _character(stack[-1][1:])
        if character is not None:
            stack.pop()
            return character
    if piece == ">":
        opening = _opening(stack)
        meaning = _meaning("".join(stack[opening:]), stack[opening - 1][-1:], closed) if opening else None
        if meaning is not None:
            del stack[opening:]
            return meaning
    if piece in ("&", "<") or len(stack[-1]) > _LONGEST_TAG:
        stack.append(piece)
    else:
        stack[-1] += piece
    return ""


def _character(name: str) -> str | None:
    if name in _NAMED or _NUMERIC.fullmatch(name):
        return unescape(f"&{name};")
    return None


def _opening(stack: list[str]) -> int:
    """Index of the nearest piece that opens a tag; 0, which never does, where none is near."""
    farthest = max(0, len(stack) - 1 - _FARTHEST_OPENING)
    size = 0
    for at in range(len(stack) - 1, farthest, -1):
        size += len(stack[at])
        if stack[at].startswith("<"):
            return at if size <= _LONGEST_TAG else 0
    return 0


def _meaning(piece: str, before: str, closed: frozenset[str]) -> str | None:
    """What stands for the tag `piece` (without its `>`) after the character `before`; None if it is no tag."""
    if _COMMENT.fullmatch(piece):
        return " "
    tag = _TAG.fullmatch(piece)
    if tag is None:
        return None
    prefix, name = tag["prefix"] or "", tag["name"].lower()
    if prefix == "mml:" or name in _BLOCK or (prefix and name not in _INLINE):
        return " "
    if name not in _INLINE | _MATHML or not (tag["close"] or tag["rest"] or prefix + tag["name"] in closed):
        return None
    if name == "sup" and not tag["close"] and before.isdigit():
        return "^"  # 10<sup>3</sup> is not 103
    return " " if name in _MATHML else ""
