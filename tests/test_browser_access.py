"""The pages for everybody: measured contrast and names (axe-core), and use by the keyboard alone, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ingest.pipeline import ingest
from rag.embedding import make_embedder
from tests.browsing import AT_REST, FIELD, SLOWLY, ask, reply, served, submit, watched
from tests.fake_llm import MODEL, FakeLLM
from tests.shelf import PAPERS, settings_at, write_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERON = "How much of the accuracy does Heron keep?"
STREAMLITS = {
    "presentation-role-conflict": "the area that Streamlit's uploader takes drops on",
}
"""Rules that widgets of Streamlit break, whose markup is not ours, with the part that does."""
FOCUS = """() => {
  const one = document.activeElement, style = getComputedStyle(one), around = []
  for (let node = one; node && around.length < 5; node = node.parentElement) around.push(getComputedStyle(node))
  const accent = 'rgb(122, 46, 46)'
  return {
    name: (one.getAttribute('aria-label') || one.innerText || '').split('\\n').filter(part => /[A-Z]/.test(part))[0],
    href: one.getAttribute('href') || '',
    tag: one.tagName,
    seen: style.outlineStyle !== 'none' || style.boxShadow !== 'none' || around.some(a => a.borderTopColor === accent),
  }
}"""
"""What has the focus, and whether a ring or a border in the accent's colour shows it."""
WHOLE = ("BODY", "MAIN")
"""Parts that stand for the page as a whole: there is nothing to show."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("access")
    settings = settings_at(folder / "home")
    ingest([str(write_lines(folder / "papers.jsonl", PAPERS))], settings, make_embedder(settings))
    with FakeLLM(otherwise=reply) as fake, served(folder, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url) as url:
        yield url


def faults(page: Page) -> list[str]:
    """What axe-core finds on the page as it is: rule, place and colours of each fault."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing")
    found: list[dict[str, Any]] = axe.Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:100]} {node['failureSummary']}"
        for rule in found
        if rule["id"] not in STREAMLITS
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_free_of_faults_that_can_be_measured(
    browser: Browser, address: str, scheme: Literal["light", "dark"]
) -> None:
    with watched(browser, address) as page:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.reload()  # drawn in these colours from the start: a page that changes them has both for a while
        page.wait_for_selector(FIELD)
        page.wait_for_selector(AT_REST)
        assert faults(page) == []
        ask(page, HERON)
        page.get_by_role("button", name="Wrong source?").first.wait_for()
        assert faults(page) == []
        for opens in ("Options", "Conversation", "Copy", "Why these sources"):
            page.get_by_role("button", name=opens, exact=True).click()
            page.locator('[data-testid="stPopoverBody"], [role="dialog"]').first.wait_for()
            assert faults(page) == []
            page.keyboard.press("Escape")
            page.locator('[data-testid="stPopoverBody"], [role="dialog"]').first.wait_for(state="detached")
        submit(page, "How is sourdough bread baked?")
        page.wait_for_selector(".st-key-closest-2")
        assert faults(page) == []
        for path in ("library", "library?view=Add%20files", "questions", "evaluation", "settings"):
            page.goto(f"{address}/{path}")
            page.wait_for_selector(".st-key-masthead h1")
            page.wait_for_selector(AT_REST)
            assert faults(page) == []


def test_everything_is_reached_and_done_by_the_keyboard(browser: Browser, address: str) -> None:
    with watched(browser, address) as page:
        submit(page, f"{HERON} Say it {SLOWLY}.")
        page.wait_for_selector(".st-key-body-1 a")
        press_to(page, "Stop", backwards=True)
        page.keyboard.press("Enter")
        page.get_by_text("Stopped before the end").wait_for()

        page.reload()
        page.wait_for_selector(".st-key-body-1 a")
        reached = set()
        for _ in range(100):  # the field is the last of all, behind every conversation
            if "Ask a question" in reached:
                break
            page.keyboard.press("Tab")
            reached.add(focused(page)["name"])
        assert {"Library", "New conversation", "Conversation", "Options", "Ask a question"} <= reached
        assert {"Wrong source?", "Thumbs up", "Copy", "Why these sources", "Ask again", "Edit"} <= reached


def test_a_footnote_is_followed_and_come_back_from_by_the_keyboard(browser: Browser, address: str) -> None:
    with watched(browser, address) as page:
        ask(page, HERON)
        page.locator('.st-key-body-1 a[href="#source-1-1"]').first.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("location.hash === '#source-1-1'")
        page.keyboard.press("Tab")
        assert focused(page)["href"] == "#answer-1"
        page.keyboard.press("Enter")
        page.wait_for_function("location.hash === '#answer-1'")
        page.keyboard.press("Tab")
        assert focused(page)["href"] == "#source-1-1"


def focused(page: Page) -> dict[str, Any]:
    """What has the focus; it must be seen to have it."""
    seen = page.wait_for_function(f"(now => (now.seen || {list(WHOLE)}.includes(now.tag)) && now)(({FOCUS})())")
    found: dict[str, Any] = seen.json_value()
    return found


def press_to(page: Page, name: str, *, backwards: bool = False) -> None:
    """Press Tab until the part of that name has the focus."""
    for _ in range(40):
        page.keyboard.press("Shift+Tab" if backwards else "Tab")
        if focused(page)["name"] == name:
            return
    raise AssertionError(f"{name} is not reached")
