"""The file of answers: JSON Lines, only ever appended to, the last line of an id counting."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from rag.errors import InputError
from rag.types import sha12


@dataclass(frozen=True, slots=True)
class Line:
    """What a run remembers of an answer that stands in the file: a few fields, and where its line begins, in bytes."""

    id: str
    status: str
    reason: str | None
    question: str
    """Hash of its words."""
    settings: str | None
    index: str | None
    cost_usd: float | None
    position: int
    offset: int


def line_of(answer: Mapping[str, Any], offset: int) -> Line:
    """The memory of an answer; raises KeyError, TypeError or AttributeError for what is none."""
    cost = (answer.get("usage") or {}).get("cost_usd")
    return Line(
        str(answer["id"]),
        str(answer["status"]),
        answer.get("reason"),
        words_sha(str(answer.get("question"))),
        answer.get("settings"),
        answer.get("index"),
        float(cost) if isinstance(cost, int | float) else None,
        int(answer.get("position") or 0),
        offset,
    )


def words_sha(question: str) -> str:
    """Hash of a question's words."""
    return sha12(" ".join(question.split()))


def read_answers(path: Path) -> dict[str, dict[str, Any]]:
    """Answers by id, the last line of an id counting; raises InputError, naming the line, for what is no answer."""
    return {str(answer["id"]): answer for answer, _ in _parsed(path)}


def read_lines(path: Path) -> tuple[dict[str, Line], float]:
    """What is remembered of each id's last line, and the known cost of all lines. Raises as `read_answers` does."""
    last: dict[str, Line] = {}
    spent = 0.0
    for answer, offset in _parsed(path):
        line = line_of(answer, offset)
        last[line.id] = line
        spent += line.cost_usd or 0.0
    return last, spent


def answers_at(path: Path, offsets: Iterable[int]) -> Iterator[dict[str, Any]]:
    """The answers whose lines begin there, one in memory at a time."""
    with path.open("rb") as file:
        for offset in offsets:
            file.seek(offset)
            yield json.loads(file.readline())


def _parsed(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    offset = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _answer(line, f"{path}:{number}"), offset
            offset += len(line)


def _answer(line: bytes, where: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(line)
        line_of(answer, 0)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{where} is no answer.", "Name another file, or remove the line.") from None
    return answer


@contextmanager
def appending(out: Path) -> Iterator[IO[bytes]]:
    """The file open for appending, locked, a half line at its end cut off; raises InputError."""
    lock = FileLock(out.with_name(f".{out.name}.lock"))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
        file = out.open("a+b")
    except Timeout:
        raise InputError(f"Another run is writing to {out}.", "Wait for it, or choose another --out.") from None
    except OSError as error:
        lock.release()
        raise InputError(f"{out} cannot be written: {error.strerror}.", "Choose another --out.") from None
    try:
        _cut_half_line(file)
        yield file
    finally:
        file.close()
        lock.release()


def append(file: IO[bytes], answers: Iterable[Mapping[str, Any]]) -> None:
    """Write each as a line and have them all on the disk; raises InputError when that fails."""
    lines = [json.dumps(a, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n" for a in answers]
    try:
        file.write(b"".join(lines))
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            f"{file.name} cannot be written: {error.strerror}.", "Free the disk and run again; what is there is kept."
        ) from None


def _cut_half_line(file: IO[bytes]) -> None:
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 65536)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            file.truncate(start + newline + 1)
            return
        end = start
    file.truncate(0)
