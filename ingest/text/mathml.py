"""A formula in MathML as one line of text: `x^2`, `T_1`, `(a+1)/b`. Every sign in it stays.

Elements: https://www.w3.org/TR/MathML3/chapter3.html. Spaces between its elements mean nothing there.
"""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

SIGNS: dict[str, tuple[str, ...]] = {
    "msup": ("^",),
    "msub": ("_",),
    "msubsup": ("_", "^"),
    "mfrac": ("/",),
    "munder": ("_",),
    "munderover": ("_", "^"),
}
"""What stands before the second and the third part of an element."""
SKIPPED = frozenset({"annotation", "annotation-xml", "mphantom"})
DEPTH = 60


def formula(element: Element, depth: int = 0) -> str:
    """The text of a `math` element or a part of it."""
    parts = [" ".join((element.text or "").split())]
    name = str(element.tag).rpartition("}")[2]
    signs = SIGNS.get(name, ())
    inner = [child for child in element if _is_shown(child)]
    for number, child in enumerate(inner):
        text = _text(child, depth)
        if not signs:
            parts.append(text)
        elif number == 0:
            parts.append(_grouped(text) if name == "mfrac" else text)
        else:
            parts.append((signs[number - 1] if number <= len(signs) else " ") + _grouped(text))
        parts.append(" ".join((child.tail or "").split()))
    joined = _joined(parts)
    return f"√{_grouped(joined)}" if name == "msqrt" else joined


def _is_shown(child: Element) -> bool:
    return not (isinstance(child.tag, str) and child.tag.rpartition("}")[2] in SKIPPED)


def _text(child: Element, depth: int) -> str:
    if not isinstance(child.tag, str):
        text = child.text or ""
        return unescape(text) if text.startswith("&") else ""
    if depth >= DEPTH:
        return " ".join("".join(map(str, child.itertext())).split())
    return formula(child, depth + 1)


def _grouped(text: str) -> str:
    """In brackets, unless it is one word or number or has them."""
    plain = text.replace(".", "").isalnum() or len(text) < 2 or (text[0], text[-1]) in (("(", ")"), ("[", "]"))
    return text if plain else f"({text})"


def _joined(parts: list[str]) -> str:
    """Side by side, a space where two words or two numbers would become one."""
    text = ""
    for part in parts:
        touching = text[-1:].isalnum() and part[:1].isalnum()
        apart = touching and ((text[-2:].isalpha() and len(text) > 1) or (part[:2].isalpha() and len(part) > 1))
        numbers = text[-1:].isdigit() and part[:1].isdigit()
        text += f" {part}" if apart or numbers else part
    return text
