"""A run: ask what the file of answers does not hold yet, and append what comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any

from rag.batch.asking import Place, Result, result_of
from rag.batch.budget import Budget
from rag.batch.estimate import Estimate, estimate
from rag.batch.interrupts import first_interrupt
from rag.batch.limiter import ENDING, Limiter
from rag.batch.output import Line, append, appending, read_lines, words_sha
from rag.batch.standing import Standing, Tally, Unwatched, Watcher
from rag.batch.workers import work
from rag.errors import SettingsError
from rag.library import Library
from rag.types import Question

AHEAD = 4
"""Questions that may be looked up while all workers wait for the model, so that none has to wait for a prompt."""
INTERRUPTED = "interrupted"
PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may not exceed; None where it may. `max_cost` is of the whole file, in US dollars."""

    rpm: int | None = None
    tpm: int | None = None
    max_cost: float | None = None
    max_questions: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did and what the file holds now, by the last line of each question.

    `left` questions were not asked, because of what `stopped` says; `failed` tells that no limit of the user's did it.
    """

    asked: int
    kept: int
    errors: int
    not_found: int
    left: int = 0
    stopped: str | None = None
    cost_usd: float | None = None
    failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "asked": self.asked,
            "kept": self.kept,
            "errors": self.errors,
            "not_found": self.not_found,
            "left": self.left,
            "stopped": self.stopped,
            "cost_usd": self.cost_usd,
            "failed": self.failed,
        }


def run(
    library: Library,
    questions: Sequence[Question],
    out: Path,
    *,
    workers: int = 1,
    retry_errors: bool = False,
    mix: bool = False,
    limits: Limits = Limits(),
    cache: Path | None = None,
    watcher: Watcher | None = None,
    pausing: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Ask what `out` does not answer yet and append each Answer as one synced line, in order of completion.

    `retry_errors` asks again what ended in an error; `cache` is a folder where the model's replies are kept. Raises
    SettingsError when `out` was made with other settings or another index (unless `mix`), or when a cost is limited
    and prices are unknown; InputError when `out` cannot be written or another run holds it. The first interrupt lets
    what is in flight finish, then KeyboardInterrupt is raised; the second raises it at once. Once `pausing` says so,
    what is in flight finishes and the run ends.
    """
    with appending(out) as file:
        last, spent = read_lines(out)
        if not mix:
            _refuse_other(library, last, out)
        todo = _open_places(questions, last, retry_errors)
        budget = _budget(library, todo, limits, spent, watcher)
        opened = {place.question.id for place in todo}
        tally = Tally(len(questions), (last[q.id].status for q in questions if q.id not in opened))
        with _paced(library, workers, limits, cache) as limiter, first_interrupt(partial(limiter.end, INTERRUPTED)):
            chosen = islice(todo, limits.max_questions)
            for results in _results(library, limiter, chosen, workers, budget, pausing):
                _write(file, results, tally, budget, limiter, watcher or Unwatched())
    if limiter.ended == INTERRUPTED:
        raise KeyboardInterrupt
    waiting = [last[i] for i in opened - tally.ids if i in last]
    return _outcome(tally.standing(), len(questions) - len(todo), waiting, limiter, limits)


def estimate_of(
    library: Library, questions: Sequence[Question], out: Path | None, *, retry_errors: bool = False
) -> Estimate:
    """What it would cost to ask the questions that `out` does not answer yet."""
    last = read_lines(out)[0] if out and out.is_file() else {}
    return estimate(library, [place.question for place in _open_places(questions, last, retry_errors)])


def _open_places(questions: Sequence[Question], last: Mapping[str, Line], retry_errors: bool) -> list[Place]:
    places = (Place(question, position) for position, question in enumerate(questions, 1))
    return [place for place in places if _is_open(place.question, last, retry_errors)]


def _is_open(question: Question, last: Mapping[str, Line], retry_errors: bool) -> bool:
    """Whether a question has to be asked: it never was, or as another question under the same id.

    An error that ends a run (no quota, a bad key) is not the question's own.
    """
    line = last.get(question.id)
    if line is None or line.question != words_sha(question.text):
        return True
    return line.status == "error" and (retry_errors or line.reason in ENDING)


