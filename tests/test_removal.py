"""What a person removes is gone, stays gone when its file is read again, and can be had back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest.pipeline import Options
from ingest.weeding import Weeded, undo, weed
from rag.doctor import examine_stores
from rag.errors import InputError
from rag.retrieve import search
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines
from tests.test_ingest import contents, counts


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    file = write_lines(tmp_path / "papers.jsonl", PAPERS)
    fill(tmp_path / "home", file)
    return file


def take(home: Path, *names: str, source: Sequence[str] = (), agree: bool = True) -> Weeded:
    return weed(settings_at(home), HashingEmbedder(), names, source, lambda *_: agree)


def held(home: Path) -> list[str]:
    return [abstract.id for abstract in contents(home)[0]]


def sound(home: Path) -> bool:
    library = open_shelf(home)
    failed = [check for check in examine_stores(library) if not check.ok]
    library.close()
    return failed == []


def test_an_abstract_is_removed_by_any_of_its_identifiers_from_both_stores(tmp_path: Path, papers: Path) -> None:
    library = open_shelf(tmp_path / "home")
    assert len(search(library, "radar and sleep")) == 3
    done = take(tmp_path / "home", "doi:10.48550/arxiv.1901.00001", "pmid:3300001")

    assert done.removed == ("arxiv:1901.00001", "pmid:3300001")
    assert [hit.abstract.id for hit in search(library, "radar and sleep")] == ["doi:10.1000/heron"]
    library.close()
    assert sound(tmp_path / "home")


def test_what_was_removed_does_not_come_back_until_it_is_asked_for(tmp_path: Path, papers: Path) -> None:
    take(tmp_path / "home", "doi:10.1000/heron")
    again = fill(tmp_path / "home", papers)
    assert counts(again) == {"read": 3, "same": 2, "rejected": 1}
    assert again.withheld == 1
    assert "--restore" in again.rejects[0].reason

    restored = fill(tmp_path / "home", papers, options=Options(restore=True))
    assert counts(restored) == {"read": 3, "new": 1, "same": 2}
    assert counts(fill(tmp_path / "home", papers)) == {"read": 3, "same": 3}


def test_undo_puts_back_the_last_removal_as_it_was_without_the_file(tmp_path: Path, papers: Path) -> None:
    before = {abstract.id: abstract for abstract in contents(tmp_path / "home")[0]}
    take(tmp_path / "home", "doi:10.1000/heron")
    take(tmp_path / "home", "pmid:3300001", "arxiv:1901.00001")
    papers.unlink()
    settings = settings_at(tmp_path / "home")

    assert undo(settings, HashingEmbedder()).restored == ("arxiv:1901.00001", "pmid:3300001")
    assert undo(settings, HashingEmbedder()).abstracts == 3
    assert before == {abstract.id: abstract for abstract in contents(tmp_path / "home")[0]}
    assert sound(tmp_path / "home")
    with pytest.raises(InputError, match="Nothing was removed"):
        undo(settings, HashingEmbedder())


def test_a_source_is_removed_but_not_what_others_have_too(tmp_path: Path, papers: Path) -> None:
    other = write_lines(tmp_path / "other.jsonl", [PAPERS[2], {"abstract": "A walrus sings under the ice."}])
    fill(tmp_path / "home", other)
    asked: list[int] = []

    def confirm(chosen: Any, abstracts: Sequence[Any]) -> bool:
        asked.extend([len(abstracts), chosen.shared])
        return True

    weed(settings_at(tmp_path / "home"), HashingEmbedder(), [], ["other.*"], confirm)
    assert asked == [1, 1]
    assert held(tmp_path / "home") == ["doi:10.1000/heron", "arxiv:1901.00001", "pmid:3300001"]


def test_nothing_is_removed_where_the_person_says_no_or_a_name_is_wrong(tmp_path: Path, papers: Path) -> None:
    assert take(tmp_path / "home", "doi:10.1000/heron", agree=False).removed == ()
    with pytest.raises(InputError, match=r"doi:10\.1000/nobody"):
        take(tmp_path / "home", "doi:10.1000/heron", "doi:10.1000/nobody")
    with pytest.raises(InputError, match=r"nowhere\.bib"):
        take(tmp_path / "home", source=["nowhere.bib"])
    assert len(held(tmp_path / "home")) == 3


def test_removing_one_paper_of_a_shared_text_keeps_the_others(tmp_path: Path) -> None:
    chapters = [{"title": t, "doi": f"10.1000/{t}", "abstract": "A book about birds."} for t in ("One", "Two")]
    file = write_lines(tmp_path / "book.jsonl", chapters)
    fill(tmp_path / "home", file)
    take(tmp_path / "home", "doi:10.1000/one")

    assert counts(fill(tmp_path / "home", file)) == {"read": 2, "same": 1, "rejected": 1}


def test_the_command_asks_and_speaks_json(tmp_path: Path, papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rag.commands.app import app
    from rag.console import status_of

    assert status_of(app, "rag", ["remove", "--home", str(tmp_path / "home")]) == 2
    assert "--undo" in capsys.readouterr().err
    empty = tmp_path / "empty"
    assert status_of(app, "rag", ["remove", "doi:10.1/x", "--yes", "--json", "--home", str(empty)]) == 1
    error = capsys.readouterr()
    assert (error.out, error.err.count("\n")) == ("", 1)
    assert json.dumps(str(empty))[1:-1] in error.err
    assert not empty.exists()
