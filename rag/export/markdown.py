"""Answers as Markdown with footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from rag.export import entries as about
from rag.export.entries import MARKER, Entries, Entry

_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$&!]")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|[-=]|$)", re.MULTILINE)
_ITEM = re.compile(r"(\s*)(?:[-*+•]|(\d{1,3})[.)])\s+(?=\S)")


def write_markdown(entries: Entries, path: Path) -> None:
    """One document; all that comes from data means itself."""
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for line in lines(entries):
            file.write(line + "\n")


def lines(entries: Entries) -> Iterator[str]:
    """The document's lines."""
    yield "# Answers"
    for number, entry in enumerate(entries(), 1):
        yield from section(entry, number)


def section(entry: Entry, number: int) -> Iterator[str]:
    """One answer: its question as a heading, its text, its footnotes; numbers must differ within a document."""
    yield f"\n## {number}. {escape(' '.join(str(entry.get('question')).split()))}\n"
    own = [f"{name}: {value}" for name, value in (entry.get("input") or {}).items() if value not in (None, "", [])]
    facts = [about.status(entry), *([about.checks(entry)] if about.checks(entry) else []), *own]
    yield "*" + escape(" · ".join(" ".join(fact.split()) for fact in facts)) + "*\n"
    numbers = {citation["number"] for citation in entry.get("citations") or []}
    yield _answer(about.text(entry), number, numbers, keeps_lists=entry.get("mode") == "llm")
    for sentence, verdict in about.doubts(entry):
        yield f"\n- {verdict}: {escape(sentence)}"
    if numbers:
        yield ""
    for citation in entry.get("citations") or []:
        said = [f"“{escape(' '.join(quote.split()))}”" for quote in about.quotes(entry, citation)]
        source = f"{escape(about.reference(citation))}. {_address(citation)}"
        yield " ".join(chain([f"[^{number}-{citation['number']}]:", source], said))


def _address(citation: Entry) -> str:
    url = about.link(citation)
    return f"<{url}>" if url else escape(about.place(citation))


def _answer(text: str, entry: int, numbers: set[int], *, keeps_lists: bool) -> str:
    """The text with its markers as footnotes; line breaks stay."""
    shown = []
    for line in text.splitlines():
        item = _ITEM.match(line) if keeps_lists else None
        sign = f"{item[1]}{f'{item[2]}.' if item[2] else '-'} " if item else ""
        parts = MARKER.split(line[item.end() if item else 0 :])
        words = [escape(about.plain(part)) for part in parts[::2]]
        marks = [f"[^{entry}-{n}]" if int(n) in numbers else rf"\[{n}\]" for n in parts[1::2]]
        shown.append(sign + "".join(chain.from_iterable(zip(words, [*marks, ""], strict=True))))
    return "\n".join(
        f"{line}  " if line and after else line for line, after in zip(shown, [*shown[1:], ""], strict=True)
    )


def escape(text: str) -> str:
    """Text that Markdown shows as it is: no emphasis, link, image, HTML, formula, list or heading."""
    signs = _SIGNS.sub(lambda sign: "\\" + sign[0], text)
    return _LINE_START.sub(lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", signs)
