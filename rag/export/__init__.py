"""Answers of a batch as files for people: a table, a workbook, Markdown, a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.batch.output import Line, answers_at, read_lines
from rag.errors import InputError, SettingsError
from rag.export.entries import Entries
from rag.export.files import replacing

FORMATS = ("csv", "xlsx", "md", "html")


@dataclass(frozen=True, slots=True)
class Written:
    """What an export wrote; `missing` questions have no answer in the file."""

    path: Path
    answers: int
    missing: int


def export(answers: Path, to: str, out: Path | None = None, ids: Sequence[str] | None = None) -> Written:
    """Write the last answer of each question as `to` (csv, xlsx, md, html), whole or not at all.

    `ids`: the questions wanted, in order; without them all, in the order in which their file had them when they were
    asked. `out`: default, `answers` with the format's ending. Raises SettingsError for another format, InputError
    for a file that cannot be read or written.
    """
    check_format(to)
    if not answers.is_file():
        raise InputError(f"{answers} is not there.", "Name the --out file of a batch.")
    lines = read_lines(answers)[0]
    chosen = _in_order(lines.values()) if ids is None else [lines[i] for i in ids if i in lines]
    offsets = [line.offset for line in chosen]
    path = out or answers.with_suffix(f".{to}")
    if path.resolve() == answers.resolve():
        raise SettingsError(f"{path} is the file of answers.", "Name another --out.")
    _write(path, _writer(to), lambda: answers_at(answers, offsets))
    return Written(path, len(chosen), 0 if ids is None else len(ids) - len(chosen))


def check_format(to: str) -> None:
    """Raises SettingsError for a format that is none."""
    if to not in FORMATS:
        raise SettingsError(f"{to} is no format to export to.", f"Known are {', '.join(FORMATS)}.")


def _in_order(lines: Iterable[Line]) -> list[Line]:
    """By position in the file of questions; equal ones, as an edited file has them, as they were first answered."""
    return sorted(lines, key=lambda line: line.position or float("inf"))


def _writer(to: str) -> Callable[[Entries, Path], None]:
    if to == "csv":
        from rag.export.table import write_csv

        return write_csv
    if to == "xlsx":
        from rag.export.table import write_xlsx

        return write_xlsx
    if to == "md":
        from rag.export.markdown import write_markdown

        return write_markdown
    from rag.export.page import write_page

    return write_page


def _write(path: Path, write: Callable[[Entries, Path], None], entries: Entries) -> None:
    try:
        with replacing(path) as beside:
            write(entries, beside)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Name another --out.") from None
