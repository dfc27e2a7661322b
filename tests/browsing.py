"""A real browser on the real page, served over a small shelf with hostile abstracts, its model a scripted one."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rag.bench.served import served as chat_served
from rag.config import environment_names
from rag.text.words import words
from tests.fake_llm import Reply, Say

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

PATIENCE = 90.0
SLOWLY = "slowly"
"""A question with this word is answered word by word for some seconds."""
FIELD = '[data-testid="stChatInput"] textarea'
AT_REST = '[data-testid="stApp"][data-test-script-state="notRunning"]'
"""A page that is not being drawn: what is typed while it is may be lost with the field."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3))![y](http://192.0.2.1/?q=1)"
HOSTILE: tuple[dict[str, Any], ...] = (
    {
        "title": f"Quetzal {ATTACK} :warning: a_b*c*",
        "authors": [f"Eve {ATTACK}"],
        "venue": f"Journal {ATTACK}",
        "url": "javascript:alert(4)",
        "keywords": [ATTACK],
        "year": 2020,
        "abstract": "Quetzal lowers the cost from $5 to $10 per sample when $\\alpha < 2$ and \\(\\beta_1\\) holds. "
        f"The code of Quetzal is at https://example.org/q?a=1. Quetzal also writes {ATTACK} into its log. "
        "<svg onload=alert(5)> &lt;iframe src=//192.0.2.1&gt; <a href='javascript:alert(6)'>It</a> is not for sale.",
    },
)
ALARMS = (
    '[...document.querySelectorAll(\'.stApp img, .stApp iframe, .stApp svg[onload], .stApp a[href^="javascript"], '
    ".stApp script:not([src])')].map(node => node.outerHTML).filter(html => !html.includes('scrollIntoView'))"
)
_BLOCK = re.compile(r'<abstract number="(\d+)">\n(.*?)\n</abstract>', re.DOTALL)
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)


def reply(body: dict[str, Any]) -> Reply:
    """The sentence of the abstracts that shares most words with the question, cited; more of them when SLOWLY."""
    text = body["messages"][-1]["content"]
    asked = _QUESTION.search(text)
    blocks = _BLOCK.findall(text)
    if asked is None or not blocks:
        return Say(asked[1] if asked else "OK")
    wanted = {word.stem for word in words(asked[1])}
    sentences = [(s, number) for number, block in blocks for s in re.split(r"(?<=[.])\s+", block.split("\n")[-1])]
    best = max(sentences, key=lambda pair: len(wanted & {word.stem for word in words(pair[0])}))
    said = f"{best[0].rstrip('.')} [{best[1]}]."
    return Say(" ".join([said] * 12), pause=0.05) if SLOWLY in asked[1] else Say(f"{said} It is sold on Mars [1].")


@contextmanager
def served(folder: Path, **values: str) -> Iterator[str]:
    """The address of the page over the shelf `home` in a folder, with settings by their names."""
    clean = {name: value for name, value in os.environ.items() if name not in environment_names()}
    with chat_served(Path("home"), {**clean, **values}, folder) as (address, _):
        yield address


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium on this machine (Debian and Ubuntu: apt install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def watched(browser: Browser, address: str, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A page, open; it fails a test that made it talk to anyone else, open a dialog or run into an error."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(PATIENCE * 1000)
    requests: list[str] = []
    surprises: list[str] = []
    page.on("request", lambda request: requests.append(request.url))

    def dismiss(dialog: Dialog) -> None:
        surprises.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: surprises.append(str(error)))
    page.goto(address)
    page.wait_for_selector(FIELD)
    yield page
    page.close()
    origin = "/".join(address.split("/")[:3])
    own = (origin, origin.replace("http", "ws"), "data:", f"blob:{origin}")
    elsewhere = [url for url in requests if not url.startswith(own)]
    assert not elsewhere, elsewhere
    assert not surprises, surprises


def submit(page: Page, question: str) -> None:
    """Type a question and send it."""
    page.locator(FIELD).fill(question)
    page.keyboard.press("Enter")


def ask(page: Page, question: str, turn: int = 1) -> None:
    """Ask, and wait for the whole answer."""
    submit(page, question)
    page.wait_for_selector(f"#answer-{turn}", state="attached")
    page.wait_for_selector(f".st-key-body-{turn}")


def visit(page: Page, name: str) -> None:
    """Go to another page by the navigation."""
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_function(f"document.querySelector('.st-key-masthead h1')?.innerText === '{name}'")
