"""Text from data as Streamlit's markdown: every sign stands for itself, only formulas are typeset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rag.ui.maths import Formula, formulas

JOINER = "\u2060"
"""Word joiner: invisible, and without width."""

_PUNCTUATION = re.compile(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]")
_PLAIN = frozenset("\"'(),.;/?%")  # not special inside a line; where a line begins, `.` and `)` are
_ORDERED_ITEM = re.compile(r"(\s*\d{1,9})([.)])(?=\s|$)")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# GitHub's autolinks look at the text after backslashes are gone, so a backslash cannot stop them; code can.
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s`<>\[\]{}|\\^\"“”‘’$]*[^\s`<>\[\]{}|\\^\"“”‘’$.,;:!?'()*_~]"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[\w-]*[^\W\d_](?![\w-])",
    re.IGNORECASE,
)
# Also seen after backslashes are gone: shortcodes and icons (these even in code), what is left of an address ...
_ICON = re.compile(r"(?<=:)(?=(?:material/)?(?:[+-]1|[\w-]*[A-Za-z][\w-]*):|material/)", re.IGNORECASE)
_ADDRESS_PART = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)(?=[\w-]+\.)", re.IGNORECASE)
# ... and the signs that become arrows, dashes and relations.
_DRAWN = re.compile(r"(?:(?<=\s)|^)([-<>~])(->|>|-|=)(?=\s|$)")
_BREAK = re.compile(r"[ \t\r\f\v]*\n(?:[ \t\r\f\v]*\n)+[ \t\r\f\v]*")
_LABEL_SIGNS = {"[": r"\lbrack ", "]": r"\rbrack "}


class Mark(NamedTuple):
    """`text[start:end]` stands between `opening` and `closing`, which are markdown."""

    start: int
    end: int
    opening: str
    closing: str


class Atom(NamedTuple):
    """`text[start:end]` that cannot be cut, and its markdown."""

    start: int
    end: int
    markdown: str


def literal(text: str, marks: Sequence[Mark] = ()) -> str:
    """Markdown that shows `text` as it is, its paragraphs kept, with formulas typeset and `marks` around parts of it.

    Marks are in order and do not overlap; one that begins or ends inside a formula or an address takes in all of it.
    """
    paragraphs = (paragraph(text, start, end, marks, atoms(text)) for start, end in paragraph_spans(text))
    return "\n\n".join(filter(None, paragraphs))


def line(text: str) -> str:
    """`literal` on one line, for titles and names."""
    text = " ".join(text.split())
    return paragraph(text, 0, len(text), (), atoms(text))


def escape(text: str) -> str:
    """Each sign standing for itself, within a line; line breaks become spaces, invisible controls are dropped."""
    text = visible(text)
    text = _DRAWN.sub(rf"\1{JOINER}\2", re.sub(r"\s+", " ", text))
    text = _ADDRESS_PART.sub(JOINER, _ICON.sub(JOINER, text))
    return _PUNCTUATION.sub(lambda sign: sign[0] if sign[0] in _PLAIN else f"\\{sign[0]}", text)


def atoms(text: str) -> list[Atom]:
    """Formulas and addresses, in order."""
    found = [Atom(f.start, f.end, typeset(f)) for f in formulas(text)]
    addresses = (Atom(match.start(), match.end(), code(match[0])) for match in _ADDRESS.finditer(text))
    return sorted([*found, *outside(addresses, found)])


def outside(atoms: Iterable[Atom], others: Sequence[Atom]) -> list[Atom]:
    """The atoms that overlap none of the others."""
    return [a for a in atoms if not any(o.start < a.end and a.start < o.end for o in others)]


def typeset(formula: Formula) -> str:
    """A formula for KaTeX, on one line and with brackets that cannot end the label around it."""
    latex = re.sub(r"(?<!\\)%", r"\\%", formula.latex)  # else the rest would be a comment
    if latex.count("[") != latex.count("]"):
        latex = re.sub(r"[\[\]]", lambda sign: _LABEL_SIGNS[sign[0]], latex)
    return f"$\\displaystyle {latex}$" if formula.display else f"${latex}$"


def code(text: str) -> str:
    """A span of code; `text` holds no backtick."""
    return f"`{in_code(text)}`"


def in_code(text: str) -> str:
    """Text that means nothing inside code, where neither backslashes nor entities help."""
    return _ICON.sub(JOINER, visible(text))


def visible(text: str) -> str:
    """The text without control signs, joiners and overrides of its direction; what cannot be encoded as U+FFFD."""
    return _SURROGATE.sub("\ufffd", _INVISIBLE.sub("", text))


def paragraph_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each paragraph; empty lines stand between paragraphs."""
    start = 0
    for gap in _BREAK.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def paragraph(text: str, start: int, end: int, marks: Sequence[Mark], fixed: Sequence[Atom]) -> str:
    """The markdown of `text[start:end]`, which is one paragraph."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    pieces: list[str] = []
    position = start
    for mark in marks:
        first, last = _widened(max(mark.start, position), min(mark.end, end), fixed)
        if first < last:
            inside = _between(text, first, last, fixed)
            pieces += [_between(text, position, first, fixed), mark.opening, inside, mark.closing]
            position = last
    return _not_a_list("".join([*pieces, _between(text, position, end, fixed)]))


def _widened(start: int, end: int, fixed: Sequence[Atom]) -> tuple[int, int]:
    for atom in fixed:
        if start < end and atom.start < end and start < atom.end:
            start, end = min(start, atom.start), max(end, atom.end)
    return start, end


def _between(text: str, start: int, end: int, fixed: Sequence[Atom]) -> str:
    pieces: list[str] = []
    for atom in fixed:
        if start <= atom.start and atom.end <= end:
            pieces += [escape(text[start : atom.start]), atom.markdown]
            start = atom.end
    return "".join([*pieces, escape(text[start:end])])


def _not_a_list(markdown: str) -> str:
    return _ORDERED_ITEM.sub(r"\1\\\2", markdown, count=1) if _ORDERED_ITEM.match(markdown) else markdown
