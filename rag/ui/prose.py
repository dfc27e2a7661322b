"""The text of an answer as markdown: paragraphs, lists, bold and code of a model are kept, all else is literal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rag.ui import markdown
from rag.ui.markdown import Atom, Mark

Link = Callable[[int], str]
"""The markdown of a footnote, from its number."""

MARKER = re.compile(r"\[(\d+)\]")
_MARKER_RUN = re.compile(r"[ \t]*\[\d+\](?:[ \t]*\[\d+\])*(?P<stop>[.,;:!?…]?(?![.,;:!?…]))")

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ORNAMENT = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<bullet>[-*•+–])|(?P<number>\d{1,3})[.)]|(?P<heading>#{1,6}))[ \t]+(?=\S)"
)
_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(?P<code>[^`\n]+)\1(?!`)")
_BOLD = re.compile(r"\*\*(?=[^\s*])(?P<bold>[^*\n]{0,500}?[^\s*])\*\*")
_DEEPEST = 3


class Line(NamedTuple):
    """A line of an answer, `text[start:end]` without its sign; `sign` and `depth` are those of a list item."""

    kind: str
    start: int
    end: int
    sign: str = ""
    depth: int = 0


def prose(text: str, link: Link, marks: Sequence[Mark] = ()) -> str:
    """Markdown of an answer's text with each marker as `link` has it; `marks` as in `markdown.literal`."""
    fixed = _atoms(text, link)
    blocks: list[str] = []
    for kind, group in groupby(_lines(text), key=lambda line: line.kind):
        lines = list(group)
        if kind == "code":
            blocks.append(_code_block(text[lines[0].start : lines[-1].end]))
        elif kind != "blank":
            shown = [markdown.paragraph(text, line.start, line.end, marks, fixed) for line in lines]
            blocks.append(_BLOCKS[kind](lines, shown))
    return "\n\n".join(blocks)


def quoted(text: str, link: Link, marks: Sequence[Mark] = ()) -> str:
    """Markdown of an answer in the abstracts' own words: only markers and formulas mean something."""
    plain = markdown.atoms(text)
    fixed = sorted([*plain, *markdown.outside(_markers(text, link), plain)])
    spans = markdown.paragraph_spans(text)
    return "\n\n".join(markdown.paragraph(text, start, end, marks, fixed) for start, end in spans)


def _lines(text: str) -> Iterator[Line]:
    fence = ""
    position = 0
    for raw in text.splitlines(keepends=True):
        start, position = position, position + len(raw)
        opened = _FENCE.match(raw)
        if fence or opened:
            yield Line("code", start, position)
            if opened and not fence:
                fence = opened[1]
            elif opened and opened[1].startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
        elif not raw.strip():
            yield Line("blank", start, position)
        else:
            yield _line(raw, start, position)


def _line(raw: str, start: int, end: int) -> Line:
    sign = _ORNAMENT.match(raw)
    if sign is None:
        return Line("text", start, end)
    if sign["heading"]:
        return Line("heading", start + len(sign[0]), end)
    opening = f"{sign['number']}. " if sign["number"] else "- "
    return Line("item", start + len(sign[0]), end, opening, len(sign["indent"].expandtabs(2)) // 2)


def _list(lines: Sequence[Line], shown: Sequence[str]) -> str:
    """The items, none more than one step deeper than the one before."""
    rows: list[str] = []
    depth = -1
    for line, item in zip(lines, shown, strict=True):
        depth = min(line.depth, depth + 1, _DEEPEST)
        rows.append("    " * depth + line.sign + item)
    return "\n".join(rows)


def _headings(_: Sequence[Line], shown: Sequence[str]) -> str:
    return "\n\n".join(heading if "**" in heading else f"**{heading}**" for heading in shown)


_BLOCKS: dict[str, Callable[[Sequence[Line], Sequence[str]], str]] = {
    "text": lambda _, shown: "  \n".join(shown),
    "item": _list,
    "heading": _headings,
}


def _code_block(raw: str) -> str:
    """A fence of its own around the lines, longer than any run of backticks in them; an open one is closed."""
    lines = [markdown.in_code(line) for line in raw.strip("\n").splitlines()]
    opened = _FENCE.match(lines[0])
    closed = len(lines) > 1 and opened and lines[-1].strip().startswith(opened[1])
    body = lines[1 : -1 if closed else None]
    longest = max([2, *(len(run) for run in re.findall("`+", "\n".join(body)))])
    fence = "`" * (longest + 1)
    return "\n".join([fence, *body, fence])


def _atoms(text: str, link: Link) -> list[Atom]:
    """What stands in a line besides words, outermost first where things are nested."""
    codes = [Atom(m.start(), m.end(), markdown.code(m["code"])) for m in _CODE.finditer(text)]
    plain = [*codes, *markdown.outside(markdown.atoms(text), codes)]
    plain += markdown.outside(_markers(text, link), plain)
    bold = [m for m in _BOLD.finditer(text) if not _crosses(m.start(), m.end(), plain)]
    outer = [Atom(m.start(), m.end(), _bold(text, m, sorted(plain))) for m in bold]
    return sorted([*outer, *markdown.outside(plain, outer)])


def _bold(text: str, match: re.Match[str], inner: Sequence[Atom]) -> str:
    start, end = match.span("bold")
    return f"**{markdown.paragraph(text, start, end, (), inner)}**"


def _markers(text: str, link: Link) -> list[Atom]:
    """Footnotes as print has them: close to the word, and after the stop or comma that follows."""
    found: list[Atom] = []
    for run in _MARKER_RUN.finditer(text):
        links = "\\,".join(link(int(number)) for number in MARKER.findall(run[0]))
        found.append(Atom(run.start(), run.end(), markdown.escape(run["stop"]) + links))
    return found


def _crosses(start: int, end: int, atoms: Sequence[Atom]) -> bool:
    """Whether a stretch cuts an atom in two or lies inside one."""
    return any(a.start < end and start < a.end and not (start <= a.start and a.end <= end) for a in atoms)
