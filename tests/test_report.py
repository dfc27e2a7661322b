"""Reports of a run: what they say is what the run holds, and data stays text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from rag.evaluate.report import write_reports
from rag.evaluate.report.curves import histogram, latencies, recall_curve, trade_off, verdicts, worst
from rag.evaluate.report.page import write_report
from rag.evaluate.report.summary_text import as_markdown
from rag.evaluate.report.wording import cautions
from rag.evaluate.run import Run
from rag.evaluate.score import CaseScore
from tests.made_run import ABOUT, ANSWERS, CASES, SCORES, answer, made_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page, Request

ATTACK = (
    "</script><img src=x onerror=alert(1)><script>alert(2)</script>[x](javascript:alert(3))![y](http://192.0.2.1/?q=1)"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_reports(made_run(), tmp_path)
    return tmp_path


def test_recall_is_the_mean_over_cases_with_gold_and_hits() -> None:
    points = recall_curve(made_run())
    # one: a is first; two: a is second, b third; four ended in an error without hits
    assert [point.y for point in points[:3]] == [0.5, 0.75, 1.0]
    assert len(points) == 10


def test_a_threshold_refuses_what_scores_below_it() -> None:
    # best hits: one 9, two 4 (answerable); three 5 (not)
    points = trade_off(made_run())
    assert [(point.x, point.y) for point in points] == [(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (1.0, 1.0)]
    assert trade_off(made_run(CASES[:2], ANSWERS, SCORES[:2])) == []


def test_verdicts_are_counted_by_type_where_something_is_cited() -> None:
    assert verdicts(made_run()) == {"all": {"supported": 2}, "fact": {"supported": 1}, "method": {"supported": 1}}


def test_a_histogram_counts_every_answer_whatever_the_spread() -> None:
    assert latencies(made_run()) == [0.25, 0.25, 0.25, 2.0]
    for values in ([0.25, 0.25, 2.0], [1.0], [0.0, 0.0], [0.0, 1000.0]):
        bars = histogram(values)
        assert len(values) == sum(bars.counts)
        assert all(low <= high for low, high in zip(bars.edges, bars.edges[1:], strict=False))


def test_the_worst_come_first_and_what_is_all_right_is_not_among_them() -> None:
    assert [case["id"] for _, case in worst(made_run())] == ["four", "two"]


def test_what_must_be_known_before_believing_is_said() -> None:
    run = made_run(({**CASES[0], "draft": True}, *CASES[1:]), about=replace(ABOUT, models=("m",), judge="m"))
    said = " ".join(cautions(run))
    assert "is the model that wrote the answers" in said
    assert "1 answer ended in an error" in said
    assert "Drafts that nobody has checked: 1 of 4 cases" in said
    assert "judge_faithfulness: what the judge said of 1 answer could not be had or read" in said


def test_the_page_holds_every_case_and_asks_nobody(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    for case in CASES:
        assert case["question"] in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", page)


def test_no_metric_is_made_up_where_there_is_no_value(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert not re.search(r"\bnan\b|>NaN", page)
    assert "None<" not in page
    assert "Faithful to what was sent, says the judge is unscored: unreadable" in page


@pytest.mark.parametrize("scores", [(), SCORES[:1], SCORES[3:]])
def test_a_run_of_no_case_one_case_or_errors_alone_has_its_reports(
    scores: tuple[CaseScore, ...], tmp_path: Path
) -> None:
    cases = [case for case in CASES if case["id"] in {score.id for score in scores}]
    write_reports(made_run(cases, {case["id"]: ANSWERS[case["id"]] for case in cases}, scores), tmp_path)
    assert {"report.html", "report.md", "junit.xml"} == {path.name for path in tmp_path.iterdir()}


def test_junit_fails_what_is_wrong_and_tells_errors_from_failures(tmp_path: Path) -> None:
    scores = (*SCORES[:2], replace(SCORES[2], values={"refused": 0.0}, violations=("numbers are [2]",)), SCORES[3])
    write_reports(made_run(scores=scores), tmp_path, ["ndcg@10>=0.9 fell: 0.85"])
    suites = {suite.get("name"): suite for suite in ET.parse(tmp_path / "junit.xml").getroot()}
    assert {"gates", "fact", "method", "offtopic"} == set(suites)
    assert tuple(suites["fact"].get(name) for name in ("tests", "failures", "errors")) == ("2", "0", "1")
    (failure,) = suites["offtopic"].iter("failure")
    assert failure.get("message") == "answered although nothing states it; numbers are [2]"
    assert next(suites["gates"].iter("failure")).get("message") == "ndcg@10>=0.9 fell: 0.85"


def test_junit_can_be_read_whatever_characters_the_data_holds(tmp_path: Path) -> None:
    cases = ({**CASES[0], "question": "a\x00b\x1b \ud800 <&>"},)
    write_reports(made_run(cases, ANSWERS, SCORES[:1]), tmp_path)
    (test,) = ET.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    assert "<&>" in (test.get("name") or "")


def test_markdown_shows_numbers_beside_the_baselines_and_data_letter_by_letter() -> None:
    text = as_markdown(made_run(about=replace(ABOUT, models=("a|b [x](javascript:1) <b>",))), ["facts>=0.9 fell"])
    assert "| nDCG@10 | 0.850 | 0.700 – 1.000 | 2 | 1 | 0.850 | 0.850 |" in text
    assert "- **facts\\>=0.9 fell**" in text
    assert "<b>" not in text
    assert "](" not in text.replace("\\](", "")


def big_run(number: int) -> Run:
    """Many cases with answers of usual length."""
    cases, answers, scores = [], {}, []
    body = "The method improves accuracy on several benchmarks by a wide margin over others [1]. " * 5
    for n in range(number):
        name = f"case-{n}"
        cases.append({**CASES[n % 3], "id": name, "question": f"What does the method number {n} improve?"})
        answers[name] = answer(name, [("a", float(n)), ("b", 1.0)], answer=body)
        scores.append(replace(SCORES[n % 3], id=name))
    return made_run(cases, answers, scores)


def test_a_thousand_cases_fit_in_five_megabytes(tmp_path: Path) -> None:
    write_report(big_run(1000), tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 5_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no chromium on this machine (Debian and Ubuntu: apt install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def opened(browser: Browser, path: Path, surprises: list[str], **options: Any) -> Page:
    """The page in the browser; what it asks for, says or fails in is put into `surprises`."""
    page = browser.new_page(**options)
    page.set_default_timeout(60_000)

    def asked(request: Request) -> None:
        if request.url != path.as_uri():
            surprises.append(request.url)

    def dismiss(dialog: Dialog) -> None:
        surprises.append(dialog.message)
        dialog.dismiss()

    page.on("request", asked)
    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: surprises.append(str(error)))
    page.on("console", lambda message: surprises.append(message.text))
    page.goto(path.as_uri())
    return page


def test_hostile_data_stays_text(browser: Browser, tmp_path: Path) -> None:
    # LightRAG PR#3437, open-webui#18387: stored scripts in titles, texts and links
    hostile = {
        "number": 1,
        "id": ATTACK,
        "title": ATTACK,
        "authors": [ATTACK],
        "year": None,
        "url": "javascript:alert(4)",
    }
    fields = {"answer": f"{ATTACK} [1]", "citations": [{**hostile, "source": ATTACK, "label": ATTACK}]}
    case = {
        **CASES[0],
        "type": f"fact\" onclick='alert(5)' {ATTACK}",
        "question": ATTACK,
        "answer": ATTACK,
        "facts": [ATTACK],
        "gold": [ATTACK],
        "quote": [ATTACK],
    }
    scores = (
        replace(SCORES[0], type=case["type"], values={ATTACK: 0.5}, unscored={"x": ATTACK}, violations=(ATTACK,)),
    )
    about = replace(ABOUT, models=(ATTACK,), judge=ATTACK, settings={"llm_model": ATTACK})
    for mode in ("llm", "quotes"):
        found = answer("one", [(ATTACK, 1.0)], mode=mode, **fields)
        write_report(made_run((case,), {"one": found}, scores, about), tmp_path / "report.html")
        surprises: list[str] = []
        page = opened(browser, tmp_path / "report.html", surprises)
        page.locator("#cases td.q button").click()
        assert (
            page.evaluate("[...document.querySelectorAll('img, iframe, [onerror], [onclick], a[href^=javascript]')]")
            == []
        )
        assert page.evaluate("document.scripts.length") == 1
        assert ATTACK in page.locator("#cases .more").inner_text()
        page.close()
        assert surprises == []


def test_cases_are_searched_filtered_sorted_and_opened(browser: Browser, tmp_path: Path) -> None:
    write_report(big_run(150), tmp_path / "report.html")
    surprises: list[str] = []
    page = opened(browser, tmp_path / "report.html", surprises)
    visible = page.locator("#cases tbody:visible")
    assert visible.count() == 100
    page.locator("#more").click()
    assert visible.count() == 150

    page.locator("#search").fill("number 77")
    assert visible.count() == 1
    page.locator("#cases tbody:visible td.q button").click()
    assert "It is so" not in page.locator("#cases tbody:visible .more").inner_text()
    assert "improves accuracy" in page.locator("#cases tbody:visible .more").inner_text()

    page.locator("#search").fill("")
    page.locator("#wrong").check()
    assert {"method"} == set(page.locator("#cases tbody:visible td.t").all_inner_texts())
    page.locator("#wrong").uncheck()
    page.locator("#cases th", has_text="nDCG").locator("button").click()
    assert page.locator("#cases tbody:visible td.m").first.inner_text() == "0.70"
    page.close()
    assert surprises == []


def test_the_page_fits_a_phone_and_text_stands_out_from_its_ground(browser: Browser, folder: Path) -> None:
    for scheme in ("light", "dark"):
        surprises: list[str] = []
        options = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme}
        page = opened(browser, folder / "report.html", surprises, **options)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(CONTRASTS) == []
        page.close()
        assert surprises == []


CONTRASTS = """() => {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => {
    const hex = style.getPropertyValue(name).trim().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
    return [1, 3, 5].map((n) => parseInt(hex.slice(n, n + 2), 16) / 255);
  };
  const light = (name) => colour(name).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const pairs = [];
  for (const ground of ["--paper", "--card"])
    for (const text of ["--ink", "--soft", "--link", "--good", "--warn", "--bad"]) pairs.push([text, ground, 4.5]);
  for (const n of [0, 1, 2, 3, 4]) pairs.push([`--onv${n}`, `--v${n}`, 4.5]);
  for (const n of [0, 1, 2]) pairs.push([`--s${n}`, "--paper", 3]);
  return pairs.filter(([a, b, least]) => contrast(a, b) < least).map(([a, b]) => `${a} on ${b}: ${contrast(a, b)}`);
}"""
