"""The evaluations of a shelf: each in a folder of its own, with the file of cases it was given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from shutil import rmtree

from rag.errors import InputError
from rag.evaluate.case import Case
from rag.evaluate.cases import read_cases
from rag.evaluate.evaluation import on_shelf
from rag.evaluate.run import CASES, RUN
from rag.library import Library

FOLDER = "evaluations"
GIVEN = "given"
KINDS = (".jsonl", ".csv", ".tsv")
_UNSAFE = re.compile(r"[^\w.-]+")
_NAME = re.compile(r"\w[\w .-]{0,59}")


def runs_in(folder: Path) -> list[Path]:
    """The folders of runs within a folder, the latest first."""
    found = [path.parent for path in folder.glob(f"*/{RUN}")] if folder.is_dir() else []
    return sorted(found, key=lambda path: (-(path / RUN).stat().st_mtime, path.name))


def unfinished(folder: Path) -> list[Path]:
    """The folders of evaluations that were begun and never scored, by name."""
    found = [path.parent for path in folder.glob(f"*/{GIVEN}")] if folder.is_dir() else []
    return sorted(path for path in found if not (path / RUN).is_file())


def free_name(home: Path, wished: str) -> str:
    """`wished` as the name of an evaluation, with a number where there is one of that name."""
    plain = _UNSAFE.sub(" ", wished).strip(" .-")[:50] or "cases"
    number, name = 1, plain
    while (home / FOLDER / name).exists():
        number += 1
        name = f"{plain} {number}"
    return name


def keep(library: Library, name: str, file: str, content: bytes, *, keep_missing: bool = False) -> Path:
    """Keep a file of cases as a new evaluation; its folder.

    Raises InputError for what is no name or already one, and as `given_cases` does; then nothing is kept.
    """
    folder = library.settings.home / FOLDER / name
    if not _NAME.fullmatch(name) or name.rstrip(" .") != name:
        raise InputError(f"{name!r} is no name.", "Use letters, digits, spaces, dots, - and _, up to 60.")
    if folder.exists():
        raise InputError(f"There is an evaluation {name} already.", "Choose another name.")
    plain = _UNSAFE.sub("-", PurePath(file.replace("\\", "/")).name).strip(".-") or "cases.jsonl"
    if PurePath(plain).suffix.lower() not in KINDS:
        raise InputError(f"{plain} is no file of cases.", f"Choose one that ends in {', '.join(KINDS)}.")
    (folder / GIVEN).mkdir(parents=True)
    (folder / GIVEN / plain).write_bytes(content)
    try:
        given_cases(library, folder, keep_missing=keep_missing)
    except InputError:
        rmtree(folder)
        raise
    return folder


def given_cases(library: Library, folder: Path, *, keep_missing: bool = False) -> Sequence[Case]:
    """The cases of an evaluation, checked against the shelf. Raises InputError where there are none, CasesError."""
    given = folder / GIVEN
    files = sorted(given.iterdir()) if given.is_dir() else []
    return on_shelf(library, read_cases(files[0] if files else folder / CASES), keep_missing=keep_missing)
