"""The library page on more than a page of abstracts, run without a browser; the map of a large shelf."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ingest.pipeline import ingest
from rag.answer import ask
from rag.atlas.map import Map
from rag.bench.shelves import SeededVectors
from rag.conversations import Conversations
from rag.embedding import make_embedder
from rag.library import open_library
from rag.types import Question
from rag.ui.library import adding, charts
from tests.shelf import PAPERS, settings_at, write_lines
from tests.test_app import Start
from tests.test_app_pages import HERON, button, labels, start, text_of, until_done
from tests.test_dedupe import OTHER, PAPER, PREPRINT

__all__ = ["start"]  # a fixture

MANY = 60
RADAR = PAPERS[1]["abstract"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    settings = settings_at(folder / "home")
    more = [
        {
            "title": f"Paper number {n}",
            "abstract": f"Station {n} measures rain. It does so by day {n}.",
            "authors": ["Ann Even" if n % 2 == 0 else "Bob Odd"],
            "year": 2000 + n % 10,
            "retracted": n % 20 == 0,
        }
        for n in range(MANY - len(PAPERS))
    ]
    files = write_lines(folder / "papers.jsonl", PAPERS), write_lines(folder / "more.jsonl", more)
    ingest([str(file) for file in files], settings, SeededVectors(make_embedder(settings)))
    return folder / "home"


def rows(page: AppTest) -> list[Any]:
    return [one for one in page.button if (one.key or "").startswith("paper-")]


def test_a_page_has_as_many_rows_however_many_abstracts_there_are(start: Start, home: Path) -> None:
    """haiku.rag#184: thousands of rows in one list froze the viewer."""
    page = start(home, "library")
    assert "60 abstracts" in text_of(page)
    assert "Page 1 of 3" in text_of(page)
    assert len(rows(page)) == 25
    first = labels(page)
    page.button(key="look-on").click().run()
    assert "Page 2 of 3" in text_of(page)
    assert not {one for one in first if "number" in one} & {one for one in labels(page) if "number" in one}
    page.button(key="look-on").click().run()
    assert len(rows(page)) == 10
    assert page.button(key="look-on").disabled


def test_the_list_is_narrowed_by_years_author_file_and_retraction(start: Start, home: Path) -> None:
    page = start(home, "library")
    page.text_input(key="look-author").set_value("even").run()
    assert "29 of 60 abstracts" in text_of(page)
    page.checkbox(key="look-retracted").check().run()
    assert "3 of 60 abstracts" in text_of(page)
    page.slider[0].set_range(2021, 2023).run()
    assert "0 of 60 abstracts" in text_of(page)
    page.checkbox(key="look-retracted").uncheck().run()
    page.text_input(key="look-author").set_value("").run()
    assert "2 of 60 abstracts" in text_of(page)
    page.multiselect(key="look-files").set_value(["more.jsonl"]).run()
    assert "0 of 60 abstracts" in text_of(page)
    assert not page.exception


def test_what_is_counted_by_year_and_file_stands_beside_the_filters(start: Start, home: Path) -> None:
    page = start(home, "library")
    assert "more.jsonl 57, papers.jsonl 3" in text_of(page).replace("\\", "")
    assert page.get("arrow_vega_lite_chart") or page.get("vega_lite_chart")


def test_a_map_of_a_large_shelf_draws_some_of_it_and_all_sources_of_the_answer() -> None:
    count = 20_000
    points = np.random.default_rng(7).uniform(-1, 1, (count, 2)).astype(np.float32)
    ids = tuple(f"sha-{n}" for n in range(count))
    found = Map(ids, points, tuple(n % 3 for n in range(count)), ("a", "b", "c"))
    marked = {"sha-1": 1, "sha-4001": 2}
    layers = charts.chart(found, {}, marked, charts.LIGHT).layer
    drawn = {row["id"] for row in layers[0].data.to_dict("records")}
    assert charts.DRAWN <= len(drawn) <= charts.DRAWN + len(marked)
    assert set(marked) <= drawn
    assert {row["id"]: row["number"] for row in layers[1].data.to_dict("records")} == {"sha-1": "1", "sha-4001": "2"}
    assert f"One in {count // charts.DRAWN} is shown." in charts.legend(found, marked)


