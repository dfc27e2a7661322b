"""The text of an XML element, with nothing of it lost: inline markup goes, its text stays; formulas become one line."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

from ingest.text.mathml import formula

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BLOCKS = frozenset(
    "p sec title list list-item def-item def disp-formula disp-quote table tr td th label break br boxed-text "
    "AbstractText".split()
)
"""Elements whose text does not run on into the text around them."""
SKIPPED = frozenset({"object-id", "fn"})
"""What is no part of the text around it."""
SECTIONS = frozenset({"sec", "abstract", "trans-abstract"})
SECTION_DEPTH = 5
HEADINGS = frozenset({"abstract", "summary", ""})
"""Titles of a whole abstract, which say nothing."""
LATEX_BODY = ("\\begin{document}", "\\end{document}")


def text_of(element: Element | None) -> str:
    """All text in an element, its words joined by single spaces; empty for None.

    A superscript behind a digit is written `10^3`, for 103 is another number. Of one formula written in several ways
    (`alternatives`) the MathML counts.
    """
    if element is None:
        return ""
    if not len(element):
        text = element.text or ""
        return " ".join(text.split()) if text else text
    pieces: list[str] = []
    _collect(element, pieces)
    return " ".join("".join(pieces).split())


def _collect(element: Element, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    for child in element:
        tag = child.tag
        if isinstance(tag, str):
            _enter(child, tag.rpartition("}")[2], pieces)
        else:
            pieces.append(_reference(child))
        if child.tail:
            pieces.append(child.tail)


def _enter(child: Element, name: str, pieces: list[str]) -> None:
    if name in SKIPPED:
        return
    if name == "alternatives":
        for chosen, tag in _preferred(child):
            _enter(chosen, tag, pieces)
    elif name == "tex-math":
        pieces.append(_latex(child))
    elif name == "math":
        pieces.append(formula(child))
    elif name in BLOCKS:
        pieces.append(" ")
        _collect(child, pieces)
        pieces.append(" ")
    else:
        if name == "sup" and pieces and pieces[-1][-1:].isdigit():
            pieces.append("^")
        _collect(child, pieces)


def _reference(node: Element) -> str:
    """An entity that only a DTD would explain, as HTML names it; nothing for a comment or an instruction."""
    text = node.text or ""
    return unescape(text) if text.startswith("&") else ""


def _preferred(alternatives: Element) -> list[tuple[Element, str]]:
    """Of one formula written in several ways the MathML, else the LaTeX, else what there is, with its name."""
    named = [(child, child.tag.rpartition("}")[2]) for child in alternatives if isinstance(child.tag, str)]
    named.sort(key=lambda each: (each[1] != "math", each[1] != "tex-math"))
    return named[:1]


def _latex(element: Element) -> str:
    """The formula of a `tex-math`, which may be a whole LaTeX document."""
    text = "".join(map(str, element.itertext()))
    before, _, rest = text.partition(LATEX_BODY[0])
    return rest.partition(LATEX_BODY[1])[0].strip() if rest else before


def labelled(abstract: Element) -> str:
    """A JATS abstract as text: each section under its title, but no title that only says "Abstract"."""
    pieces: list[str] = []
    _label(abstract, pieces, 0)
    return " ".join(piece for piece in pieces if piece)


def _label(element: Element, pieces: list[str], depth: int) -> None:
    if element.text and element.text.strip():
        pieces.append(" ".join(element.text.split()))
    inline: list[str] = []
    for child in element:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""
        if name in SECTIONS and depth < SECTION_DEPTH:
            pieces.append(_flushed(inline))
            _label(child, pieces, depth + 1)
        elif name in ("title", "label") and not inline:
            heading = text_of(child)
            pieces.append("" if heading.strip(" :.").casefold() in HEADINGS else _heading(heading))
        elif name in BLOCKS:
            pieces += [_flushed(inline), text_of(child)]
        else:
            _enter(child, name, inline) if name else inline.append(_reference(child))
        inline.append(child.tail or "")
    pieces.append(_flushed(inline))


def _flushed(inline: list[str]) -> str:
    text = " ".join("".join(inline).split())
    inline.clear()
    return text


def _heading(text: str) -> str:
    return text if not text or text[-1] in ":.?!" else f"{text}:"
