from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingest.mending import Repair, mend
from ingest.pipeline import ingest
from rag.catalogue import FILE_NAME, Catalogue
from rag.doctor import Check, examine, examine_stores
from rag.doctoring.lock import HOLDER, lock
from rag.doctoring.surroundings import language_model
from rag.library import Library, store_place
from rag.vectors import VectorStore
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines
from tests.test_ingest import contents
from tests.web import Reply, as_json, in_turn, served


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS))
    return tmp_path / "home"


def checks(home: Path) -> list[Check]:
    library = open_shelf(home)
    found = [lock(home), *examine_stores(library)]
    library.close()
    return found


def failing(home: Path) -> list[str]:
    return [check.name for check in checks(home) if not check.ok]


def mended(home: Path) -> list[Repair]:
    return mend(settings_at(home), checks(home), HashingEmbedder())


def sql(home: Path, *statements: str) -> None:
    """Change the catalogue behind Footnote's back; what refers to a row that goes is left dangling."""
    with sqlite3.connect(home / FILE_NAME) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


STORE = """
import sys
from pathlib import Path
from rag.catalogue import Catalogue
from rag.library import store_place
from rag.vectors import Row, VectorStore
from tests.shelf import settings_at
home = Path(sys.argv[1])
store = VectorStore(store_place(settings_at(home), Catalogue(home)))
row = next(store.rows(store.ids()[:1]))
"""


def in_store(home: Path, change: str) -> None:
    """Change the vector store behind Footnote's back, in a process of its own."""
    code = f"{STORE}{change}\nstore.close()"
    subprocess.run([sys.executable, "-c", code, str(home)], check=True, timeout=60, cwd=Path(__file__).parent.parent)


def test_a_sound_shelf_has_nothing_to_mend(home: Path) -> None:
    assert failing(home) == []
    assert mended(home) == []


DAMAGE: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "an FTS row of another text": (
        (
            "INSERT INTO lexical (lexical, rowid, title, text, keywords) "
            "SELECT 'delete', key, title, text, keywords FROM abstract WHERE key = 1",
            "INSERT INTO lexical (rowid, title, text, keywords) VALUES (1, 'x', 'something else', '[]')",
        ),
        ["full text"],
    ),
    "an FTS index that is empty": (("INSERT INTO lexical (lexical) VALUES ('delete-all')",), ["full text"]),
    "passages that are gone": (("DELETE FROM passage WHERE abstract = 2",), ["passages", "kept vectors", "counts"]),
    "a passage of another range": (
        ("UPDATE passage SET end = end - 5 WHERE abstract = 1 AND number = 2",),
        ["vectors"],
    ),
    "vectors that are gone": (("DELETE FROM vector WHERE abstract = 3",), ["kept vectors"]),
    "vectors cut off": (("UPDATE vector SET matrix = substr(matrix, 1, 100) WHERE abstract = 3",), ["kept vectors"]),
    "vectors of zeros": (
        ("UPDATE vector SET matrix = zeroblob(length(matrix)) WHERE abstract = 3",),
        ["kept vectors", "vectors"],
    ),
    "an ingest cut off while it wrote": (("UPDATE meta SET value = '1' WHERE key = 'dirty'",), ["unfinished"]),
    "abstracts that wait": (("UPDATE abstract SET stored = 0 WHERE key = 1",), ["unfinished"]),
    "words not entered": (("DELETE FROM learnt WHERE abstract = 1",), ["words"]),
    "rows of no abstract": (("PRAGMA foreign_keys = OFF", "INSERT INTO alias VALUES ('file:x', 99)"), ["references"]),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_catalogue_is_seen_and_mended(what: str, home: Path) -> None:
    before = contents(home)
    statements, names = DAMAGE[what]
    sql(home, *statements)

    assert set(names) <= set(failing(home))
    repairs = mended(home)
    assert [repair for repair in repairs if not repair.done] == []
    assert failing(home) == []
    assert contents(home) == before


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("store.delete(store.ids()[:3])", "counts"),
        ("store.upsert([Row('ghost#0', 'x', row.vector, 'ghost', 0, 1)])", "counts"),
        (
            "store.upsert([Row(row.id, 'other', row.vector, row.abstract, 0, 1)])",
            "vectors",
        ),
        (
            "store.upsert([Row(row.id, row.text, -row.vector, row.abstract, 0, 1)])",
            "vectors",
        ),
    ],
    ids=["passages gone", "a passage too many", "another text", "another vector"],
)
def test_a_store_that_differs_is_seen_and_built_anew(change: str, name: str, home: Path) -> None:  # chroma#7678, #5366
    before = contents(home)
    in_store(home, change)

    assert name in failing(home)
    (repair,) = mended(home)
    assert (repair.done, "built anew" in repair.detail) == (True, True)
    assert failing(home) == []
    assert contents(home) == before


