"""What a batch achieves of what its parts allow: the model's time with a model, the retriever's without one."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rag.answer import ask, prompt
from rag.batch import Estimate, Standing, read_answers, run
from rag.batch.standing import Unwatched
from rag.bench.scripted_llm import MODEL, scripted_llm
from rag.config import Settings
from rag.errors import FootnoteError
from rag.library import Library
from rag.llms.pace import Message
from rag.retrieve import search
from rag.types import Question

LONGEST_QUESTION = 200
WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Throughput:
    """Questions a second of a run, and of what bounds it; `share` is the part of `ideal` achieved.

    `bounds` are rates that no run can pass, by name; the ideal is the lowest of them.
    `retrieve_ms`: median time to find what a question's answer draws on. `overhead_ms`: with one worker, the mean
    time a question takes beside finding and the model; None with several.
    """

    against: str
    questions: int
    workers: int
    per_second: float
    bounds: Mapping[str, float]
    retrieve_ms: float
    overhead_ms: float | None = None
    grown_mb: float | None = None
    """Growth of the process's largest memory after the first tenth of the questions."""

    @property
    def ideal(self) -> float:
        """The lowest bound, in questions a second."""
        return min(self.bounds.values())

    @property
    def share(self) -> float:
        """Of the ideal, 0 to 1 (a little above it where the ideal was measured on a busier machine)."""
        return self.per_second / self.ideal

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {**asdict(self), "ideal": self.ideal, "share": self.share}

    def as_text(self) -> str:
        """One line."""
        parts = [
            f"{self.against}, {self.workers} workers, {self.questions} questions: {self.per_second:.1f}/s of "
            f"{self.ideal:.1f}/s ({self.share:.0%}), finding {self.retrieve_ms:.1f} ms"
        ]
        if len(self.bounds) > 1:
            parts += [f"{name} {rate:.1f}/s ({self.per_second / rate:.0%})" for name, rate in self.bounds.items()]
        parts += [f"{self.overhead_ms:.1f} ms overhead a question"] if self.overhead_ms is not None else []
        parts += [f"{self.grown_mb:.0f} MB grown"] if self.grown_mb is not None else []
        return ", ".join(parts)


def questions_of(library: Library, number: int) -> list[Question]:
    """Questions that the shelf is about: the beginnings of its abstracts, again and again where it has too few."""
    ids = library.catalogue.ids()
    abstracts = library.catalogue.many(ids[:number])
    texts = islice(cycle([abstracts[i].text[:LONGEST_QUESTION] for i in ids[:number]]), number)
    return [Question(text, id=f"q{n}") for n, text in enumerate(texts)]


