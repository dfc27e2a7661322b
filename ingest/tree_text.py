"""The text of an XML element, with nothing of it lost: inline markup goes, its text stays; formulas become one line."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

BLOCKS = frozenset(
    "p sec title list list-item def-item def disp-formula disp-quote table tr td th label break br boxed-text "
    "AbstractText".split()
)
"""Elements whose text does not run on into the text around them."""
SKIPPED = frozenset({"annotation", "annotation-xml", "xref-group", "object-id"})
JOINTS = {"msup": "^", "msub": "_", "mfrac": "/", "mover": "^", "munder": "_"}
"""What stands between the two parts of a formula's element."""
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
        return " ".join((element.text or "").split())
    pieces: list[str] = []
    _collect(element, pieces)
    return " ".join("".join(pieces).split())


def _collect(element: Element, pieces: list[str]) -> None:
    if element.text:
        pieces.append(element.text)
    joint = None
    for number, child in enumerate(element):
        tag = child.tag
        if not isinstance(tag, str):
            pieces.append(_reference(child))
        else:
            name = tag.rpartition("}")[2]
            joint = JOINTS.get(element.tag.rpartition("}")[2]) if number == 1 else None
            if joint:
                pieces.append(joint)
            _enter(child, name, pieces)
        if child.tail:
            pieces.append(child.tail if joint is None else child.tail.strip())


def _enter(child: Element, name: str, pieces: list[str]) -> None:
    if name in SKIPPED:
        return
    if name == "alternatives":
        _collect(_preferred(child), pieces)
    elif name == "tex-math":
        pieces.append(_latex(child))
    elif name == "math":
        inner: list[str] = []
        _collect(child, inner)
        pieces.append(" ".join("".join(inner).split()))
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


def _preferred(alternatives: Element) -> Element:
    return next((child for child in alternatives if str(child.tag).endswith("}math")), alternatives)


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