def test_a_store_with_its_file_cut_off_is_built_anew(home: Path) -> None:
    before = contents(home)
    (file,) = (home / "chroma").rglob("chroma.sqlite3")
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // 3)

    assert "counts" in failing(home)
    assert [repair.done for repair in mended(home)] == [True]
    assert failing(home) == []
    assert contents(home) == before


def test_a_store_that_is_gone_is_built_anew(home: Path) -> None:
    import shutil

    shutil.rmtree(home / "chroma")

    assert "counts" in failing(home)
    assert [repair.done for repair in mended(home)] == [True]
    assert failing(home) == []


def test_a_text_that_was_changed_is_seen_and_left_to_its_file(home: Path) -> None:
    sql(home, "UPDATE abstract SET raw = 'Something nobody wrote.' WHERE key = 1")

    (check,) = [check for check in checks(home) if not check.ok]
    assert (check.name, "doi:10.1000/heron" in check.detail) == ("texts", True)
    assert mended(home) == []


def test_a_catalogue_with_a_page_overwritten_says_so_in_one_line(home: Path, tmp_path: Path) -> None:
    file = home / FILE_NAME
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(os.urandom(file.stat().st_size // 2))
    found = examine(settings_at(home))

    assert [check for check in found if check.name == "catalogue" and not check.ok]
    assert all("\n" not in check.detail for check in found)
    assert all(not repair.done for repair in mend(settings_at(home), found, HashingEmbedder()))


def test_a_missing_shelf_is_not_made_by_mending_it(tmp_path: Path) -> None:
    settings = settings_at(tmp_path / "nowhere")

    assert mend(settings, examine(settings), HashingEmbedder()) == []
    assert not (tmp_path / "nowhere").exists()


WRITER = """
import sys, time
from pathlib import Path
from ingest.lock import writing
with writing(Path(sys.argv[1])):
    print("writing", flush=True)
    time.sleep(60)
"""


def test_a_lock_names_its_holder_while_it_lives_and_is_cleared_when_it_died(home: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(home)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        alive = lock(home)
        writer.send_signal(signal.SIGKILL)
    dead = lock(home)

    assert alive.ok
    assert f"an ingest is running: process {writer.pid} " in alive.detail
    assert not dead.ok
    assert f"process {writer.pid} " in dead.detail
    assert [repair.name for repair in mended(home)] == ["lock"]
    assert not (home / HOLDER).exists()
    assert lock(home).ok


# --- records that look wrong ---


def paper(title: str, text: str, n: int) -> dict[str, Any]:
    return {"title": title, "abstract": text, "doi": f"10.1000/{n}"}


def findings(tmp_path: Path, papers: list[dict[str, Any]]) -> tuple[str, ...]:
    fill(tmp_path / "suspects", write_lines(tmp_path / "suspects.jsonl", papers))
    library = open_shelf(tmp_path / "suspects")
    (check,) = [check for check in examine_stores(library) if check.name == "suspicious"]
    library.close()
    assert check.ok
    return check.findings


SOUND = [
    paper(
        f"The {a} of {b} number {n}",
        f"We measured the {a} of a {b} in trial {n}. The {a} rose by {n} percent there.",
        n,
    )
    for n, (a, b) in enumerate(
        (a, b)
        for a in ("sleep", "radar", "glacier", "pollen", "enzyme")
        for b in ("quartz", "kernel", "orbit", "tensor", "reef")
    )
]


def test_sound_records_are_not_suspected(tmp_path: Path) -> None:
    assert findings(tmp_path, SOUND) == ()


def test_one_text_under_several_papers_is_told(tmp_path: Path) -> None:
    blurb = "This volume gathers essays by leading scholars of the field. It is a must for every library of repute."
    papers = [*SOUND, *(paper(f"Chapter {n} on essays", blurb, 100 + n) for n in range(4))]

    assert findings(tmp_path, papers) == (
        "one text: under 4 papers: doi:10.1000/100, doi:10.1000/101, doi:10.1000/102, doi:10.1000/103",
    )


def test_a_text_of_sentences_that_others_share_is_boilerplate(tmp_path: Path) -> None:
    shared = "The full text of this article is available to subscribers of the journal online only."
    papers = [paper(f"On the quartz {n}", f"{SOUND[n]['abstract']} {shared}", 200 + n) for n in range(3)]
    blurb = paper("A quartz to subscribers", f"{shared} Enjoy reading it.", 300)

    assert "boilerplate: doi:10.1000/300" in findings(tmp_path, [*SOUND[3:], *papers, blurb])


def test_an_abstract_under_another_papers_title_is_told(tmp_path: Path) -> None:  # allenai/s2-folks#159
    papers = [
        *SOUND,
        paper(
            "Liver fibrosis markers in children", "Quartz kernels orbit tensors. Tensors of quartz orbit a reef.", 400
        ),
    ]

    assert findings(tmp_path, papers) == ("title: does not fit the abstract: doi:10.1000/400",)


# --- the model server ---


def model(url: str, key: str | None = None) -> Check:
    return language_model(settings_at(Path("x"), llm_model="tiny", openai_base_url=url, openai_api_key=key))


@pytest.mark.parametrize(
    ("reply", "ok", "said"),
    [
        (as_json({"data": [{"id": "tiny"}, {"id": "big"}]}), True, "listed by the server"),
        (as_json({"data": [{"id": "tiny:latest"}]}), True, "listed by the server"),
        (as_json({"data": [{"id": "big"}]}), False, "not among the server's models (big)"),
        (as_json({"error": "no such route"}, 404), True, "lists no models (HTTP 404)"),
        (Reply(b"<html>"), True, "lists no models"),
        (as_json({"error": "bad key"}, 401), False, "the key is refused"),
    ],
)
def test_the_model_server_is_asked_for_its_models_and_nothing_else(reply: Reply, ok: bool, said: str) -> None:
    with served(in_turn(reply)) as site:
        check = model(f"{site.url}/v1", "sk-secret")

    assert (check.ok, said in check.detail) == (ok, True), check.detail
    assert [(asked.method, asked.path) for asked in site.asked] == [("GET", "/v1/models")]
    assert "sk-secret" not in str(check)


def test_a_model_server_that_is_not_there_is_one_line() -> None:
    check = model("http://127.0.0.1:9/v1")

    assert not check.ok
    assert "no answer" in check.detail


def test_a_model_servers_redirect_is_not_followed_with_the_key() -> None:
    with served(in_turn(as_json({"data": []}))) as other:
        there = other.url.replace("127.0.0.1", "localhost")
        with served(in_turn(Reply(b"", 302, {"Location": f"{there}/v1/models"}))) as site:
            model(f"{site.url}/v1", "sk-secret")

    assert other.asked == []


def test_the_catalogue_and_the_store_are_examined_while_an_ingest_may_run(home: Path, tmp_path: Path) -> None:
    library = Library(settings_at(home), HashingEmbedder())
    more = write_lines(tmp_path / "more.jsonl", SOUND[:3])
    ingest([str(more)], settings_at(home), HashingEmbedder())
    found = list(examine_stores(library))
    library.close()

    assert [check.name for check in found if not check.ok] == []
    catalogue = Catalogue(home)
    store = VectorStore(store_place(settings_at(home), catalogue))
    assert store.count() == catalogue.counts()[1]
    store.close()
    catalogue.close()


def test_checks_are_json() -> None:
    check = Check("words", False, "x", "y", ("z",))

    assert json.loads(json.dumps(check.to_dict())) == {
        "name": "words",
        "ok": False,
        "detail": "x",
        "fix": "y",
        "findings": ["z"],
    }
