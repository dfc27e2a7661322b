"""Answers as a table: CSV for any program, or an Excel workbook with a sheet of sources."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rag.export import entries as about
from rag.export.entries import Entries, Entry

LARGEST_CELL = 32_767
"""Characters that Excel holds in a cell."""
WIDTHS = {"question": 48, "answer": 90, "sources": 60, "detail": 40}

_FORMULA = re.compile(r"[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?%?")
_SOURCES = ("id", "number", "reference", "source", "paper", "title", "authors", "year", "url", "file", "quotes")


def safe(value: Any) -> str | int | float | bool | None:
    """A cell's value that no spreadsheet takes for a formula: text that begins like one gets an apostrophe before it.

    Besides = + - @ their full-width forms count, and white space before them (OWASP, "CSV Injection").
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def write_csv(entries: Entries, path: Path) -> None:
    """UTF-8 with the mark by which Excel knows it."""
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        writer = csv.writer(file)
        for row in rows(entries):
            writer.writerow([safe(cell) for cell in row])


def write_xlsx(entries: Entries, path: Path) -> None:
    """A workbook with the sheets Answers and Sources, one row in memory at a time."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    _fill(book.create_sheet("Answers"), rows(entries))
    _fill(book.create_sheet("Sources"), source_rows(entries))
    book.save(path)


def rows(entries: Entries) -> Iterator[list[Any]]:
    """The header, then a row for each answer."""
    own = about.own_columns(entries)
    yield [*_header(own)]
    for entry in entries():
        given = entry.get("input") or {}
        fields = _fields(entry)
        yield [fields.pop("id"), fields.pop("question"), *(given.get(name) for name in own), *fields.values()]


def source_rows(entries: Entries) -> Iterator[list[Any]]:
    """The header, then a row for each citation of each answer."""
    yield list(_SOURCES)
    for entry in entries():
        for citation in entry.get("citations") or []:
            yield [
                entry["id"],
                citation["number"],
                about.reference(citation),
                about.place(citation),
                citation["id"],
                citation.get("title"),
                "; ".join(citation.get("authors") or []),
                citation.get("year"),
                citation.get("url"),
                citation.get("source"),
                "\n".join(about.quotes(entry, citation)),
            ]


def _header(own: Sequence[str]) -> list[str]:
    ours = list(_fields({"id": "", "question": "", "status": ""}))
    return [*ours[:2], *(f"input: {name}" if name in ours else name for name in own), *ours[2:]]


def _fields(entry: Entry) -> dict[str, Any]:
    usage, seconds = entry.get("usage") or {}, entry.get("seconds") or {}
    return {
        "id": entry["id"],
        "question": entry.get("question"),
        "status": entry["status"],
        "reason": entry.get("reason"),
        "answer": about.plain(entry.get("answer") or ""),
        "sources": "\n".join(
            f"[{c['number']}] {about.reference(c)} {about.place(c)}" for c in entry.get("citations") or []
        ),
        "checked": about.checks(entry),
        "mode": entry.get("mode"),
        "model": entry.get("model"),
        "detail": entry.get("detail"),
        "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"),
        "cost_usd": usage.get("cost_usd"),
        "seconds": seconds.get("total"),
    }


def _fill(sheet: Any, table: Iterator[list[Any]]) -> None:
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    header = next(table)
    for number, name in enumerate(header, 1):
        sheet.column_dimensions[get_column_letter(number)].width = WIDTHS.get(name, 16)
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, name, font=Font(bold=True)) for name in header])
    wrapped = Alignment(wrap_text=True, vertical="top")
    for row in table:
        sheet.append([_cell(sheet, value, alignment=wrapped) for value in row])


def _cell(sheet: Any, value: Any, **style: Any) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    content = safe(value)
    if isinstance(content, str):
        content = ILLEGAL_CHARACTERS_RE.sub("\ufffd", content.encode("utf-8", "replace").decode())
        if len(content) > LARGEST_CELL:
            content = content[: LARGEST_CELL - 1] + "…"
    cell = WriteOnlyCell(sheet, value=content)
    if isinstance(content, str):
        cell.data_type = "s"  # never a formula, nor an error value such as #N/A
    for name, look in style.items():
        setattr(cell, name, look)
    return cell