def _refuse_other(library: Library, last: Mapping[str, Line], out: Path) -> None:
    found = {"settings": {line.settings for line in last.values()}, "index": {line.index for line in last.values()}}
    now = {"settings": library.settings.fingerprint(), "index": library.index}
    for name, values in found.items():
        other = values - {now[name]}
        if other:
            raise SettingsError(
                f"{out} holds answers made with other {name} ({', '.join(map(str, sorted(other, key=str)))}).",
                "Choose another --out, or add --mix.",
            )


def _budget(library: Library, todo: Sequence[Place], limits: Limits, spent: float, watcher: Watcher | None) -> Budget:
    """What may be spent; estimates the cost where somebody is there to be told, or a limit depends on it."""
    if library.llm is None or not todo or (limits.max_cost is None and watcher is None):
        return Budget(None, spent, 0.0)
    expected = estimate(library, [place.question for place in todo][: limits.max_questions])
    if watcher is not None:
        watcher.estimated(expected)
    if limits.max_cost is not None and expected.dearest_usd is None:
        raise SettingsError(
            f"The cost cannot be limited: the price of {library.llm.model} is unknown.",
            f"Set FOOTNOTE_PRICES={library.llm.model}=IN/OUT (US dollars for a million tokens).",
        )
    return Budget(limits.max_cost, spent, expected.dearest_usd or 0.0)


@contextmanager
def _paced(library: Library, workers: int, limits: Limits, cache: Path | None) -> Iterator[Limiter]:
    """A limiter that the library's model keeps to, and its cache, for as long as the run lasts."""
    llm = library.llm
    limiter = Limiter(workers, rpm=limits.rpm, tpm=limits.tpm, reply_tokens=llm.max_tokens if llm else 0)
    if llm is None:
        yield limiter
        return
    llm.prepare()
    pace, reply = llm.pace, llm.reply
    llm.pace = limiter
    try:
        if cache is None:
            yield limiter
        else:
            from rag.batch.cache import ReplyCache

            with closing(ReplyCache(cache)) as replies:
                llm.reply = replies.reply
                yield limiter
    finally:
        llm.pace, llm.reply = pace, reply


def _results(
    library: Library,
    limiter: Limiter,
    places: Iterator[Place],
    workers: int,
    budget: Budget,
    pausing: Callable[[], bool],
) -> Iterator[list[Result]]:
    ahead = min(AHEAD, workers) if library.llm else 0

    def may_start(unfinished: int) -> bool:
        if pausing():
            limiter.end(PAUSED)
        return limiter.ended is None and budget.allows(unfinished)

    return work(partial(result_of, library, limiter), places, workers + ahead, may_start)


def _write(
    file: IO[bytes],
    results: Sequence[Result],
    tally: Tally,
    budget: Budget,
    limiter: Limiter,
    watcher: Watcher,
) -> None:
    written = [{**r.answer.to_dict(), "position": r.place.position} for r in results if r.answer is not None]
    if written:
        append(file, written)
    limiter.release(sum(result.slots for result in results))
    for answer in written:
        tally.add(answer)
        budget.spend(answer["usage"]["cost_usd"], asked=answer["model"] is not None)
    watcher.moved(tally.standing(limiter.pause), written)


def _outcome(standing: Standing, kept: int, waiting: Sequence[Line], limiter: Limiter, limits: Limits) -> Outcome:
    """`waiting`: the lines of questions that were to be asked again and were not."""
    left = standing.total - standing.done
    stopped = limiter.ended
    if left and stopped is None:
        by_number = limits.max_questions is not None and standing.asked >= limits.max_questions
        stopped = "--max-questions is reached" if by_number else "--max-cost is reached"
    errors = standing.errors + sum(line.status == "error" for line in waiting)
    return Outcome(
        standing.asked,
        kept,
        errors,
        standing.not_found,
        left,
        stopped,
        standing.cost_usd,
        limiter.ended not in (None, PAUSED),
    )
