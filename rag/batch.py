"""Many questions, one file of answers: appended line by line as they finish, resumed by running again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from rag.answer import ask
from rag.errors import FootnoteError, InputError, QuestionError, SettingsError
from rag.library import Library
from rag.types import Answer, Question

Progress = Callable[[int, int], None]
"""Told how many questions are finished, of how many."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did and what the file holds now, by the last line of each question."""

    asked: int
    kept: int
    errors: int
    not_found: int

    def to_dict(self) -> dict[str, int]:
        """In JSON's types."""
        return {"asked": self.asked, "kept": self.kept, "errors": self.errors, "not_found": self.not_found}


def run(
    library: Library,
    questions: Sequence[Question],
    out: Path,
    *,
    workers: int = 1,
    retry_errors: bool = False,
    mix: bool = False,
    progress: Progress = lambda *_: None,
) -> Outcome:
    """Ask what `out` does not answer yet and append each Answer as one synced line, in order of completion.

    `retry_errors` asks again what ended in an error. Raises SettingsError when `out` was made with other settings or
    another index (unless `mix`), InputError when it cannot be written or another run holds it. An interrupt ends
    the run when the questions in flight are answered.
    """
    with _appending(out) as file:
        last = read_answers(out)
        if not mix:
            _refuse_other(library, last, out)
        kept = {i for i, answer in last.items() if not (retry_errors and answer["status"] == "error")}
        todo = [question for question in questions if question.id not in kept]
        progress(len(questions) - len(todo), len(questions))
        for number, answer in enumerate(_answers(library, todo, workers), 1):
            line = answer.to_dict()
            _append(file, line)
            last[answer.id] = line
            progress(len(questions) - len(todo) + number, len(questions))
    statuses = [last[question.id]["status"] for question in questions if question.id in last]
    return Outcome(len(todo), len(questions) - len(todo), statuses.count("error"), statuses.count("not_found"))


def read_answers(path: Path) -> dict[str, dict[str, Any]]:
    """Answers by id, the last line of an id counting; raises InputError, naming the line, for what is no answer."""
    answers: dict[str, dict[str, Any]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                answer = json.loads(line)
                answers[str(answer["id"])] = answer
                answer["status"]
            except (ValueError, KeyError, TypeError):
                raise InputError(
                    f"{path}:{number} is no answer.", "Choose another --out, or remove the line."
                ) from None
    return answers


def _refuse_other(library: Library, last: Mapping[str, Mapping[str, Any]], out: Path) -> None:
    now = {"settings": library.settings.fingerprint(), "index": library.index}
    for name, value in now.items():
        other = {answer.get(name) for answer in last.values()} - {value}
        if other:
            raise SettingsError(
                f"{out} holds answers made with other {name} ({', '.join(map(str, sorted(other, key=str)))}).",
                "Choose another --out, or add --mix.",
            )


@contextmanager
def _appending(out: Path) -> Iterator[IO[bytes]]:
    """The output open for appending, locked, with a half line at its end cut off."""
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


def _append(file: IO[bytes], line: Mapping[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _answers(library: Library, questions: Sequence[Question], workers: int) -> Iterator[Answer]:
    """Answers as they finish; no more than `workers` questions are in flight, so a stop loses no finished answer."""
    waiting = iter(questions)
    with ThreadPoolExecutor(workers) as pool:
        running: set[Future[Answer]] = set()
        stopped = False
        while True:
            try:
                while not stopped and len(running) < workers and (question := next(waiting, None)) is not None:
                    running.add(pool.submit(_answer, library, question))
                if not running:
                    break
                done, running = wait(running, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                if stopped:
                    raise
                stopped = True
                continue
            yield from (future.result() for future in done)
    if stopped:
        raise KeyboardInterrupt


def _answer(library: Library, question: Question) -> Answer:
    """The answer, or one of status `error` that says what failed: a failing question never stops the others."""
    try:
        return ask(library, question, fall_back=False)
    except FootnoteError as error:
        return Answer(
            id=question.id,
            question=question.text,
            standalone_question=question.text,
            status="error",
            reason="context" if isinstance(error, QuestionError) else "index",
            detail=str(error),
            mode="llm" if library.settings.llm_model else "quotes",
            answer="",
            input=question.input,
            filters=question.filters,
            top_k=question.top_k,
            settings=library.settings.fingerprint(),
            index=library.index,
        )
