"""Take the pictures of `docs/images`: `python -m scripts.screenshots` (needs chromium and requirements-dev.txt).

Serves the chat over the sample shelf in `examples/.home`, which `make chat` fills, and asks it questions.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Literal, NamedTuple

from rag.bench.served import REPOSITORY, STARTED, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = REPOSITORY / "docs" / "images"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SETTLED = 1500
"""Milliseconds until fonts and scrolling have come to rest."""

DRAWN = """
!document.querySelector('[data-testid="stSkeleton"], [data-testid="stStatusWidget"], [data-stale="true"]')
"""
"""Whether nothing of a page is still to come: parts of Streamlit's are fetched when they are first needed."""


class Picture(NamedTuple):
    """A file, what is done before it is taken, and the part of the page that must be there."""

    name: str
    prepare: Callable[[Page, str], None]
    sign: str


FACT = "How much disk space does ColBERTv2 save on MS MARCO compared with the original ColBERT index?"
OFF_TOPIC = "How long does sourdough bread have to rest?"
CASES = REPOSITORY / "examples" / "questions.jsonl"
QUESTIONS = REPOSITORY / "examples" / "questions.csv"
FIELD = '[data-testid="stChatInput"] textarea'
WINDOWS: dict[str, tuple[int, int, Literal["light", "dark"]]] = {
    "": (1280, 900, "light"),
    "-dark": (1280, 900, "dark"),
    "-phone": (390, 844, "light"),
    "-phone-dark": (390, 844, "dark"),
}
"""Width, height and colours by the ending of a picture's name."""


def _ask(*questions: str) -> Callable[[Page, str], None]:
    def prepare(page: Page, address: str) -> None:
        page.goto(address)
        page.wait_for_selector(FIELD)
        for turn, question in enumerate(questions, 1):
            page.locator(FIELD).fill(question)
            page.keyboard.press("Enter")
            page.wait_for_selector(f"#answer-{turn}", state="attached")

    return prepare


def _open(path: str) -> Callable[[Page, str], None]:
    def prepare(page: Page, address: str) -> None:
        page.goto(f"{address}/{path}")

    return prepare


def _why(page: Page, address: str) -> None:
    _ask(FACT)(page, address)
    page.get_by_role("button", name="Why these sources").click()


def _paper(page: Page, address: str) -> None:
    page.goto(f"{address}/library")
    page.get_by_role("button", name="ColBERTv2").click()


def _run(page: Page, address: str) -> None:
    page.goto(f"{address}/questions")
    page.locator('input[type="file"]').set_input_files(QUESTIONS)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("answered now").wait_for()


PICTURES = (
    Picture("welcome", _ask(), ".st-key-examples button"),
    Picture("answer", _ask(FACT), ".st-key-body-1"),
    Picture("not-found", _ask(OFF_TOPIC), ".st-key-closest-1"),
    Picture("why", _why, "[role=dialog] table"),
    Picture("library", _open("library"), '[class*="st-key-row-"]'),
    Picture("abstract", _paper, ".st-key-paper"),
    Picture("map", _open("library?view=Map"), '[data-testid="stVegaLiteChart"] svg'),
    Picture("questions", _run, ".st-key-downloads"),
    Picture("evaluation", _open("evaluation"), ".st-key-worst-by"),
    Picture("settings", _open("settings"), "table"),
)


def main() -> int:
    """Take all pictures; exit status 1 and one line where something is missing."""
    parser = argparse.ArgumentParser(description="Take the pictures of docs/images.")
    parser.add_argument("--home", type=Path, default=REPOSITORY / "examples" / ".home", help="folder of the shelf")
    parser.add_argument("names", nargs="*", metavar="NAME", help="pictures to take (default: all)")
    arguments = parser.parse_args()
    home = arguments.home
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not home.is_dir():
        lacking = "no chromium on this machine" if chromium is None else f"{home} is missing; run make chat once"
        print(f"No pictures: {lacking}.", file=sys.stderr)  # noqa: T201 - this is a command
        return 1
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    with copied(home) as copy, served(copy, os.environ) as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for picture in (one for one in PICTURES if one.name in arguments.names or not arguments.names):
            for ending in WINDOWS:
                take(browser, address, picture, ending)
        browser.close()
    return 0


def take(browser: Browser, address: str, picture: Picture, ending: str) -> None:
    """Open a window, prepare it and save what it shows."""
    width, height, scheme = WINDOWS[ending]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=1)
    page.set_default_timeout(STARTED * 1000)
    picture.prepare(page, address)
    page.wait_for_selector(picture.sign)
    page.wait_for_function(DRAWN)
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / f"{picture.name}{ending}.png")
    page.close()


@contextmanager
def copied(home: Path) -> Iterator[Path]:
    """A copy of a shelf without its conversations, with two evaluations; nothing is left in the shelf itself."""
    # The pictures show where the shelf is.
    with readable(Path(gettempdir()) / "footnote") as copy:
        left_out = shutil.ignore_patterns("conversations*", "chats.running", "questions", "evaluations")
        shutil.copytree(home, copy, ignore=left_out, dirs_exist_ok=True)
        for name, top_k in (("eight abstracts", "8"), ("one abstract", "1")):
            command = [sys.executable, "-m", "rag", "evaluate", str(CASES), "--home", str(copy), "--out"]
            environment = {**os.environ, "FOOTNOTE_TOP_K": top_k}
            subprocess.run(  # noqa: S603 - our own command
                [*command, str(copy / "evaluations" / name)],
                cwd=REPOSITORY,
                env=environment,
                check=False,
                stdout=subprocess.DEVNULL,
            )
        yield copy


@contextmanager
def readable(folder: Path) -> Iterator[Path]:
    """A folder of that name as long as the context lasts; raises FileExistsError where there is one."""
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
