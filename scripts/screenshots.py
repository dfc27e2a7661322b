"""Take the pictures of `docs/images`: `python scripts/screenshots.py` (needs chromium and requirements-dev.txt).

Serves the chat over the sample shelf in `examples/.home`, which `make chat` fills, and asks it questions.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.error import URLError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPOSITORY = Path(__file__).resolve().parent.parent
IMAGES = REPOSITORY / "docs" / "images"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SETTLED = 1500
"""Milliseconds until fonts and scrolling have come to rest."""
STARTED = 90.0
"""Seconds within which the server must answer."""


class Picture(NamedTuple):
    """A file, the window it shows, and the questions asked before."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"]
    questions: tuple[str, ...] = ()


FACT = "How much disk space does ColBERTv2 save on MS MARCO compared with the original ColBERT index?"
OFF_TOPIC = "How long does sourdough bread have to rest?"
PICTURES = (
    Picture("welcome", 1280, 800, "light"),
    Picture("answer", 1280, 1080, "light", (FACT,)),
    Picture("answer-dark", 1280, 1080, "dark", (FACT,)),
    Picture("phone-not-found", 390, 844, "dark", (OFF_TOPIC,)),
)


def main() -> int:
    """Take all pictures; exit status 1 and one line where something is missing."""
    parser = argparse.ArgumentParser(description="Take the pictures of docs/images.")
    parser.add_argument("--home", type=Path, default=REPOSITORY / "examples" / ".home", help="folder of the shelf")
    home = parser.parse_args().home
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not home.is_dir():
        lacking = "no chromium on this machine" if chromium is None else f"{home} is missing; run make chat once"
        print(f"No pictures: {lacking}.", file=sys.stderr)  # noqa: T201 - this is a command
        return 1
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(parents=True, exist_ok=True)
    with served(home) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for picture in PICTURES:
            take(browser, address, picture)
        browser.close()
    return 0


@contextmanager
def served(home: Path) -> Iterator[str]:
    """The address of the chat over the shelf in `home`, as long as the context lasts."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, str(REPOSITORY / "scripts" / "chat.py"), "--port", str(port), "--home", str(home)]
    environment = {**os.environ, "BROWSER": "true"}  # else the server opens one of its own
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as server:  # noqa: S603 - our own script
        try:
            wait_until_up(f"http://127.0.0.1:{port}/_stcore/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def wait_until_up(url: str) -> None:
    """Return once the address answers; raises TimeoutError."""
    deadline = time.monotonic() + STARTED
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - our own server
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"{url} did not answer within {STARTED:.0f} seconds")


def take(browser: Browser, address: str, picture: Picture) -> None:
    """Open the page, ask the picture's questions and save what the window shows."""
    page = browser.new_page(
        viewport={"width": picture.width, "height": picture.height}, color_scheme=picture.scheme, device_scale_factor=1
    )
    page.set_default_timeout(STARTED * 1000)
    page.goto(address)
    page.wait_for_selector('[data-testid="stChatInput"] textarea')
    for turn, question in enumerate(picture.questions, 1):
        page.locator('[data-testid="stChatInput"] textarea').fill(question)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#answer-{turn}", state="attached")
    page.wait_for_timeout(SETTLED)
    page.screenshot(path=IMAGES / f"{picture.name}.png")
    page.close()


if __name__ == "__main__":
    sys.exit(main())
