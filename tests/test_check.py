from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.check import Claim, check_claims, read_claims
from rag.errors import InputError
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, write_lines

TEXT = "Heron removes attention heads that never retrieve. Heron keeps 12% of the accuracy.\n"


def test_each_sentence_of_a_text_is_checked_against_the_shelf(tmp_path: Path) -> None:
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", PAPERS))
    (tmp_path / "text.txt").write_text(TEXT)
    library = open_shelf(tmp_path / "home")
    first, second = check_claims(read_claims(str(tmp_path / "text.txt")), library, library.embedder)

    assert (first["id"], first["verdict"]) == ("1", "supported")
    assert second["verdict"] in ("unsupported", "contradicted")
    for evidence in first["evidence"]:
        abstract = library.catalogue.get(evidence["id"])
        assert abstract is not None
        assert abstract.text[evidence["start"] : evidence["end"]] == evidence["quote"]
    library.close()


def test_claims_are_checked_against_the_texts_given_alone_and_offsets_fit_them() -> None:
    texts = ("Nothing of the kind.", str(PAPERS[0]["abstract"]))
    claims = [Claim("a", "Heron keeps 98.2% of the accuracy.", texts), Claim("b", "Heron keeps 50%.", texts)]
    right, wrong = check_claims(claims, None, HashingEmbedder())

    assert [set(e) for e in right["evidence"]] == [{"index", "start", "end", "quote"}] * len(right["evidence"])
    assert all(texts[e["index"]][e["start"] : e["end"]] == e["quote"] for e in right["evidence"])
    assert (right["verdict"], right["evidence"][0]["index"]) == ("supported", 1)
    assert wrong["verdict"] in ("unsupported", "contradicted")


def test_a_claim_without_texts_or_shelf_is_one_line() -> None:
    with pytest.raises(InputError, match="--home"):
        list(check_claims([Claim("1", "It is so.")], None, HashingEmbedder()))


def test_a_file_whose_lines_are_all_objects_with_a_claim_is_read_as_such(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", [{"id": 7, "claim": "A.", "evidence": ["B."]}, {"claim": "C."}])

    assert read_claims(str(path)) == [Claim("7", "A.", ("B.",)), Claim("2", "C.", None)]


def test_any_other_file_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text(json.dumps({"claim": "A."}) + "\nAnd prose. More of it.")

    assert len(read_claims(str(path))) > 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_checked_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.txt").write_bytes(content)

    with pytest.raises(InputError) as caught:
        read_claims(str(tmp_path / "c.txt"))
    assert "\n" not in str(caught.value)
