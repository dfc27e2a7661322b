"""Looking through a shelf, its map, and several shelves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag import browse, origins, reach, shelves
from rag.atlas.map import map_of
from rag.atlas.projection import project
from rag.atlas.topics import name_topics
from rag.errors import InputError
from rag.library import Library
from rag.types import Abstract, Filters
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines

HERON = "doi:10.1000/heron"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("shelf")
    more = {"title": "A retracted paper", "year": 2022, "abstract": "Nothing of it was true.", "retracted": True}
    fill(
        folder / "home",
        write_lines(folder / "one.jsonl", PAPERS),
        write_lines(folder / "two.jsonl", [{"abstract": "No title and no year stand here."}, more]),
    )
    library = open_shelf(folder / "home")
    yield library
    library.close()


def titles(found: browse.Found) -> list[str]:
    return [abstract.label for abstract in found.abstracts]


def test_abstracts_come_a_page_at_a_time_in_the_order_of_storing(library: Library) -> None:
    first = browse.look(library.catalogue, "", Filters(), 0, 2)
    second = browse.look(library.catalogue, "", Filters(), 2, 2)
    assert first.total == second.total == 5
    assert titles(first)[0] == "Heron: pruning retrieval heads"
    assert set(titles(first)).isdisjoint(titles(second))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("radar", ["Soil moisture from satellite radar"]),
        ("satel", ["Soil moisture from satellite radar"]),
        ("IL-6 rest", ["Interleukin 6 and sleep"]),
        ('"heron" AND (', ["Heron: pruning retrieval heads"]),
        ("heron radar", []),
    ],
)
def test_all_words_must_be_there_whatever_signs_stand_between(
    library: Library, words: str, expected: list[str]
) -> None:
    assert titles(browse.look(library.catalogue, words.replace(" AND (", ""), Filters(), 0, 10)) == expected


def test_filters_narrow_a_search(library: Library) -> None:
    assert titles(browse.look(library.catalogue, "", Filters(year="2023-"), 0, 10)) == ["Interleukin 6 and sleep"]
    assert browse.look(library.catalogue, "heron", Filters(author=("field",)), 0, 10).total == 0
    assert browse.look(library.catalogue, "", Filters(source=("two.jsonl",)), 0, 10).total == 2


def test_retracted_papers_are_known(library: Library) -> None:
    (retracted,) = browse.retracted(library.catalogue)
    assert browse.retracted_among(library.catalogue, [HERON, retracted]) == {retracted}
    assert browse.look(library.catalogue, "", Filters(), 0, 10, only=[retracted]).total == 1


def test_files_and_years_are_counted(library: Library) -> None:
    assert browse.files(library.catalogue) == [("one.jsonl", 3), ("two.jsonl", 2)]
    assert browse.years(library.catalogue) == [(2019, 1), (2021, 1), (2022, 1), (2023, 1), (None, 1)]


def test_a_paper_is_opened_by_any_of_its_names_with_its_passages(library: Library) -> None:
    paper = browse.paper(library.catalogue, "10.1000/heron") or browse.paper(library.catalogue, HERON)
    assert paper is not None
    assert paper.abstract.id == HERON
    texts = [paper.abstract.text[passage.start : passage.end] for passage in paper.passages]
    assert texts[0] == paper.abstract.text
    assert "Heron keeps 98.2% of the accuracy with 40% of the heads." in texts
    assert browse.paper(library.catalogue, "doi:10.1000/nothing") is None


def test_the_map_holds_every_abstract_within_its_frame(library: Library) -> None:
    found = map_of(library.catalogue, library.index)
    assert found is not None
    assert sorted(found.ids) == sorted(library.catalogue.ids())
    assert np.abs(found.points).max() <= 1
    assert len(found.topics) == len(found.ids)
    assert all(found.names)


def test_a_map_is_the_same_each_time_and_tells_groups_apart() -> None:
    random = np.random.default_rng(7)
    centres = random.normal(size=(4, 40))
    rows = np.concatenate([centre + 0.15 * random.normal(size=(60, 40)) for centre in centres]).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    first, second = project(rows), project(rows)
    assert np.array_equal(first.points, second.points)
    groups = [set(first.topics[start : start + 60]) for start in range(0, 240, 60)]
    assert sum(map(len, groups)) == len(set(first.topics))  # no topic holds members of two groups


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_abstracts_can_be_placed_too(count: int) -> None:
    found = project(np.eye(count, 8, dtype=np.float32))
    assert found.points.shape == (count, 2)
    assert np.isfinite(found.points).all()


def test_a_topic_is_named_by_what_others_lack() -> None:
    def group(*texts: str) -> list[Abstract]:
        return [Abstract(id=text, text=text, raw=text) for text in texts]

    names = name_topics(
        [
            group("Robots grasp cups.", "A robot grasps a ball with BERT."),
            group("Proteins fold and bind.", "How a protein folds with BERT."),
        ],
        2,
    )
    first, second = (name.split(", ") for name in names)
    assert any(word.startswith("grasp") for word in first)
    assert any(word.startswith("fold") for word in second)
    assert "BERT" not in {*first, *second}


def test_shelves_are_made_listed_and_named(tmp_path: Path) -> None:
    fill(tmp_path, write_lines(tmp_path / "papers.jsonl", PAPERS))
    home = shelves.make(tmp_path, "  Sleep  studies ")
    assert [(one.name, one.abstracts) for one in shelves.shelves(tmp_path)] == [("", 3), ("Sleep studies", None)]
    assert shelves.home_of(tmp_path, "Sleep studies") == home
    with pytest.raises(InputError, match="already"):
        shelves.make(tmp_path, "Sleep studies")


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "a\\b", "x" * 61, "end."])
def test_what_leads_elsewhere_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="no name"):
        shelves.home_of(tmp_path, name)


def test_settings_say_where_they_come_from_and_hide_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-0123456789abcdef0123"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    env = tmp_path / ".env"
    env.write_text("FOOTNOTE_TOP_K=5\n")
    known = {one.name: one for one in origins.origins(settings_at(tmp_path, openai_api_key=key, top_k=5), env)}
    assert (known["OPENAI_API_KEY"].value, known["OPENAI_API_KEY"].place) == ("…0123", "environment")
    assert (known["FOOTNOTE_TOP_K"].value, known["FOOTNOTE_TOP_K"].place) == ("5", ".env")
    assert known["FOOTNOTE_EMBED_MODEL"].place == "default"
    assert key not in str(known)


@pytest.mark.parametrize(
    ("values", "hosts"),
    [
        ({}, []),
        ({"llm_model": "m", "openai_base_url": "http://127.0.0.1:1/v1"}, []),
        ({"llm_model": "m", "openai_base_url": "http://[::1]:1/v1"}, []),
        ({"llm_model": "m"}, ["api.openai.com"]),
        ({"embed_model": "openai:e", "embed_base_url": "https://e.example/v1"}, ["e.example"]),
        ({"chroma_url": "http://localhost:8000"}, []),
    ],
)
def test_who_is_sent_something_is_known_beforehand(tmp_path: Path, values: dict[str, str], hosts: list[str]) -> None:
    assert [one.host for one in reach.recipients(settings_at(tmp_path, **values))] == hosts
