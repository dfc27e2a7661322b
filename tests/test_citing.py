"""Each citation of an answer is the source that says so; named threads are the reports these tests come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.answer import ask, stream
from rag.filters import parse
from rag.library import Library
from rag.retrieve import search
from rag.types import Delta, Question
from tests.contract import keeps_the_contract
from tests.fake_llm import MODEL, FakeLLM, Say
from tests.shelf import PAPERS, fill, open_shelf, write_lines

ANIMALS = ("otter", "badger", "heron", "lynx", "stoat")
FARMS: list[dict[str, Any]] = [
    {
        "title": f"The {animal} on farms",
        "abstract": f"Farms attract wild animals. The {animal} visits {20 + 7 * n} farms a year. No fence stops it.",
        "authors": [f"Lum, A. {n}", "Žižek, {B}"],
        "year": 2001 + n,
        "doi": f"10.1000/farm.{n}(a)",
        "url": f"https://example.org/farm?n={n}&x=[1]",
    }
    for n, animal in enumerate(ANIMALS)
]
OTHERS = [
    {"title": f"Rock {n}", "abstract": f"Rock number {n} is old granite. It was weighed {n} times in a quarry."}
    for n in range(45)
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("citing")
    fill(folder / "home", write_lines(folder / "papers.jsonl", [*FARMS, *OTHERS]))
    return folder / "home"


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    library = open_shelf(home)
    yield library
    library.close()


def facts_in_reverse(body: dict[str, Any]) -> Say:
    """The fact of each animal with the number of its abstract, the last abstract of the prompt first."""
    found = re.findall(
        r'<abstract number="(\d)">(?:(?!</abstract>).)*?(The \w+ visits \d+ farms a year)\.',
        body["messages"][1]["content"],
        re.S,
    )
    return Say(" ".join(f"{fact} [{number}]." for number, fact in reversed(found)))


# open-webui#11204, ragflow#8594, open-webui#12655
def test_five_facts_of_five_papers_get_five_citations_each_its_own(home: Path) -> None:
    with FakeLLM(otherwise=facts_in_reverse) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        answer = ask(library, Question("How many farms a year do wild animals visit?"))
        cited = [library.catalogue.get(citation.id) for citation in answer.citations]
        if library.llm:
            library.llm.close()
        library.close()

    assert keeps_the_contract(answer)
    assert len({citation.id for citation in answer.citations}) == len(ANIMALS)
    for sentence, abstract in zip(answer.sentences, cited, strict=True):
        assert abstract is not None
        assert sentence.text in abstract.text
        assert (sentence.verdict, {evidence.id for evidence in sentence.evidence}) == ("supported", {abstract.id})


@pytest.mark.parametrize(("number", "animal"), list(enumerate(ANIMALS)))
def test_each_of_fifty_papers_is_quoted_for_its_own_fact(library: Library, number: int, animal: str) -> None:
    answer = ask(library, Question(f"How many farms does the {animal} visit a year?"))
    assert answer.citations[0].title == f"The {animal} on farms"
    assert f"{20 + 7 * number} farms" in answer.answer


# llama_index#17439, llama_index#13536
def test_two_sentences_of_one_abstract_have_places_of_their_own(library: Library) -> None:
    answer = ask(library, Question("Which farms does the otter visit, and do fences stop it?"))
    places = [evidence for sentence in answer.sentences for evidence in sentence.evidence]
    assert len({(place.id, place.start) for place in places}) == len(places) >= 2
    for place in places:
        abstract = library.catalogue.get(place.id)
        assert abstract is not None
        assert abstract.text[place.start : place.end] == place.quote


# mito PR#1646, fojin PR#1060
def test_the_entry_of_a_source_is_what_its_record_says(library: Library) -> None:
    (citation, *_) = ask(library, Question("How many farms does the stoat visit a year?")).citations
    record = FARMS[4]
    assert citation.id == f"doi:{record['doi']}"
    assert (citation.title, list(citation.authors), citation.year, citation.url) == (
        record["title"],
        record["authors"],
        record["year"],
        record["url"],
    )


# gmickel/gno PR#142
def test_a_citation_that_does_not_hold_stays_in_text_sentences_and_list_alike(home: Path) -> None:
    with FakeLLM(Say("The otter visits 20 farms a year [1][2].")) as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        answer = ask(library, Question("How many farms does the otter visit a year?"))
        if library.llm:
            library.llm.close()
        library.close()

    assert keeps_the_contract(answer)
    assert answer.answer == "The otter visits 20 farms a year [1][2]."
    assert ([c.number for c in answer.citations], answer.sentences[0].citations) == ([1, 2], (1, 2))


# llama_index#11698
def test_a_stream_over_nothing_found_says_so_and_ends(home: Path) -> None:
    with FakeLLM() as fake:
        library = open_shelf(home, llm_model=MODEL, openai_base_url=fake.url)
        answering = stream(library, Question("otter", filters=parse({"year": "1900"})))
        shown = [piece.text for piece in answering if isinstance(piece, Delta)]
        library.close()

    assert fake.asked == []
    assert "".join(shown) == answering.answer.answer
    assert (answering.answer.status, answering.answer.citations) == ("not_found", ())


# llama_index#19568, bm25s#116
def test_more_hits_are_asked_for_than_there_are_abstracts(tmp_path: Path) -> None:
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS[:2]))
    library = open_shelf(tmp_path / "home")
    assert len(search(library, "radar heads", 10)) == 2
    library.close()


# A citation prompt that demands at least one citation fights saying no.
def test_a_question_about_none_of_five_abstracts_cites_none_of_them(library: Library) -> None:
    answer = ask(library, Question("Which wine goes with roast goose?"))
    assert (answer.status, answer.reason, answer.citations) == ("not_found", "nothing_relevant", ())
