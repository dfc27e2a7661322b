"""The batch command: a run from its plan to the last line it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.batch.run import Limits, Outcome, estimate_of, run
from rag.batch.watch import estimate_text, usd, watching
from rag.console import print_json, say
from rag.errors import SettingsError
from rag.export import check_format, export
from rag.library import Library
from rag.types import Question


@dataclass(frozen=True, slots=True)
class Plan:
    """What the command was told; `exports` are formats to write beside `out` at the end."""

    questions: Sequence[Question]
    out: Path | None
    workers: int
    retry_errors: bool
    mix: bool
    limits: Limits
    cache: Path | None
    exports: tuple[str, ...]


def named(out: Path | None) -> Path:
    """The file for the answers; raises SettingsError where none was named."""
    if out is None:
        raise SettingsError("No file for the answers was named.", "Add --out FILE.")
    return out


def say_estimate(library: Library, plan: Plan, *, as_json: bool) -> int:
    """Say what the questions not answered yet would cost; returns the exit status."""
    expected = estimate_of(library, plan.questions, plan.out, retry_errors=plan.retry_errors)
    if as_json:
        print_json(expected.to_dict())
    else:
        say(estimate_text(expected))
    return 0


def work_off(library: Library, plan: Plan, *, as_json: bool) -> int:
    """Run the plan and say how it ended; returns the exit status: 1 for errors, or an end that nobody asked for."""
    out = named(plan.out)
    for name in plan.exports:
        check_format(name)
    with watching(events=as_json) as watcher:
        outcome = run(
            library,
            plan.questions,
            out,
            workers=plan.workers,
            retry_errors=plan.retry_errors,
            mix=plan.mix,
            limits=plan.limits,
            cache=plan.cache,
            watcher=watcher,
        )
    written = [export(out, name, None, [q.id for q in plan.questions]).path for name in plan.exports]
    if as_json:
        print_json(outcome.to_dict())
    else:
        say(_summary(out, outcome))
        for path in written:
            say(f"{path} is written.")
    return int(outcome.errors > 0 or outcome.failed)


def _summary(out: Path, outcome: Outcome) -> str:
    parts = [
        f"{out}: {outcome.asked:,} answered now, {outcome.kept:,} before; "
        f"{outcome.not_found:,} not found, {outcome.errors:,} errors"
    ]
    if outcome.cost_usd is not None:
        parts.append(f"{usd(outcome.cost_usd)} spent")
    text = ", ".join(parts) + "."
    if outcome.left:
        text += f" {outcome.left:,} were not asked: {outcome.stopped}. Run it again to continue."
    elif outcome.errors:
        text += " Add --retry-errors to ask those again."
    return text
