"""What a search costs does not grow with what it has done before, and it never touches what it does not need."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rag.answer import ask
from rag.catalogue import FILE_NAME
from rag.retrieve import search
from rag.types import Filters, Question
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import fill, open_shelf, write_lines

NUMBER = 400


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scale")
    papers = (
        {"id": f"p{n}", "abstract": f"Beetle {n} eats {n % 37} leaves of oak. It sleeps in bark."}
        for n in range(NUMBER)
    )
    fill(folder / "home", write_lines(folder / "papers.jsonl", papers))
    return folder / "home"


def test_a_search_writes_and_indexes_nothing(home: Path) -> None:  # open-webui#8579
    library = open_shelf(home)
    search(library, "beetle bark")
    with sqlite3.connect(home / FILE_NAME) as watcher:
        before = watcher.execute("PRAGMA data_version").fetchone()
        for n in range(20):
            search(library, f"beetle {n} oak")
        assert watcher.execute("PRAGMA data_version").fetchone() == before
    watcher.close()
    library.close()


def test_a_search_reads_the_texts_of_its_hits_alone(home: Path) -> None:  # open-webui#28679
    library = open_shelf(home)
    search(library, "beetle bark")
    statements: list[str] = []
    library.catalogue.connection.set_trace_callback(statements.append)
    search(library, "beetle 7 oak", k=3)
    library.catalogue.connection.set_trace_callback(None)
    library.close()
    texts = [s for s in statements if "FROM abstract WHERE id IN" in s and s.startswith("SELECT *")]
    assert len(texts) == 1
    assert texts[0].count("'") == 2 * 3  # three ids
    assert not [s for s in statements if "FROM abstract" in s and "WHERE" not in s and "count" not in s]


def test_nothing_found_is_never_sent_to_a_model(home: Path) -> None:  # haiku.rag changelog: empty results
    with FakeLLM(otherwise=Say("Oak [1].")) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        answer = ask(library, Question("Which beetle eats oak?", filters=Filters(year="1850")))
        library.close()
        assert fake.asked == []
    assert (answer.status, answer.reason, answer.hits) == ("not_found", "nothing_relevant", ())
