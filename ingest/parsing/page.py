"""What the elements of a web page are called, and the parts of a paper that can be told from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsing.fields import NAMES, plain

if TYPE_CHECKING:
    from lxml.etree import _Element

BLOCKS = frozenset(
    "p div br li ul ol dl dt dd tr td th table h1 h2 h3 h4 h5 h6 section article header footer blockquote pre".split()
)
SILENT = frozenset({"script", "style", "noscript", "template", "button", "svg", "select", "nav"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "strong", "b"})
LEAST_CHARS = 80
"""Characters of an abstract; what is shorter under such a name is a button or a link to it."""
LABEL = re.compile(r"\s*(?:abstract|summary|zusammenfassung|résumé|resumen)\s*(?P<mark>[:.—–-]\s*)?", re.IGNORECASE)
FOLDING = re.compile(r"\s*(?:[△▽▲▼…]\s*(?:Less|More)|(?:Show|Read|See) (?:less|more))\s*\Z", re.IGNORECASE)
PAPER_LINK = re.compile(r"https?://(?:[\w.-]*doi\.org/10\.|arxiv\.org/(?:abs|pdf)/|pubmed\.ncbi|aclanthology\.org/\w)")
SHORTENED = re.compile(r"(?:short|preview|teaser|trunc)")


@dataclass(frozen=True, slots=True)
class Element:
    """An element and its place in the order of the page."""

    number: int
    node: _Element

    @property
    def called(self) -> str:
        """Its classes, id and roles, in lower case."""
        return " ".join(self.node.get(name) or "" for name in ("class", "id", "itemprop", "property")).lower()


def text_of(node: _Element) -> str:
    """The text that a reader of the page sees in an element, blocks parted by spaces; `10<sup>3</sup>` is `10^3`."""
    pieces: list[str] = []
    for event, each in _events(node):
        tag = str(each.tag).lower()
        if tag in BLOCKS:
            pieces.append(" ")
        if event == "start" and tag == "sup" and pieces and pieces[-1][-1:].isdigit():
            pieces.append("^")
        pieces.append((each.text if event == "start" else each.tail if each is not node else None) or "")
    return " ".join("".join(pieces).split())


def _events(node: _Element) -> list[tuple[str, _Element]]:
    """Starts and ends of the elements inside, without those that show no text."""
    found: list[tuple[str, _Element]] = []
    waiting: list[tuple[str, _Element]] = [("start", node)]
    while waiting:
        event, each = waiting.pop()
        silent = not isinstance(each.tag, str) or each.tag.lower() in SILENT
        if event == "start" and not silent:
            waiting.append(("end", each))
            waiting += [("start", child) for child in reversed(each)]
        if event == "end" or not silent:
            found.append((event, each))
        elif each is not node:
            found.append(("end", each))
    return found


def line_of(node: _Element) -> int:
    """The 1-based line on which an element begins."""
    line = node.sourceline
    return line if isinstance(line, int) else 1


def abstract_blocks(elements: Sequence[Element]) -> list[Element]:
    """The innermost elements that are called abstracts and hold a text of some length, or follow such a heading.

    Where one is of some length, a shorter one of the same class is another paper's.
    """
    called = [each for each in elements if "abstract" in each.called and not SHORTENED.search(each.called)]
    long = [each for each in called if len(text_of(each.node)) >= LEAST_CHARS]
    classes = {(each.node.tag, each.node.get("class")) for each in long if each.node.get("class")}
    alike = [each for each in called if (each.node.tag, each.node.get("class")) in classes and text_of(each.node)]
    follow = [e for e in elements if _heading_before(e.node) and len(text_of(e.node)) >= LEAST_CHARS]
    blocks = {element.number: element for element in (*long, *alike, *follow)}
    found: list[Element] = []
    for number in sorted(blocks):
        if found and found[-1].node in list(blocks[number].node.iterancestors()):
            found.pop()
        found.append(blocks[number])
    return found


def _heading_before(node: _Element) -> bool:
    """Whether a heading that says no more than "Abstract" stands before a paragraph or block."""
    if node.tag not in ("p", "div", "blockquote", "section"):
        return False
    previous = node.getprevious()
    heading = previous is not None and (previous.tag in HEADINGS or (previous.tag == "p" and len(previous) == 1))
    return heading and plain(text_of(previous)) in NAMES["abstract"]  # type: ignore[arg-type] # it is no None then


def title_in(elements: Sequence[Element]) -> Element | None:
    """The last element called a title, else the last heading, that names no part of a record."""
    called = (each for each in reversed(elements) if "title" in each.called)
    headings = (each for each in reversed(elements) if each.node.tag in HEADINGS)
    parts = {"", *NAMES["abstract"], *NAMES["authors"]}
    return next((each for each in (*called, *headings) if plain(text_of(each.node)) not in parts), None)


def authors_in(elements: Sequence[Element]) -> list[str] | str:
    """The names in the last element that is called authors: its links, or its text."""
    called = [each for each in elements if "author" in each.called and text_of(each.node)]
    if not called:
        return []
    outer = next((each for each in called if called[-1].node in list(each.node.iter("*"))), called[-1])
    links = [text_of(link) for link in outer.node.iter("a") if text_of(link)]
    leaves = [text_of(each.node) for each in called if not len(each.node)]
    names = links if len(links) > 1 else leaves if len(leaves) > 1 else []
    return names or re.sub(r"\A\s*(?:authors?|by)\s*:?\s+", "", text_of(outer.node), flags=re.IGNORECASE)


def hrefs(node: _Element) -> list[str]:
    """Addresses of the papers that links in an element lead to."""
    return [address for link in node.iter("a") if PAPER_LINK.match(address := link.get("href") or "")]


def links_in(elements: Sequence[Element]) -> list[str]:
    """The same among elements, in order."""
    return [address for each in elements if each.node.tag == "a" for address in hrefs(each.node)]


def unlabelled(node: _Element) -> str:
    """An abstract's text without the word before it, where a mark or an element of its own tells the two apart."""
    text = FOLDING.sub("", text_of(node))
    label = LABEL.match(text)
    apart = next((each for each in node.iter("*") if each is not node and (each.text or "").strip()), node)
    alone = apart is not node and not (node.text or "").strip() and plain(apart.text) in NAMES["abstract"]
    return text[label.end() :] if label and (label["mark"] or alone) else text
