"""Plain text: questions a line, or questions separated by blank lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rag.questions.row import Row


def lines(text: str, path: str) -> Iterator[Row]:
    """A question for each line; blank lines and `#` comments are skipped."""
    for number, line in _lines(text):
        if line.strip():
            yield Row(f"{path}:{number}", {"question": line})


def paragraphs(text: str, path: str) -> Iterator[Row]:
    """A question for each run of lines without a blank one between them, with its line breaks."""
    for written, group in groupby(_lines(text), key=lambda one: bool(one[1].strip())):
        if written:
            block = list(group)
            yield Row(f"{path}:{block[0][0]}", {"question": "\n".join(line for _, line in block)})


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their 1-based numbers, without comments and the space at their ends."""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        if not line.lstrip().startswith("#"):
            yield number, line.strip()
