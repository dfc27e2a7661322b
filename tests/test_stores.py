"""SQLite and Chroma as they are: the real ones, in a temporary folder, and Chroma's own server once."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.pipeline import ingest
from rag.catalogue import FILE_NAME, Catalogue, Vectors
from rag.errors import IndexUnusableError
from rag.library import Library
from rag.retrieve import search
from rag.schema import MIGRATIONS
from rag.vectors import Place, Row, VectorStore, drop
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "papers.jsonl", PAPERS)


def row(identity: str, *vector: float) -> Row:
    return Row(identity, f"text of {identity}", np.array(vector, np.float32), identity, 0, 4)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    store = VectorStore(Place(tmp_path, 1), create=True)
    yield store
    store.close()


def test_an_abstract_is_found_by_its_id_and_by_every_alias(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    with closing(Catalogue(tmp_path / "home")) as catalogue:
        found = catalogue.get("doi:10.1000/heron")
        assert found is not None
        assert {catalogue.find(alias) for alias in found.aliases} == {found.id}
        assert catalogue.find("doi:10.1000/nobody") is None


def test_fields_come_back_as_they_were_given(tmp_path: Path, papers: Path) -> None:  # llama_index#9695
    fill(tmp_path / "home", papers)
    with closing(Catalogue(tmp_path / "home")) as catalogue:
        found = catalogue.get("pmid:3300001")
    assert found is not None
    assert (found.authors, found.year, found.venue, found.keywords) == (("Ada Lum",), 2023, None, ())
    assert (found.language, found.retracted) == (None, None)


def test_language_and_retraction_are_kept_and_learnt_later(tmp_path: Path) -> None:
    paper = {"doi": "10.1234/x", "abstract": "Herons wade."}
    notice = {**paper, "language": "EN", "retraction": "Withdrawn by the authors."}
    fill(tmp_path / "home", write_lines(tmp_path / "p.jsonl", [paper]))
    report = fill(tmp_path / "home", write_lines(tmp_path / "p.jsonl", [notice]))
    with closing(Catalogue(tmp_path / "home")) as catalogue:
        found = catalogue.get("doi:10.1234/x")
    assert found is not None
    assert (found.language, found.retracted) == ("en", "Withdrawn by the authors.")
    assert (report.changed, report.embedded) == (1, 0)


def test_more_ids_than_one_statement_holds(tmp_path: Path) -> None:
    fill(
        tmp_path / "home", write_lines(tmp_path / "p.jsonl", [{"abstract": f"Paper number {n}."} for n in range(1200)])
    )
    with closing(Catalogue(tmp_path / "home")) as catalogue:
        ids = catalogue.ids()
        assert list(catalogue.in_order(reversed(ids))) == ids
        assert len(catalogue.many(ids)) == len(catalogue.passages(ids)) == 1200


def test_vectors_survive_their_encoding() -> None:
    rows = np.random.default_rng(1).normal(size=(5, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    back = Vectors.decode(Vectors(rows[:2], rows[2:]).encode(), 2, 8)

    assert (back.passages.shape, back.sentences.shape) == ((2, 8), (3, 8))
    assert np.abs(np.concatenate([back.passages, back.sentences]) - rows).max() < 5e-4


def test_threads_share_a_shelf(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    library = open_shelf(tmp_path / "home")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: [h.abstract.id for h in search(library, "radar and sleep")], range(32)))
    library.close()

    assert found == [found[0]] * 32


def test_a_catalogue_of_a_newer_version_is_refused_in_one_line(tmp_path: Path, papers: Path) -> None:  # chroma#2837
    fill(tmp_path / "home", papers)
    with closing(sqlite3.connect(tmp_path / "home" / FILE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    with pytest.raises(IndexUnusableError, match="newer Footnote") as caught:
        Catalogue(tmp_path / "home")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_catalogue_is_refused_in_one_line(tmp_path: Path) -> None:  # chroma#1521
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but a text that someone put here" * 100)

    with pytest.raises(IndexUnusableError, match="cannot be opened"):
        Catalogue(tmp_path)


def test_missing_vectors_say_how_to_rebuild_them_and_are_rebuilt_without_embedding(
    tmp_path: Path, papers: Path
) -> None:
    fill(tmp_path / "home", papers)
    shutil.rmtree(tmp_path / "home" / "chroma")
    library = open_shelf(tmp_path / "home")
    with pytest.raises(IndexUnusableError, match=r"python -m ingest --rebuild"):
        search(library, "radar")
    library.close()

    from ingest.pipeline import Options

    assert fill(tmp_path / "home", options=Options(rebuild=True)).embedded == 0
    library = open_shelf(tmp_path / "home")
    assert len(search(library, "radar")) == 3
    library.close()


def test_scores_are_cosines(store: VectorStore) -> None:  # llama_index#19910
    store.upsert([row("a", 1, 0), row("b", 0.6, 0.8), row("c", -1, 0)])

    ids, scores = zip(*store.query(np.array([1, 0], np.float32), 3), strict=True)
    assert ids == ("a", "b", "c")
    assert scores == pytest.approx((1, 0.6, -1), abs=1e-5)


def test_storing_an_id_again_replaces_text_and_vector(store: VectorStore) -> None:  # chroma#1062
    store.upsert([row("a", 1, 0), row("b", 0.6, 0.8)])
    store.upsert([row("a", 0, 1)])

    assert store.count() == 2
    ((identity, score),) = store.query(np.array([0, 1], np.float32), 1)
    assert identity == "a"
    assert score == pytest.approx(1, abs=1e-5)


def test_deleting_nothing_deletes_nothing(store: VectorStore) -> None:  # llama_index#17885
    store.upsert([row("a", 1, 0)])
    store.delete([])
    store.upsert([])

    assert store.ids() == ["a"]


def test_a_query_among_some_ids_finds_only_those_and_more_than_there_are_is_no_error(store: VectorStore) -> None:
    store.upsert([row(f"p{n}", np.cos(n), np.sin(n)) for n in range(40)])  # chroma#997

    assert {i for i, _ in store.query(np.array([1, 0], np.float32), 200, ["p7", "p9"])} == {"p7", "p9"}
    assert len(store.query(np.array([1, 0], np.float32), 200)) == 40
    assert store.query(np.array([1, 0], np.float32), 5, []) == []


def test_batches_never_exceed_what_the_store_accepts(store: VectorStore) -> None:  # chroma#1298
    limit = store._client.get_max_batch_size()  # the build's own limit
    store.upsert([row(f"p{n}", np.cos(n), np.sin(n)) for n in range(limit + 10)])

    assert store.count() == limit + 10


def test_vectors_of_another_metric_are_refused(tmp_path: Path) -> None:
    import chromadb
    from chromadb.config import Settings

    place = Place(tmp_path, 1)
    client: Any = chromadb.PersistentClient(str(place.folder), settings=Settings(anonymized_telemetry=False))
    client.create_collection(place.collection, embedding_function=None)
    client.close()

    with pytest.raises(IndexUnusableError, match="compared by l2"):
        VectorStore(place)


def test_rebuilding_again_and_again_leaves_one_version_on_disk(tmp_path: Path, papers: Path) -> None:  # chroma#5843
    from ingest.indexing import Indexer

    fill(tmp_path / "home", papers)
    with closing(Catalogue(tmp_path / "home")) as catalogue:
        indexer = Indexer(settings_at(tmp_path / "home"), catalogue, HashingEmbedder())
        for _ in range(4):
            indexer.rebuild()
        indexer.close()

    assert [folder.name for folder in (tmp_path / "home" / "chroma").iterdir()] == ["5"]


@pytest.fixture
def chroma_server(tmp_path: Path) -> Iterator[str]:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("chroma")), "run", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen([*command, "--path", str(tmp_path / "server")], stdout=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/api/v2/heartbeat").close()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield url
        process.terminate()


def test_a_chroma_server_serves_as_the_embedded_one_does(tmp_path: Path, papers: Path, chroma_server: str) -> None:
    settings = settings_at(tmp_path / "home", chroma_url=chroma_server)
    report = ingest([str(papers)], settings, HashingEmbedder())
    fill(tmp_path / "embedded", papers)
    served, embedded = Library(settings, HashingEmbedder()), open_shelf(tmp_path / "embedded")

    assert report.abstracts == 3
    assert [h.abstract.id for h in search(served, "radar")] == [h.abstract.id for h in search(embedded, "radar")]
    served.close()
    embedded.close()
    drop(Place(tmp_path / "home", 1, chroma_server))


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # Chroma leaves the connection it could not make open
def test_a_chroma_server_that_is_not_there_is_one_line(tmp_path: Path, papers: Path) -> None:
    settings = settings_at(tmp_path / "home", chroma_url="http://127.0.0.1:9")

    with pytest.raises(IndexUnusableError) as caught:
        ingest([str(papers)], settings, HashingEmbedder())
    assert "http://127.0.0.1:9" in str(caught.value)
    assert "\n" not in str(caught.value)
