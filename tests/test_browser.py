"""The chat in a real browser: footnotes lead to sources, data stays text, and nothing leaves this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

import pytest

from ingest.pipeline import ingest
from rag.config import environment_names
from rag.embedding import make_embedder
from tests.conftest import REPOSITORY
from tests.shelf import PAPERS, settings_at, write_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

PATIENCE = 90.0
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
        "abstract": "Quetzal lowers the cost from $5 to $10 per sample when $\\alpha < 2$ and \\(\\beta_1\\) holds. "
        f"The code of Quetzal is at https://example.org/q?a=1. Quetzal also writes {ATTACK} into its log. "
        "<svg onload=alert(5)> &lt;iframe src=//192.0.2.1&gt; <a href='javascript:alert(6)'>It</a> is not for sale.",
    },
)
ALARMS = (
    "[...document.querySelectorAll('.stApp img, .stApp iframe, .stApp svg[onload], .stApp a[href^=\"javascript\"]')]"
    ".map(node => node.outerHTML)"
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page, served by the launcher over a small shelf with hostile abstracts on it."""
    folder = tmp_path_factory.mktemp("browser")
    settings = settings_at(folder / "home")
    ingest([str(write_lines(folder / "papers.jsonl", [*PAPERS, *HOSTILE]))], settings, make_embedder(settings))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    clean = {name: value for name, value in os.environ.items() if name not in environment_names()}
    command = [sys.executable, str(REPOSITORY / "scripts" / "chat.py"), "--port", str(port), "--home", "home"]
    with subprocess.Popen(command, cwd=folder, env={**clean, "BROWSER": "true"}, stdout=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_up(f"{url}/_stcore/health", server)
            yield url
        finally:
            server.terminate()


def _wait_until_up(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError("the server did not start")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine (Debian and Ubuntu: apt install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, open; it fails a test that made it talk to anyone else, open a dialog or run into an error."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
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
    page.wait_for_selector('[data-testid="stChatInput"] textarea')
    yield page
    page.close()
    assert [url for url in requests if not url.startswith((address, address.replace("http", "ws"), "data:"))] == []
    assert surprises == []


def ask(page: Page, question: str, turn: int = 1) -> None:
    page.locator('[data-testid="stChatInput"] textarea').fill(question)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#answer-{turn}", state="attached")
    page.wait_for_selector(f".st-key-body-{turn}")


def test_a_footnote_leads_to_its_source_and_back(page: Page) -> None:
    ask(page, "How much of the accuracy does Heron keep?")
    page.locator('.st-key-body-1 a[href="#source-1-1"]').first.click()
    page.wait_for_function("location.hash === '#source-1-1'")
    card = page.locator(".st-key-card-1-1")
    assert "Heron: pruning retrieval heads" in card.inner_text()
    assert "keeps 98.2% of the accuracy" in card.locator(".stMarkdownColoredBackground").first.inner_text()

    card.locator('a[href="#answer-1"]').click()
    page.wait_for_function("location.hash === '#answer-1'")


def test_a_question_after_another_stands_at_the_top_of_the_window(page: Page) -> None:
    ask(page, "How much of the accuracy does Heron keep?")
    ask(page, "By how much did IL-6 rise?", turn=2)
    page.wait_for_function("Math.abs(document.querySelector('#question-2').getBoundingClientRect().top) < 200")
    field = page.locator('[data-testid="stChatInput"]').bounding_box()
    assert field is not None
    assert field["y"] + field["height"] <= 900
    assert "31%" in page.locator(".st-key-body-2").inner_text()


def test_a_reload_shows_the_conversation_again(page: Page) -> None:
    ask(page, "By how much did IL-6 rise?")
    before = page.locator(".st-key-body-1").inner_text()
    page.reload()
    page.wait_for_selector(".st-key-body-1")
    assert page.locator(".st-key-body-1").inner_text() == before


def test_hostile_data_stays_text(page: Page) -> None:
    """LightRAG PR#3437, open-webui#18387: stored scripts, links and images in titles, names and abstracts."""
    ask(page, "What does Quetzal write into its log, and by what does it lower the cost?")
    page.wait_for_selector(".st-key-card-1-1 .katex")
    card = page.locator(".st-key-card-1-1").inner_text()
    for shown in ("<img src=x onerror=alert(1)>", ":warning: a_b*c*", "[x](javascript:alert(3))", "$5 to $10"):
        assert shown in card.replace("\u2060", "")
    assert page.evaluate(ALARMS) == []
    assert page.locator('.st-key-card-1-1 a:not([href^="#"])').count() == 0


def test_the_page_fits_a_phone(browser: Browser, address: str) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844})
    phone.goto(address)
    phone.wait_for_selector('[data-testid="stChatInput"] textarea')
    ask(phone, "How much of the accuracy does Heron keep?")
    assert phone.evaluate("document.querySelector('.stApp').scrollWidth") <= 390
    phone.close()
