"""The pages in a real browser: what is asked goes on, is found again, and stays on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ingest.pipeline import ingest
from rag.chats.feedback import cases
from rag.conversations import Conversations
from rag.embedding import make_embedder
from tests.browsing import (
    ALARMS,
    AT_REST,
    ATTACK,
    HOSTILE,
    SLOWLY,
    ask,
    reply,
    served,
    submit,
    visit,
    watched,
)
from tests.fake_llm import MODEL, FakeLLM
from tests.shelf import PAPERS, settings_at, write_lines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

HERON = "How much of the accuracy does Heron keep?"
SLEEP = "By how much was it that IL-6 rose, and after what rest was it back?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    settings = settings_at(folder / "home")
    ingest([str(write_lines(folder / "papers.jsonl", [*PAPERS, *HOSTILE]))], settings, make_embedder(settings))
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with FakeLLM(otherwise=reply) as fake, served(folder, FOOTNOTE_LLM_MODEL=MODEL, OPENAI_BASE_URL=fake.url) as url:
        yield url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address) as page:
        yield page


def test_a_footnote_leads_to_its_source_and_back(page: Page) -> None:
    ask(page, HERON)
    page.locator('.st-key-body-1 a[href="#source-1-1"]').first.click()
    page.wait_for_function("location.hash === '#source-1-1'")
    card = page.locator(".st-key-card-1-1")
    assert "Heron: pruning retrieval heads" in card.inner_text()
    assert "keeps 98.2% of the accuracy" in card.locator(".stMarkdownColoredBackground").first.inner_text()
    assert "1 of 2 sentences checked and supported" in page.locator(".st-key-turn-1").inner_text()
    assert "not supported" in page.locator(".st-key-body-1").inner_text()

    card.locator('a[href="#answer-1"]').click()
    page.wait_for_function("location.hash === '#answer-1'")


def test_a_follow_up_stands_at_the_top_of_the_window(page: Page) -> None:
    ask(page, HERON)
    ask(page, SLEEP, turn=2)
    page.wait_for_function("Math.abs(document.querySelector('#question-2').getBoundingClientRect().top) < 200")
    field = page.locator('[data-testid="stChatInput"]').bounding_box()
    assert field is not None
    assert field["y"] + field["height"] <= 900
    assert "31%" in page.locator(".st-key-body-2").inner_text()


def test_an_answer_goes_on_through_a_reload_and_in_a_second_tab(page: Page, browser: Browser) -> None:
    """streamlit#14524, #11746: a click or a reload during streaming lost the answer."""
    submit(page, f"{HERON} Say it {SLOWLY}.")
    page.wait_for_selector(".st-key-body-1 p")
    page.reload()
    page.wait_for_selector(".st-key-body-1 p")
    with watched(browser, page.url) as other:
        other.wait_for_selector("#answer-1", state="attached")
        page.wait_for_selector("#answer-1", state="attached")
        for tab in (page, other):
            assert tab.locator('.st-key-body-1 a[href="#source-1-1"]').count() == 12


def test_what_came_before_a_stop_is_kept(page: Page) -> None:
    submit(page, f"{HERON} Say it {SLOWLY}.")
    page.wait_for_selector(".st-key-body-1 a")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("#answer-1", state="attached")
    assert "Stopped before the end" in page.locator(".st-key-turn-1").inner_text()
    assert 0 < page.locator('.st-key-body-1 a[href="#source-1-1"]').count() < 12


def test_two_questions_at_once_are_two_turns_in_order(page: Page) -> None:
    """streamlit#8323, #11854: a double submit."""
    submit(page, f"{HERON} Say it {SLOWLY}.")
    page.wait_for_selector(".st-key-turn-1")
    ask(page, SLEEP, turn=2)
    assert "98.2%" in page.locator(".st-key-body-1").inner_text()
    assert "31%" in page.locator(".st-key-body-2").inner_text()


def test_a_question_is_narrowed_to_years(page: Page) -> None:
    page.get_by_role("button", name="Options").click()
    page.get_by_role("slider").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.get_by_text("Abstracts an answer may draw on").wait_for()
    page.keyboard.press("Escape")
    ask(page, SLEEP)
    assert "2022–2023" in page.locator(".st-key-question-1").inner_text()
    assert "Interleukin" in page.locator(".st-key-turn-1").inner_text()
    expect(page.locator(".st-key-turn-1")).not_to_contain_text("Heron")  # the first page's examples give way


