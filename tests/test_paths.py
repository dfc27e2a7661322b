"""From paths to sources: what is found, in which order, and one line for what is not."""

from __future__ import annotations

import io
import os
import socket
import threading
from pathlib import Path

import pytest

from ingest.parsing.paths import expand
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import Rejected


def names(*paths: str | Path) -> list[str]:
    """The names of what is behind `paths`, rejected or not."""
    found = expand(map(str, paths))
    return [each.where if isinstance(each, Rejected) else each.name for each in found]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three files, one of them a level down."""
    for name in ("b.txt", "a.jsonl", "deep/c.csv"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("Some abstract. It has two sentences.")
    return tmp_path


def test_a_folder_is_its_files_to_the_bottom_in_sorted_order(folder: Path) -> None:
    assert names(folder) == [f"{folder}/{name}" for name in ("a.jsonl", "b.txt", "deep/c.csv")]


def test_names_stay_as_the_user_gave_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert names("b.txt", "deep") == ["b.txt", "deep/c.csv"]


def test_hidden_files_and_leftovers_are_passed_over(folder: Path) -> None:
    expected = names(folder)
    for name in (".DS_Store", ".git/config", "Thumbs.db", "desktop.ini", "__MACOSX/x.txt", "~$draft.csv", "b.txt~"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("junk")
    assert names(folder) == expected


def test_a_hidden_file_that_is_named_is_read(tmp_path: Path) -> None:
    (tmp_path / ".notes.txt").write_text("x")
    assert names(tmp_path / ".notes.txt") == [f"{tmp_path}/.notes.txt"]


def test_a_glob_is_expanded_in_sorted_order(folder: Path) -> None:
    assert names(f"{folder}/*.*") == [f"{folder}/a.jsonl", f"{folder}/b.txt"]
    assert names(f"{folder}/**/*.csv") == [f"{folder}/deep/c.csv"]


def test_a_name_with_brackets_is_a_name_first(tmp_path: Path) -> None:
    (tmp_path / "papers [1].txt").write_text("x")
    assert names(tmp_path / "papers [1].txt") == [f"{tmp_path}/papers [1].txt"]


def test_a_file_reached_twice_is_read_once(folder: Path) -> None:
    assert names(folder / "b.txt", folder, f"{folder}/*.txt")[0] == f"{folder}/b.txt"
    assert len(names(folder / "b.txt", folder, f"{folder}/*.txt")) == 3


def test_each_path_without_a_file_is_one_line_and_the_rest_is_read(folder: Path) -> None:
    (folder / "empty").mkdir()
    found = list(expand([f"{folder}/no.txt", f"{folder}/empty", f"{folder}/*.bib", f"{folder}/b.txt"]))
    assert [
        Rejected(f"{folder}/no.txt", "no such file or folder"),
        Rejected(f"{folder}/empty", "holds no files to read"),
        Rejected(f"{folder}/*.bib", "matches no file"),
        Source(f"{folder}/b.txt", folder / "b.txt"),
    ] == found


def test_standard_input_is_a_source() -> None:
    [source] = expand(["-"], io.BytesIO(b"An abstract. It was piped in."))
    assert isinstance(source, Source)
    assert [record.where for record in read(source)] == ["stdin:1"]


def test_a_missing_standard_input_is_one_line() -> None:
    assert list(expand(["-"])) == [Rejected("stdin", "nothing is piped in")]


def test_a_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"An abstract. It came through a pipe.",))
    writer.start()
    [source] = expand([str(pipe)])
    writer.join()
    assert isinstance(source, Source)
    assert [record.where for record in read(source)] == [f"{pipe}:1"]


def test_what_is_no_file_is_one_line(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert list(expand([str(tmp_path / "s")])) == [Rejected(f"{tmp_path}/s", "is not a file of data")]


def test_a_link_to_nothing_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone.txt")
    assert list(expand([str(tmp_path / "link.txt")])) == [
        Rejected(f"{tmp_path}/link.txt", "cannot be read: No such file or directory")
    ]


def test_a_folder_linked_into_itself_ends(folder: Path) -> None:
    (folder / "loop").symlink_to(folder)
    assert len(names(folder)) == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_line(folder: Path) -> None:
    (folder / "b.txt").chmod(0)
    [source] = expand([str(folder / "b.txt")])
    assert isinstance(source, Source)
    assert list(read(source)) == [Rejected(f"{folder}/b.txt", "cannot be read: Permission denied")]


def test_a_file_that_goes_away_is_one_line(folder: Path) -> None:
    [source] = expand([str(folder / "b.txt")])
    (folder / "b.txt").unlink()
    assert isinstance(source, Source)
    assert list(read(source)) == [Rejected(f"{folder}/b.txt", "cannot be read: No such file or directory")]
