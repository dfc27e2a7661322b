from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.pipeline import Options
from rag.errors import IndexUnusableError, SettingsError
from rag.filters import allowed, parse, year_range
from rag.library import Library
from rag.ranking.lexical import terms
from rag.retrieve import search
from rag.types import Filters
from tests.shelf import PAPERS, fill, open_shelf, write_lines

HERON, SOIL, SLEEP = "doi:10.1000/heron", "arxiv:1901.00001", "pmid:3300001"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("search")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    library = open_shelf(folder / "home")
    yield library
    library.close()


def found(library: Library, query: str, k: int = 10, **filters: object) -> list[str]:
    return [hit.abstract.id for hit in search(library, query, k, parse(filters))]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("which heads can be pruned from attention?", HERON),
        ("satellite radar and drought", SOIL),
        ("IL-6", SLEEP),
        ("Interleukin 6 and sleep", SLEEP),
    ],
)
def test_the_abstract_that_speaks_of_it_comes_first(library: Library, query: str, best: str) -> None:
    assert best == found(library, query)[0]


@pytest.mark.parametrize(
    "query",
    [
        'heads" OR NEAR(',
        "* AND OR NOT ^ : ( ) { }",
        "title:heron -pruning",
        "'; DROP TABLE abstract; --",
        "\0",
        "the of and",
        "β",
        "R^3 pi_0 (QA)^2 20'910",
        "注意力 検索 رطوبة",
        "😴",
        "word " * 2000,
    ],
)
def test_any_text_is_a_query(library: Library, query: str) -> None:
    assert len(found(library, query)) == 3


def test_the_same_query_gives_the_same_hits_every_time(library: Library) -> None:
    assert search(library, "radar sleep heads") == search(library, "radar sleep heads")


def test_k_above_the_number_of_abstracts_gives_what_there_is(library: Library) -> None:  # chroma#225
    assert len(found(library, "anything", 50)) == 3
    assert len(found(library, "anything", 1)) == 1


def test_a_hit_tells_its_ranks_and_the_span_that_matched(library: Library) -> None:
    hit = search(library, "satellite radar random forest")[0]

    assert (hit.ranks.dense, hit.ranks.lexical) == (1, 1)
    assert "radar" in hit.abstract.text[hit.passage.start : hit.passage.end]


def test_an_empty_shelf_says_how_to_fill_it(tmp_path: Path) -> None:
    fill(tmp_path / "home", tmp_path / "missing.txt")

    with pytest.raises(IndexUnusableError, match=r"empty.*python -m ingest"):
        search(open_shelf(tmp_path / "home"), "anything")


def test_a_missing_shelf_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError, match=r"no index.*python -m ingest"):
        open_shelf(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"year": "2021"}, [HERON]),
        ({"year": 2019}, [SOIL]),
        ({"year": "2020-"}, [HERON, SLEEP]),
        ({"year": "-2020"}, [SOIL]),
        ({"author": "ada lum"}, [HERON, SLEEP]),
        ({"author": ["field", "CHEN"]}, [HERON, SOIL]),
        ({"keyword": "Attention"}, [HERON]),
        ({"keyword": "atten"}, []),
        ({"source": "papers.jsonl"}, [HERON, SOIL, SLEEP]),
        ({"id": ["10.1000/heron", SLEEP]}, [SLEEP]),
        ({"author": "lum", "year": "2023"}, [SLEEP]),
    ],
)
def test_a_filter_passes_exactly_what_fits(library: Library, filters: dict[str, object], expected: list[str]) -> None:
    # llama_index#17059
    assert expected == allowed(library.catalogue, parse(filters))
    assert set(expected) == set(found(library, "radar sleep heads", 10, **filters))


def test_a_filter_is_applied_before_the_cut(library: Library) -> None:  # chroma#2251
    assert found(library, "attention heads pruned", 1, year="2023") == [SLEEP]


def test_no_filter_restricts_nothing(library: Library) -> None:
    assert allowed(library.catalogue, Filters()) is None


@pytest.mark.parametrize("text", ["", "twenty", "2023-2019", "19-20-21"])
def test_a_year_that_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        year_range(text)
    assert "\n" not in str(caught.value)


def test_terms_keep_compounds_whole_and_drop_function_words() -> None:
    assert terms("What of the IL-6 and R^3, or pi_0 in 20'910?") == ["il-6", "r^3", "pi_0", "20'910"]
    assert terms("What is the") == ["what", "is", "the"]


def test_titles_alone_can_be_found(tmp_path: Path) -> None:
    papers = write_lines(tmp_path / "p.jsonl", [{"title": "Penguins and their pebbles"}, *PAPERS])
    fill(tmp_path / "home", papers, options=Options(titles=True))

    hit = search(open_shelf(tmp_path / "home"), "pebbles of penguins")[0]
    assert hit.abstract.title == "Penguins and their pebbles"


def test_the_python_interface_is_the_package_itself(library: Library) -> None:
    import rag

    assert rag.search(library, "radar") == search(library, "radar")
    assert rag.ask(library, rag.Question("How is soil moisture estimated from satellite radar?")).status == "answered"
    assert set(rag.__all__) == set(rag._HOMES)
    with pytest.raises(AttributeError):
        _ = rag.nothing


def test_as_many_abstracts_are_found_as_are_asked_for(tmp_path: Path) -> None:
    sentences = " ".join(f"Beetle number {n} eats oak leaves in the wood." for n in range(12))
    papers = [{"id": f"p{n}", "abstract": f"Paper {n}. {sentences}"} for n in range(60)]
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", papers))
    library = open_shelf(tmp_path / "home")
    found = [len(search(library, "zebra", k)) for k in (30, 60, 300)]
    library.close()
    assert found == [30, 60, 60]
