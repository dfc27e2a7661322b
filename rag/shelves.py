"""Several shelves side by side: the one that the settings name, and others in folders inside it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rag.catalogue import FILE_NAME
from rag.errors import InputError

FOLDER = "shelves"
_NAME = re.compile(r"[\w][\w .-]{0,59}")


class Shelf(NamedTuple):
    """A shelf; `name` is empty for that of the settings, `abstracts` None where nothing was ever ingested."""

    name: str
    home: Path
    abstracts: int | None


def shelves(root: Path) -> list[Shelf]:
    """The shelf of the settings and those inside it, by name."""
    folder = root / FOLDER
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    return [Shelf(name, home := home_of(root, name), _abstracts(home)) for name in ["", *names]]


def home_of(root: Path, name: str) -> Path:
    """The folder of the shelf of that name; raises InputError for what is no name."""
    if not name:
        return root
    if not _NAME.fullmatch(name) or name.rstrip(" .") != name:
        raise InputError(f"{name!r} is no name for a shelf.", "Use letters, digits, spaces, dots, - and _, up to 60.")
    return root / FOLDER / name


def make(root: Path, name: str) -> Path:
    """Make an empty shelf; its folder. Raises InputError where there is one of that name, or it cannot be made."""
    home = home_of(root, " ".join(name.split()))
    if home == root:
        raise InputError("The shelf has no name.", "Write one.")
    try:
        home.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"There is a shelf {home.name} already.", "Choose another name.") from None
    except OSError as error:
        raise InputError(f"{home} cannot be made: {error.strerror}.", "See that the folder can be written.") from None
    return home


def _abstracts(home: Path) -> int | None:
    """Counted without opening the shelf, which may be in use or damaged."""
    path = home / FILE_NAME
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=1)) as connection:
            number: int = connection.execute("SELECT count(*) FROM abstract").fetchone()[0]
            return number
    except sqlite3.Error:
        return None
