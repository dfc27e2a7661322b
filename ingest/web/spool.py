"""Pages of a feed on disk until all of them are in: an interrupted run goes on behind the last one."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ingest.web.service import Page
from rag.errors import IndexUnusableError

FRESH_SECONDS = 6 * 3600
"""Services forget the place in a query after some hours; older pages are fetched anew."""


@dataclass(frozen=True, slots=True)
class Spool:
    """A folder of pages, or nothing where `folder` is None."""

    folder: Path | None

    def pages(self) -> Iterator[Page]:
        """The pages kept, in order, up to the first that cannot be read; stale ones are removed first."""
        if self.folder is None or not self.folder.is_dir():
            return
        files = sorted(self.folder.glob("*.page"))
        if files and time.time() - files[-1].stat().st_mtime > FRESH_SECONDS:
            self.clear()
            return
        for place, file in enumerate(files):
            page = _page(file)
            if page is None:
                for useless in files[place:]:
                    useless.unlink(missing_ok=True)
                return
            yield page

    def add(self, number: int, page: Page) -> None:
        """Keep a page, whole or not at all; raises IndexUnusableError when the folder cannot be written."""
        if self.folder is None:
            return
        file = self.folder / f"{number:08}.page"
        unfinished = file.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(json.dumps({"after": page.after}).encode() + b"\n" + page.data)
            unfinished.replace(file)
        except OSError as error:
            raise IndexUnusableError(
                f"The folder {self.folder} cannot be written: {error.strerror or error}.", "Free the disk, run again."
            ) from error

    def clear(self) -> None:
        """Forget all pages."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def _page(file: Path) -> Page | None:
    head, _, data = file.read_bytes().partition(b"\n")
    try:
        after = json.loads(head)["after"]
    except (ValueError, KeyError, TypeError):
        return None
    return Page(data, after)
