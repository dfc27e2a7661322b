"""The best hits in a reranker's order, asked of a server that speaks /rerank; what fails is said in one line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag.config import load_settings
from rag.errors import FootnoteError, SettingsError
from rag.rerank import RemoteReranker, make_reranker
from rag.retrieve import search
from tests.shelf import PAPERS, fill, open_shelf, write_lines


class RerankServer:
    """Scores texts by how often they hold `radar`; `reply` stands in for its answer, as (status, body)."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.reply: tuple[int, bytes] | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                status, sent = outer.reply or (200, json.dumps(outer.scores(body["documents"])).encode())
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @staticmethod
    def scores(documents: list[str]) -> dict[str, Any]:
        rows = [{"index": n, "relevance_score": text.lower().count("radar") - 9.5} for n, text in enumerate(documents)]
        return {"results": sorted(rows, key=lambda row: -row["relevance_score"])}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


@pytest.fixture
def server() -> Iterator[RerankServer]:
    one = RerankServer()
    yield one
    one.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rerank")
    fill(folder / "home", write_lines(folder / "papers.jsonl", PAPERS))
    return folder / "home"


def test_hits_come_in_the_reranker_s_order_with_its_scores(home: Path, server: RerankServer) -> None:
    library = open_shelf(home, rerank_url=server.url, rerank_model="judge")
    hits = search(library, "Which attention heads does Heron remove?", k=2)
    library.close()
    assert [hit.abstract.title for hit in hits] == [
        "Soil moisture from satellite radar",
        "Heron: pruning retrieval heads",
    ]
    assert [hit.score for hit in hits] == [-6.5, -9.5]
    [(path, _, body)] = server.asked
    assert path == "/v1/rerank"
    assert body["model"] == "judge"
    assert body["query"] == "Which attention heads does Heron remove?"
    assert len(body["documents"]) == body["top_n"] == 3
    assert any(text.startswith("Interleukin 6 and sleep\nIL-6 rises") for text in body["documents"])


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((200, b"<html>"), "instead of a ranking"),
        ((200, b"[]"), "instead of a ranking"),
        ((200, b'{"results": [{"index": 0, "relevance_score": 1}]}'), "scores for 1 of 2 abstracts"),
        ((200, b'{"results": [{"index": 7, "relevance_score": 1}]}'), "instead of a ranking"),
        ((401, b'{"error": {"message": "no such key"}}'), "no such key"),
        ((404, b"nothing here"), "before /rerank"),
    ],
)
def test_what_is_no_ranking_is_one_line(server: RerankServer, reply: tuple[int, bytes], said: str) -> None:
    server.reply = reply
    with pytest.raises(FootnoteError) as caught:
        RemoteReranker(server.url, None, None, retries=0).scores("a", ["b", "c"])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_server_is_one_line(server: RerankServer) -> None:
    server.close()
    with pytest.raises(FootnoteError, match="No reranker answers"):
        RemoteReranker(server.url, None, None, retries=0).scores("a", ["b"])


def test_the_model_s_key_goes_to_the_model_s_server_alone(server: RerankServer) -> None:
    for values, sent in (
        ({"openai_api_key": "sk-1"}, "none"),
        ({"openai_api_key": "sk-1", "openai_base_url": server.url}, "sk-1"),
        ({"openai_api_key": "sk-1", "rerank_api_key": "rr-2"}, "rr-2"),
    ):
        reranker = make_reranker(load_settings(None, rerank_url=server.url, **values))
        assert reranker is not None
        reranker.scores("a", ["b"])
        assert server.asked[-1][1]["authorization"] == f"Bearer {sent}"


def test_a_missing_library_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(SettingsError, match="pip install sentence-transformers"):
        make_reranker(load_settings(None, rerank_model="cross-encoder/some"))


def test_without_a_setting_there_is_none() -> None:
    assert make_reranker(load_settings(None)) is None


def test_a_login_in_the_address_is_not_shown(server: RerankServer) -> None:
    server.reply = (404, b"nothing")
    with pytest.raises(FootnoteError) as caught:
        RemoteReranker(server.url.replace("//", "//me:secret@"), None, None, retries=0).scores("a", ["b"])
    assert "secret" not in str(caught.value)
    assert server.url in str(caught.value)
