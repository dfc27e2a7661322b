"""Files keep their letters whatever their encoding (private-gpt#453, private-gpt#418, private-gpt#1475)."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parsing.document import Document
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.text.encoding import encoding_of

FRENCH = "Les modèles préentraînés ont été évalués sur des tâches françaises — « où ça échoue », dit l’élève."
GERMAN = "Für große Sprachmodelle untersuchen wir, ob Übersetzungen die Qualität verschlechtern, größtenteils."
RUSSIAN = "Мы предлагаем новый метод машинного обучения для анализа текстов и показываем его преимущества."
CHINESE = "本文提出了一种新的检索增强生成方法，用于中文问答任务。实验结果表明，该方法优于现有的基线模型。"
JAPANESE = "本研究では、大規模言語モデルを用いた新しい質問応答手法を提案する。実験の結果、既存手法を上回った。"
KOREAN = "본 연구에서는 대규모 언어 모델을 이용한 새로운 질의응답 방법을 제안한다. 기존 방법보다 우수하였다."
POLISH = (
    "W pracy przedstawiono nową metodę analizy tekstów, która osiąga lepsze wyniki niż dotychczasowe. Żółć, źdźbło."
)
ENGLISH = "We compare retrieval methods over many collections of abstracts and find that simple ones do well. "


def read_text(data: bytes, name: str = "a.txt") -> list[str]:
    """The abstracts of a file with these bytes."""
    return [record.fields["abstract"] for record in read(Source(name, data=data)) if isinstance(record, RawRecord)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("text", [FRENCH, GERMAN, POLISH, ENGLISH.strip()])
def test_unicode_is_read_in_each_of_its_forms(text: str, encoding: str) -> None:
    assert read_text(text.encode(encoding)) == [text]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        (GERMAN, "latin-1"),
        (POLISH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (CHINESE, "gbk"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
    ],
)
def test_older_encodings_are_recognised(text: str, encoding: str) -> None:
    assert read_text(text.encode(encoding)) == [text]


@pytest.mark.parametrize("sign", ["—", "–", "’", "©", "é", "µ", "°", "“"])
def test_a_single_sign_of_windows_1252_is_that_sign(sign: str) -> None:
    text = f"{ENGLISH}Here {sign} is one."
    assert read_text(text.encode("cp1252")) == [text]


@pytest.mark.parametrize("text", [FRENCH, CHINESE, RUSSIAN])
def test_a_broken_byte_costs_one_character_of_one_record(text: str) -> None:
    broken = b"First abstract, broken \x97 here. " + text.encode()
    assert [f"First abstract, broken \ufffd here. {text}", text] == read_text(broken + b"\n\n" + text.encode())


def test_a_character_across_two_pieces_of_a_long_file_is_whole() -> None:
    paragraph = "é" * 1000 + ".\n\n"
    data = b"x" + paragraph.encode() * 700
    assert encoding_of(io.BytesIO(data)) == "utf-8"
    assert "\ufffd" not in Document.of(Source("a.txt", data=data)).text


def test_a_broken_byte_far_down_a_file_is_found() -> None:
    data = FRENCH.encode() + b"\n\n" + (ENGLISH.encode() + b"\n\n") * 20_000 + b"broken \xff\n\n" + FRENCH.encode()
    texts = read_text(data)
    assert len(texts) == 20_003
    assert texts[-2:] == ["broken \ufffd", FRENCH]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200), "image/png"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00" + bytes(range(256)), "application/zip"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(range(256)), "application/gzip"),
        (bytes(5000), "binary data"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a"])
def test_a_binary_file_is_one_line_that_names_its_kind(data: bytes, kind: str, name: str) -> None:
    [rejected] = read(Source(name, data=data))
    assert isinstance(rejected, Rejected)
    assert rejected.where == name
    assert kind in rejected.reason


@pytest.mark.parametrize("start", ["BM25 is a ranking function.", "GIF89a images are old.", "ID3 builds trees.", "MZ."])
def test_text_that_starts_like_a_binary_file_is_text(start: str) -> None:
    assert read_text(f"{start} {ENGLISH}".encode()) == [f"{start} {ENGLISH}".strip()]


@settings(deadline=None, max_examples=200)
@given(st.text())
def test_every_text_survives_utf8(text: str) -> None:
    document = Document.of(Source("a.txt", data=text.encode()))
    if document.encoding == "utf-8":
        with document.open(newline="") as stream:
            assert stream.read() == text


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=400), st.sampled_from(["a.txt", "a.csv", "a.tsv", "a.jsonl", "a.json", "a"]))
def test_any_bytes_are_read_or_rejected(data: bytes, name: str) -> None:
    found = list(read(Source(name, data=data)))
    assert found != []
    assert all(each.where.startswith(name) for each in found)
