"""From cases to a run: ask what is not answered yet, score it, and set the baselines beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.batch import Limits, Outcome, Watcher
from rag.batch import run as run_batch
from rag.errors import SettingsError
from rag.evaluate.about import about, code_hash, prompts_hash
from rag.evaluate.answers import scorable_answers
from rag.evaluate.baselines import COPY_TOP, QUOTES, copied_answers, quotes_answers
from rag.evaluate.case import Case
from rag.evaluate.cases import checked
from rag.evaluate.judge import Scorer, SupportJudge
from rag.evaluate.run import ANSWERS, RUN, Baseline, Run, read_run, write_lines
from rag.evaluate.scoring import score_answers
from rag.evaluate.summary import summarise
from rag.evaluate.verifying import VerifierJudge
from rag.library import Library
from rag.types import Abstract

Answers = Mapping[str, Mapping[str, Any]]
MIX = "--mix"


@dataclass(frozen=True, slots=True)
class How:
    """How cases are answered and judged; `limits`, `workers`, `cache`, `retry_errors` and `pausing` as in a batch.

    `judge` None: our own verifier. `scorers` add metrics to the built-in ones.
    """

    workers: int = 1
    retry_errors: bool = False
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    cache: Path | None = None
    watcher: Watcher | None = None
    judge: SupportJudge | None = None
    scorers: Sequence[Scorer] = field(default_factory=tuple)
    pausing: Callable[[], bool] = lambda: False


def shelf_of(library: Library, names: Iterable[str]) -> dict[str, Abstract | None]:
    """The abstract behind each name: an id, an alias, or a key of the file it came from; None where there is none."""
    return {name: library.catalogue.get(name) or library.catalogue.get(f"file:{name}") for name in set(names)}


def on_shelf(library: Library, cases: Sequence[Case], *, keep_missing: bool = False) -> tuple[Case, ...]:
    """The cases with the ids of the shelf as gold; raises CasesError as `checked` does."""
    shelf = shelf_of(library, (name for case in cases for name in case.gold))
    return checked(cases, shelf, keep_missing=keep_missing)


def answer_cases(
    library: Library, cases: Sequence[Case], folder: Path, how: How
) -> tuple[dict[str, dict[str, Any]], Outcome]:
    """Ask what `folder` has no answer to yet, as a batch does, and raise what it raises; all answers by id.

    Raises SettingsError where other prompts or other code made the answers that are there.
    """
    _refuse_other_code(folder)
    out = folder / ANSWERS
    try:
        outcome = run_batch(
            library,
            [case.question for case in cases],
            out,
            workers=how.workers,
            retry_errors=how.retry_errors,
            limits=how.limits,
            cache=how.cache,
            watcher=how.watcher,
            pausing=how.pausing,
        )
    except SettingsError as error:
        # A batch may mix them; a run of mixed answers would measure nothing.
        raise SettingsError(error.message, _as_they_are(folder) if MIX in error.fix else error.fix) from None
    return scorable_answers(out), outcome


def keep_answers(given: Path, cases: Sequence[Case], folder: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """The answers of a file to these cases, written into `folder` too, and how many it has to others."""
    found = scorable_answers(given)
    answers = {case.id: found[case.id] for case in cases if case.id in found}
    if given.resolve() != (folder / ANSWERS).resolve():
        write_lines(folder / ANSWERS, list(answers.values()))
    return answers, len(found) - len(answers)


def evaluate(library: Library, cases: Sequence[Case], answers: Answers, folder: Path, how: How = How()) -> Run:
    """Score answers to `cases`, whose gold are ids of the shelf; baselines are answered where they are missing.

    The same answers on the same shelf give the same numbers to the last digit.
    """
    judge = how.judge or VerifierJudge(library)
    wanted = {case.id: answers[case.id] for case in cases if case.id in answers}
    shelf = _cited(library, wanted.values())
    scores = score_answers(cases, wanted, shelf, judge, how.scorers)
    lines = tuple(case.to_dict() for case in cases)
    return Run(
        about=about(library.settings, lines, wanted.values(), judge.name),
        cases=lines,
        answers=wanted,
        scores=scores,
        summary=summarise(scores),
        baselines=_baselines(library, cases, wanted, folder),
    )


def _refuse_other_code(folder: Path) -> None:
    """A batch that goes on would mix them with the new ones, or ask nothing and measure the old."""
    if not (folder / RUN).is_file():
        return
    made = read_run(folder).about
    for what, before, now in (("prompts", made.prompts, prompts_hash()), ("code", made.code, code_hash())):
        if before != now:
            raise SettingsError(
                f"The answers in {folder} were made with other {what}.",
                _as_they_are(folder),
            )


def _as_they_are(folder: Path) -> str:
    return f"Choose another --out, or score them as they are with --answers {folder / ANSWERS}."


def _baselines(library: Library, cases: Sequence[Case], answers: Answers, folder: Path) -> dict[str, Baseline]:
    """Judged by the verifier whatever judges the run: it is free. A run of quotes is its own baseline.

    Their times are left out: answered anew they would be others, and the numbers of a run no longer the same.
    """
    if _is_quotes(library, cases, answers):
        quotes = answers
    else:
        quotes = quotes_answers(library, [case.question for case in cases], folder / "baselines")
    quotes = {identity: {**answer, "seconds": {}} for identity, answer in quotes.items()}
    shelf = _cited(library, quotes.values())
    judge = VerifierJudge(library)
    found = {}
    for name, answers in ((QUOTES, quotes), (COPY_TOP, copied_answers(quotes, shelf))):
        scores = score_answers(cases, answers, shelf, judge)
        found[name] = Baseline(scores, summarise(scores))
    return found


def _is_quotes(library: Library, cases: Sequence[Case], answers: Answers) -> bool:
    plain = library.settings.model_copy(update={"llm_model": None}).fingerprint()
    made = [answers.get(case.id, {}) for case in cases]
    return all(answer.get("settings") == plain and answer.get("index") == library.index for answer in made)


def _cited(library: Library, answers: Iterable[Mapping[str, Any]]) -> dict[str, Abstract]:
    """The abstracts that answers speak of, as far as the shelf still has them."""
    ids = {item["id"] for answer in answers for name in ("hits", "citations") for item in answer.get(name) or []}
    return library.catalogue.many(sorted(ids))
