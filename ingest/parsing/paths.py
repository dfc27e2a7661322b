"""From the paths a user gives to the sources to read.

Folders are walked to the bottom in sorted order. Passed over in silence, because nobody keeps abstracts there: hidden
files and folders (a leading dot), editors' and office programs' leftovers (`~$x`, `x~`), `__MACOSX`, `Thumbs.db`,
`desktop.ini`. Everything else is a source, so that a file of a wrong format is reported and not lost.
A file reached twice is read once, under the name that came first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import glob, has_magic
from pathlib import Path
from typing import BinaryIO

from ingest.feeds import is_feed
from ingest.parsing.source import Feed, Source
from ingest.parsing.unreadable import INSTEAD
from ingest.records import Rejected
from ingest.text.junk import is_junk

PDF = b"%PDF-"
STDIN = "-"
STDIN_NAME = "stdin"


def expand(paths: Iterable[str], stdin: BinaryIO | None = None) -> Iterator[Source | Feed | Rejected]:
    """The sources behind files, folders, globs, `-` and feeds; Rejected for each path that leads to none.

    A path is looked for as it stands before it is taken as a glob. What is read from `stdin` is held in memory.
    """
    seen: set[Path] = set()
    for path in paths:
        if is_feed(path):
            yield Feed(path)
            continue
        if path == STDIN:
            yield (
                Rejected(STDIN_NAME, "nothing is piped in") if stdin is None else Source(STDIN_NAME, data=stdin.read())
            )
            continue
        for found in behind(path):
            if isinstance(found, Rejected):
                yield found
            elif (real := found.resolve()) not in seen:
                seen.add(real)
                yield opened(found)


def behind(path: str) -> Iterator[Path | Rejected]:
    """The files that one path means."""
    given = Path(path).expanduser()
    if os.path.lexists(given):
        yield from [given] if not given.is_dir() else within(given)
    elif not has_magic(path):
        yield Rejected(path, "no such file or folder")
    else:
        matches = sorted(glob(str(given), recursive=True))  # noqa: PTH207 -- Path.glob takes no absolute pattern
        if not matches:
            yield Rejected(path, "matches no file")
        for match in map(Path, matches):
            yield from within(match) if match.is_dir() else [match]


def within(folder: Path) -> Iterator[Path | Rejected]:
    """The files under a folder, sorted by path; what cannot be listed is rejected."""
    failures: list[OSError] = []
    files = [
        Path(place) / name
        for place, folders, names in os.walk(folder, onerror=failures.append)
        for name in keep(folders, names)
    ]
    for failure in failures:
        yield Rejected(str(failure.filename), f"cannot be read: {failure.strerror}")
    if not files and not failures:
        yield Rejected(str(folder), "holds no files to read")
    yield from without_pdfs(folder, sorted(files))


def without_pdfs(folder: Path, files: Iterable[Path]) -> Iterator[Path | Rejected]:
    """The files, but for PDFs, which together are one Rejected: nobody wants a line for each of hundreds."""
    pdfs = 0
    for file in files:
        if is_pdf(file):
            pdfs += 1
        else:
            yield file
    if pdfs:
        yield Rejected(str(folder), f"holds {pdfs} PDF file{'s' * (pdfs > 1)} (application/pdf): {INSTEAD}")


def is_pdf(file: Path) -> bool:
    """Whether a file begins like a PDF; not where it cannot be read, which its reader will report."""
    with suppress(OSError):
        if file.is_file():
            with file.open("rb") as stream:
                return stream.read(len(PDF)) == PDF
    return False


def keep(folders: list[str], names: list[str]) -> list[str]:
    """The names that are not junk; `folders` loses its junk in place, so that the walk does not enter it."""
    folders[:] = [name for name in folders if not is_junk(name)]
    return [name for name in names if not is_junk(name)]


def opened(path: Path) -> Source | Rejected:
    """A source for a regular file; a pipe is read at once, since it can be read only once."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode):
            return Source(str(path), data=path.read_bytes())
    except OSError as error:
        return Rejected(str(path), f"cannot be read: {error.strerror}")
    return Source(str(path), path) if stat.S_ISREG(mode) else Rejected(str(path), "is not a file of data")
