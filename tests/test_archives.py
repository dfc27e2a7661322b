"""Archives are read file by file, in bounded room; what can't be unpacked is one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parsing.paths import expand
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected

TEXT = b"An abstract. It stands in an archive.\n\nAnother one. It is the second.\n"
LINES = b'{"abstract": "One."}\n{"abstract": "Two."}\n'


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload] # any of its modes
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def places(data: bytes, name: str = "x") -> list[str]:
    """Where each record stands; a rejected one with its reason."""
    found = read(Source(name, data=data))
    return [each.where if isinstance(each, RawRecord) else f"{each.where}: {each.reason}" for each in found]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_is_read_under_its_own_name(pack: object) -> None:
    assert callable(pack)
    assert places(pack(LINES), "a.jsonl.gz") == ["a.jsonl.gz:1", "a.jsonl.gz:2"]
    assert places(pack(TEXT), "a.txt.xz") == ["a.txt.xz:1", "a.txt.xz:3"]


@pytest.mark.parametrize("pack", [zipped, tarred, lambda files: tarred(files, "w:gz")])
def test_the_files_in_an_archive_are_read_in_order(pack: object) -> None:
    assert callable(pack)
    data = pack({"a.jsonl": LINES, "deep/b.txt": TEXT})
    assert places(data) == ["x/a.jsonl:1", "x/a.jsonl:2", "x/deep/b.txt:1", "x/deep/b.txt:3"]


def test_archives_in_archives_are_read() -> None:
    data = zipped({"inner.tar.gz": tarred({"a.jsonl": LINES}, "w:gz"), "b.jsonl.gz": gzip.compress(LINES)})
    assert places(data) == ["x/inner.tar.gz/a.jsonl:1", "x/inner.tar.gz/a.jsonl:2", "x/b.jsonl.gz:1", "x/b.jsonl.gz:2"]


def test_a_member_too_large_for_memory_is_read() -> None:
    line = b'{"abstract": "' + b"word " * 2000 + b'"}\n'
    assert len(places(zipped({"a.jsonl": line * 600, "b.jsonl": line}))) == 601


def test_junk_in_an_archive_is_passed_over() -> None:
    assert places(zipped({"__MACOSX/a.txt": TEXT, ".DS_Store": TEXT, "a.jsonl": LINES})) == [
        "x/a.jsonl:1",
        "x/a.jsonl:2",
    ]


def test_what_cannot_be_read_in_an_archive_is_one_line_and_the_rest_is_read() -> None:
    found = places(zipped({"a.pdf": b"%PDF-1.7\n", "b.jsonl": LINES}))
    assert found[0].startswith("x/a.pdf: is a PDF")
    assert found[1:] == ["x/b.jsonl:1", "x/b.jsonl:2"]


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda data: zipped({"a.txt": data}), lambda data: tarred({"a.txt": data}, "w:gz")]
)
def test_a_bomb_is_one_line(pack: object) -> None:
    assert callable(pack)
    found = places(pack(b"words a" * (10 << 20)))
    assert len(found) == 1
    assert "unpacks to more than" in found[0]


def test_many_small_bombs_are_stopped_together() -> None:
    found = places(zipped({f"f{n}.txt": bytes(8 << 20) for n in range(12)}))
    assert any("unpacks to more than" in each for each in found)


def test_archives_packed_without_end_are_one_line() -> None:
    data = LINES
    for _ in range(12):
        data = gzip.compress(data)
    [rejected] = places(data)
    assert "packed too deep" in rejected


def test_a_member_with_a_password_is_one_line() -> None:
    data = bytearray(zipped({"a.jsonl": LINES}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert places(bytes(data)) == ["x/a.jsonl: cannot be unpacked: it needs a password"]


def test_a_cut_archive_keeps_what_is_whole() -> None:
    data = gzip.compress(b"".join(b'{"abstract": "%d."}\n' % n for n in range(20_000)))
    found = list(read(Source("a.jsonl.gz", data=data[: len(data) // 2])))
    assert isinstance(found[-1], Rejected)
    assert "damaged" in found[-1].reason


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_damaged_archive_is_read_or_rejected(data: st.DataObject) -> None:
    packed = bytearray(
        data.draw(
            st.sampled_from(
                [zipped({"a.jsonl": LINES}), tarred({"a.jsonl": LINES}, "w:gz"), tarred({"a.jsonl": LINES})]
            )
        )
    )
    for _ in range(data.draw(st.integers(1, 5))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    found = list(read(Source("x", data=bytes(packed[: data.draw(st.integers(1, len(packed)))]))))
    assert found != []


def test_a_folder_of_pdfs_is_one_line_that_says_what_to_export(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.pdf").write_bytes(b"%PDF-1.7\n")
    (tmp_path / "a.jsonl").write_bytes(LINES)
    source, rejected = expand([str(tmp_path)])
    assert isinstance(source, Source)
    assert isinstance(rejected, Rejected)
    assert "5 PDF files" in rejected.reason
    assert "export the records" in rejected.reason