def against_scripted(settings: Settings, number: int, workers: int, latency: float) -> Throughput:
    """A run against a server whose every reply takes `latency` seconds.

    Two things bound it: that each worker finds what it asks with and waits for the reply, and that the shelf can be
    searched only so often, whatever the number of threads (both measured without a model, on as many threads).
    """
    with scripted_llm(latency) as url, opened(settings, MODEL, url) as library:
        asked = questions_of(library, max(100, number // 10))
        finding = 1 / _bare_retriever(library, asked[:20], 1)
        bounds = {
            "latency": workers / (latency + finding),
            "retriever": _bare_retriever(library, asked, workers),
        }
        seconds, answers, _ = _timed_run(library, number, workers)
    return _throughput("a scripted model", answers, seconds, workers, bounds, latency)


def against_model(settings: Settings, number: int, workers: int) -> Throughput:
    """A run against llama.cpp with a small model; the ideal is the server given the same prompts and nothing else."""
    from rag.bench.local_llm import ALIAS, SLOT_TOKENS, local_llm

    fitting = settings.model_copy(
        update={"llm_context_window": SLOT_TOKENS, "llm_max_tokens": 48, "llm_timeout": 300.0}
    )
    with local_llm() as url, opened(fitting, ALIAS, url) as library:
        # Other questions than the run's: the server remembers prompts it has read.
        ideal = _bare_model(library, questions_of(library, 2 * number)[number:], workers)
        seconds, answers, _ = _timed_run(library, number, workers)
    return _throughput("llama.cpp", answers, seconds, workers, {"server": ideal})


def without_model(settings: Settings, number: int, workers: int) -> Throughput:
    """A run of quotes; the ideal is the retriever given the same questions on as many threads."""
    with opened(settings, None, None) as library:
        asked = questions_of(library, number)
        for question in asked[:WARM_UP]:
            ask(library, question)
        ideal = _bare_retriever(library, asked[: max(100, number // 10)], workers)
        seconds, answers, grown = _timed_run(library, number, workers)
    return _throughput("the bare retriever", answers, seconds, workers, {"retriever": ideal}, grown=grown)


def _bare_retriever(library: Library, asked: Sequence[Question], threads: int) -> float:
    """Searches a second; the first ones, which load what a search needs, are not counted."""
    for question in asked[:WARM_UP]:
        search(library, question.text)
    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda question: search(library, question.text), asked))
    return len(asked) / (time.perf_counter() - started)


def _timed_run(library: Library, number: int, workers: int) -> tuple[float, Mapping[str, Any], float]:
    """Seconds of a run over questions of the shelf, its answers, and the memory it grew by, in MB.

    As many are asked as keep all workers busy to the end.
    """
    asked = questions_of(library, -(-number // workers) * workers)
    memory = _MemoryAtATenth()
    with TemporaryDirectory() as folder:
        run(library, asked[:workers], Path(folder, "warm.jsonl"), workers=workers)
        out = Path(folder, "answers.jsonl")
        started = time.perf_counter()
        run(library, asked, out, workers=workers, watcher=memory)
        seconds = time.perf_counter() - max(started, memory.begun)
        return seconds, _sound(read_answers(out)), _peak_mb() - memory.peak


def _sound(answers: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answers; raises FootnoteError where one is an error, for then nothing was measured."""
    for answer in answers.values():
        if answer["status"] == "error":
            raise FootnoteError(f"A question ended in an error ({answer['reason']}): {answer['detail']}")
    return answers


class _MemoryAtATenth(Unwatched):
    """Notes the largest memory so far when a tenth of a run is done, and when the estimate before it was."""

    peak = begun = 0.0

    def estimated(self, estimate: Estimate) -> None:  # noqa: ARG002 - only when
        self.begun = time.perf_counter()

    def moved(self, standing: Standing, written: Sequence[Mapping[str, Any]]) -> None:  # noqa: ARG002 - counts suffice
        if not self.peak and standing.done * 10 >= standing.total:
            self.peak = _peak_mb()


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _bare_model(library: Library, asked: Sequence[Question], workers: int) -> float:
    llm = library.llm
    assert llm is not None  # noqa: S101 - the settings name one
    messages = [packed.messages for packed in (prompt(library, question) for question in asked) if packed]

    def complete(some: Sequence[Message]) -> None:
        llm.complete(some)

    complete(messages[0])
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(complete, messages))
    return len(messages) / (time.perf_counter() - started)


def _throughput(
    against: str,
    answers: Mapping[str, Any],
    seconds: float,
    workers: int,
    bounds: Mapping[str, float],
    latency: float | None = None,
    grown: float | None = None,
) -> Throughput:
    finding = [answer["seconds"]["retrieve"] or 0.0 for answer in answers.values()]
    beside = None if workers > 1 or latency is None else seconds / len(answers) - statistics.mean(finding) - latency
    return Throughput(
        against,
        len(answers),
        workers,
        len(answers) / seconds,
        bounds,
        1000 * statistics.median(finding),
        None if beside is None else 1000 * beside,
        grown,
    )


@contextmanager
def opened(settings: Settings, model: str | None, url: str | None) -> Iterator[Library]:
    """The shelf with another model, closed afterwards."""
    library = Library(settings.model_copy(update={"llm_model": model, "openai_base_url": url}))
    try:
        yield library
    finally:
        if library.llm is not None:
            library.llm.close()
        library.close()