def test_feedback_is_kept_and_becomes_a_case(page: Page, folder: Path) -> None:
    ask(page, SLEEP)
    page.locator('[class*="st-key-actions-"] [data-testid="stFeedback"] button').nth(1).click()
    page.get_by_placeholder("What was wrong or missing?").fill("It was 13%.")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Wrong source?").first.click()
    page.get_by_text("Marked as a wrong source").wait_for()
    with closing(Conversations(folder / "home")) as store:
        found = list(cases(store))
    assert (found[-1]["question"], found[-1]["rating"], found[-1]["comment"]) == (SLEEP, "bad", "It was 13%.")
    assert found[-1]["wrong"]


def test_an_answer_is_copied_with_its_references(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, HERON)
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Copied.", exact=True).wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "keeps 98.2% of the accuracy with 40% of the heads [1]." in copied
    assert "\n\n[1] Heron: pruning retrieval heads (Ada Lum et al., 2021). https://doi.org/10.1000/heron" in copied
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")


def test_an_edited_question_takes_the_place_of_the_old_one_until_undone(page: Page) -> None:
    ask(page, HERON)
    page.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog").get_by_label("Question").fill(SLEEP)
    page.get_by_role("dialog").get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("1 earlier turn set aside.").wait_for()
    page.locator(".st-key-body-1").get_by_text("31%").wait_for()
    assert page.locator('[class*="st-key-question-"]').count() == 1
    page.get_by_role("button", name="Undo").click()
    page.locator(".st-key-body-1").get_by_text("98.2%").wait_for()


def test_a_conversation_is_found_saved_deleted_and_brought_back(page: Page) -> None:
    ask(page, "How large is the error on 1,200 stations?")
    page.get_by_role("button", name="Conversation", exact=True).click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as JSON").click()
    assert json.loads(Path(saved.value.path()).read_text("utf-8"))["turns"][0]["answer"]["citations"]

    for name, sign in (("Save as Markdown", "# How large"), ("Sources as BibTeX", "@"), ("Sources as RIS", "TY  - ")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        assert Path(saved.value.path()).read_text("utf-8").startswith(sign)

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".st-key-body-1")
    page.wait_for_selector(AT_REST)
    search = page.get_by_placeholder("Search conversations")
    search.fill("1,200 STATIONS")
    search.press("Enter")
    page.wait_for_function("document.querySelectorAll('[class*=\"st-key-open-\"]').length === 1")


def test_a_dot_of_the_map_opens_its_abstract(page: Page) -> None:
    visit(page, "Library")
    page.get_by_text("Map", exact=True).click()
    page.locator('[data-testid="stVegaLiteChart"] svg .mark-symbol path').first.click(force=True)
    page.wait_for_selector(".st-key-paper h2")
    assert "paper=" in page.url


def test_a_file_is_added_with_a_report_and_an_abstract_removed_and_brought_back(page: Page, folder: Path) -> None:
    rows = [
        {"title": "Kiwis at night", "abstract": "Kiwis call at night. They rest by day in burrows."},
        {"title": "x"},
    ]
    visit(page, "Library")
    page.get_by_text("Add files", exact=True).click()
    page.locator('input[type="file"]').set_input_files(write_lines(folder / "birds.jsonl", rows))
    page.get_by_role("button", name="Add 1 file").click()
    page.get_by_text("Read 2 records: 1 new, 1 rejected.").wait_for()
    page.get_by_text("birds.jsonl:2").wait_for()

    page.get_by_text("Abstracts", exact=True).click()
    page.get_by_role("button", name="Kiwis at night").click()
    page.get_by_role("button", name="Remove from the shelf").click()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".st-key-paper h2")
    assert "Kiwis at night" in page.locator(".st-key-paper").inner_text()


def test_a_file_of_questions_is_run_and_downloaded(page: Page, folder: Path) -> None:
    visit(page, "Questions")
    (folder / "asked.txt").write_text(f"{HERON}\n{SLEEP}\n", "utf-8")
    page.locator('input[type="file"]').set_input_files(folder / "asked.txt")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("2 of 2 questions answered").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    assert "98.2%" in Path(saved.value.path()).read_text("utf-8-sig")


def test_cases_are_evaluated_and_lead_to_the_answer_and_its_sources(page: Page, folder: Path) -> None:
    visit(page, "Evaluation")
    page.locator("details", has_text="New evaluation").wait_for()
    rows = [{"id": "<b>h</b>", "question": HERON, "gold": ["doi:10.1000/heron"], "facts": ["98.2%"]}]
    page.locator('input[type="file"]').set_input_files(write_lines(folder / "cases.jsonl", rows))
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_text("1 case answered and scored.").wait_for()
    page.locator(".st-key-beside table").get_by_text("cases").wait_for()
    page.get_by_text(f"1.00 · {HERON}").click()
    page.locator('.st-key-body-1 a[href="#source-1-1"]').first.click()
    page.wait_for_function("location.hash === '#source-1-1'")
    page.get_by_role("link", name="Open in the library").first.click()
    page.wait_for_selector(".st-key-paper h2")
    assert "Heron: pruning retrieval heads" in page.locator(".st-key-paper").inner_text()


