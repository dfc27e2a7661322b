"""The files of questions of a shelf, each in a folder of its own with the answers that there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from rag.batch.output import answers_at, read_lines
from rag.errors import InputError
from rag.questions import read_questions
from rag.types import Question

FOLDER = "questions"
ANSWERS = "answers.jsonl"
_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class QuestionRun:
    """A file of questions and its answers; `statuses` counts those answered by status."""

    name: str
    file: Path
    questions: tuple[Question, ...]
    statuses: Counter[str]

    @property
    def out(self) -> Path:
        """The file of answers; it need not be there yet."""
        return self.file.with_name(ANSWERS)

    @property
    def answered(self) -> int:
        """How many questions have a line in the file of answers."""
        return self.statuses.total()


def names(home: Path) -> list[str]:
    """The runs of a shelf, the latest first."""
    folder = home / FOLDER
    found = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return [path.name for path in sorted(found, key=lambda path: (-path.stat().st_mtime, path.name))]


def keep(home: Path, file_name: str, content: bytes) -> str:
    """Keep a file of questions; the name of its run. Raises InputError, and keeps nothing, where it cannot be read."""
    plain = _UNSAFE.sub("-", PurePath(file_name.replace("\\", "/")).name).strip(".-") or "questions.txt"
    if plain == ANSWERS:
        plain = f"questions-{plain}"
    number, folder = 1, home / FOLDER / PurePath(plain).stem
    while folder.exists():
        number += 1
        folder = home / FOLDER / f"{PurePath(plain).stem}-{number}"
    folder.mkdir(parents=True)
    path = folder / plain
    path.write_bytes(content)
    try:
        read_questions(str(path))
    except InputError:
        path.unlink()
        folder.rmdir()
        raise
    return folder.name


def read(home: Path, name: str) -> QuestionRun | None:
    """A run by its name; None where there is none. Raises InputError where its files cannot be read."""
    folder = home / FOLDER / name
    if name not in names(home):
        return None
    file = next((path for path in sorted(folder.iterdir()) if not path.name.startswith((".", "answers."))), None)
    if file is None:
        return None
    questions = tuple(read_questions(str(file)))
    lines = read_lines(folder / ANSWERS)[0] if (folder / ANSWERS).is_file() else {}
    return QuestionRun(name, file, questions, Counter(lines[q.id].status for q in questions if q.id in lines))


def answers(run: QuestionRun, first: int, count: int) -> list[dict[str, Any]]:
    """`count` answers from the `first` on, in the order of the questions, those there are."""
    lines = read_lines(run.out)[0] if run.out.is_file() else {}
    known: Sequence[int] = [lines[question.id].offset for question in run.questions if question.id in lines]
    return list(answers_at(run.out, known[first : first + count])) if known else []