def test_a_map_of_a_small_shelf_draws_all_of_it(start: Start, home: Path) -> None:
    page = start(home, "library", {"view": "Map"})
    assert "Click a dot to open it." in text_of(page)
    assert "is shown" not in text_of(page)


def test_the_sources_of_the_answer_seen_last_are_marked_on_the_map(start: Start, home: Path) -> None:
    store, library = Conversations(home), open_library(settings_at(home))
    chat = store.begin()
    store.ask(chat, "How much of the accuracy does Heron keep?")
    turn = store.claim(chat)
    assert turn is not None
    answer = ask(library, Question(turn.question))
    store.finish(turn.id, answer, {})
    library.close()
    store.close()
    assert HERON in [citation.id for citation in answer.citations]
    page = start(home, "library", {"view": "Map"})
    assert "Rings" not in text_of(page)
    page.session_state[charts.CURRENT] = chat
    page.run()
    assert "Rings: the sources of the answer you saw last." in text_of(page)


def test_files_are_kept_inside_the_shelf_whatever_they_are_called(tmp_path: Path) -> None:
    names = ("../../up.txt", "..\\..\\up.txt", ".env", "/etc/passwd", "<img src=x>.txt", "..")
    files: Any = [SimpleNamespace(name=name, getvalue=lambda: b"words") for name in names]
    kept = adding.keep(files, tmp_path)
    assert {path.parent for path in kept} == {tmp_path / adding.FOLDER}
    assert not any(path.name.startswith(".") for path in kept)


def test_two_shelves_stand_in_the_list_and_the_other_is_used(start: Start, home: Path) -> None:
    (home / "shelves" / "Second").mkdir(parents=True)
    page = start(home, "library", {"view": "Shelves"})
    assert "**Main shelf** · 60 abstracts" in text_of(page)
    assert "**Second** · empty" in text_of(page)
    button(page, "Use").click().run()
    assert page.query_params["shelf"] in ("Second", ["Second"])
    assert "There is no index" in text_of(page)


def test_an_upload_says_what_was_merged_what_conflicts_and_what_is_alike(start: Start, tmp_path: Path) -> None:
    rewritten = {**PAPER, "arxiv_id": PREPRINT["arxiv_id"], "title": "Fences for plovers"}
    foreign = {**rewritten, "doi": "10.1000/supplement", "abstract": OTHER}
    chapters = [{"title": "Introduction", "doi": f"10.1000/book{n}", "abstract": RADAR} for n in range(2)]
    uploads = [
        write_lines(tmp_path / "first.jsonl", [PREPRINT, *chapters]),
        write_lines(tmp_path / "sec*ond*.jsonl", [rewritten, foreign]),
    ]
    shelf = tmp_path / "home"
    ingest(
        [str(write_lines(tmp_path / "papers.jsonl", PAPERS[:1]))], settings_at(shelf), make_embedder(settings_at(shelf))
    )
    page = start(shelf, "library", {"view": "Add files"})
    page.file_uploader[0].set_value([(file.name, file.read_bytes(), "text/plain") for file in uploads]).run()
    button(page, "Add 2 files").click().run()
    until_done(page, "Read 5 records")
    assert "merged" in page.success[0].value
    told = {one.label: one.markdown[0].value.replace("\u2060", "").replace("\\:", ":") for one in page.expander}
    second = r"**sec\*ond\*.jsonl"
    assert told["Merged (1)"].startswith(f"{second}:1** with **first.jsonl:1**: ")
    assert told["Other text than before (1)"].startswith(f"{second}:2** with ")
    assert told["Alike, and kept apart (1)"].startswith("**first.jsonl:2** and **first.jsonl:3**: ")