def test_hostile_data_stays_text(page: Page) -> None:
    """LightRAG PR#3437, open-webui#18387: stored scripts, links and images in titles, names and abstracts."""
    ask(page, "What does Quetzal write into its log, and by what does it lower the cost?")
    page.wait_for_selector(".st-key-card-1-1 .katex")
    card = page.locator(".st-key-card-1-1").inner_text()
    for shown in ("<img src=x onerror=alert(1)>", ":warning: a_b*c*", "[x](javascript:alert(3))", "$5 to $10"):
        assert shown in card.replace("\u2060", "")
    assert page.locator('.st-key-card-1-1 a:not([href^="#"])').count() == 0
    ask(page, f"{ATTACK} {HERON}", turn=2)
    page.get_by_role("button", name="Why these sources").first.click()
    page.get_by_role("dialog").wait_for()
    assert page.evaluate(ALARMS) == []
    page.keyboard.press("Escape")

    visit(page, "Library")
    page.get_by_role("button", name="Quetzal").click()
    page.wait_for_selector(".st-key-paper .katex")
    assert "<svg onload=alert(5)>" in page.locator(".st-key-paper").inner_text().replace("\u2060", "")
    assert page.evaluate(ALARMS) == []


def hostile_file(ending: str, content: str) -> FilePayload:
    return {"name": f"<img src=x onerror=alert(7)>*a*{ending}", "mimeType": "text/plain", "buffer": content.encode()}


def test_hostile_files_stay_text_on_every_page(page: Page) -> None:
    """LightRAG PR#3437: names of uploaded files, and what stands in them, are data too."""
    visit(page, "Library")
    page.get_by_text("Add files", exact=True).click()
    row = {
        **HOSTILE[0],
        "abstract": f"Okapi {ATTACK} grazes by night. Its stripes hide it well.",
        "doi": f"10.1/{ATTACK}",
    }
    lines = f"{json.dumps(row)}\n{json.dumps({'title': ATTACK})}\n"
    page.locator('input[type="file"]').set_input_files(hostile_file(".jsonl", lines))
    page.get_by_role("button", name="Add 1 file").click()
    page.get_by_text("Read 2 records").wait_for()
    assert page.evaluate(ALARMS) == []

    page.get_by_text("Map", exact=True).click()
    page.locator('[data-testid="stVegaLiteChart"] svg .mark-symbol path').last.hover(force=True)
    page.locator("#vg-tooltip-element").wait_for()
    assert page.evaluate(ALARMS) == []
    assert page.locator("#vg-tooltip-element img, #vg-tooltip-element script").count() == 0

    visit(page, "Questions")
    page.locator('input[type="file"]').set_input_files(hostile_file(".txt", f"When does Okapi graze? {ATTACK}"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_text("1 of 1 question answered").wait_for()
    page.get_by_text("When does Okapi graze?").first.click()
    page.wait_for_selector(".st-key-body-1 a")
    assert page.evaluate(ALARMS) == []

    visit(page, "Evaluation")
    new = page.locator("details", has_text="New evaluation")
    new.wait_for()
    if new.get_attribute("open") is None:
        page.get_by_text("New evaluation").click()
    case = {
        "id": ATTACK,
        "type": ATTACK,
        "question": f"When does Okapi graze? {ATTACK}",
        "answer": ATTACK,
        "gold": [ATTACK],
    }
    page.locator('input[type="file"]').set_input_files(hostile_file(".jsonl", json.dumps(case)))
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_text("is not on the shelf").wait_for()
    assert page.evaluate(ALARMS) == []
    page.get_by_text("counts as not found").click()
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_text("1 case answered and scored").wait_for()
    assert page.evaluate(ALARMS) == []


def test_pages_fit_a_phone(browser: Browser, address: str) -> None:
    with watched(browser, address, 390, 844) as phone:
        ask(phone, HERON)
        assert phone.evaluate("document.querySelector('.stApp').scrollWidth") <= 390
        for name in ("library", "questions", "evaluation", "settings"):
            phone.goto(f"{address}/{name}")
            phone.wait_for_selector(".st-key-masthead h1")
            assert phone.evaluate("document.querySelector('.stApp').scrollWidth") <= 390
