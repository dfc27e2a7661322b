"""The commands of evaluation. What they need is imported when they run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.console import HomeOption, JsonOption, print_json, say, settings_for, wants_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag.evaluate.case import Case
    from rag.evaluate.evaluation import How
    from rag.evaluate.gates import Gate, Verdict
    from rag.evaluate.judges.bench import Bench
    from rag.evaluate.run import Run
    from rag.library import Library


def evaluate(
    context: typer.Context,
    cases: Annotated[
        Path, typer.Argument(metavar="CASES", help="A .jsonl file, a table with question, or a folder like BEIR's.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run.")],
    answers: Annotated[Path | None, typer.Option("--answers", help="Score these instead of asking.")] = None,
    gate: Annotated[
        list[str] | None, typer.Option("--gate", help='"ndcg@10>=0.85", or "facts>=baseline-0.01".')
    ] = None,
    baseline: Annotated[Path | None, typer.Option("--baseline", metavar="DIR", help="Run that gates refer to.")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Questions in flight at once.")] = 1,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Ask again what ended in an error.")] = False,
    keep_missing: Annotated[
        bool, typer.Option("--keep-missing", help="Gold that is not on the shelf counts as not found.")
    ] = False,
    rpm: Annotated[int | None, typer.Option("--rpm", min=1, help="Most requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option("--tpm", min=1, help="Most tokens a minute.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Most US dollars for the run.")] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Keep the model's replies there.")
    ] = None,
    judge: Annotated[
        str, typer.Option("--judge", help="Ask a model too: faithfulness,relevancy,correctness, with commas.")
    ] = "",
    judge_model: Annotated[
        str | None, typer.Option("--judge-model", metavar="MODEL", help="Judge (FOOTNOTE_LLM_MODEL).")
    ] = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Answer cases and score the answers; run it again to continue where it stopped."""
    from rag.batch import Limits
    from rag.evaluate.cases import read_cases
    from rag.evaluate.display import gate_line, problems_of, run_as_text
    from rag.evaluate.evaluation import How
    from rag.evaluate.report import write_reports
    from rag.evaluate.run import write_run
    from rag.library import Library

    as_json = wants_json(context, json_)
    gates = _Gates(gate or [], baseline)
    asked = _said(read_cases, cases)
    library = Library(settings_for(context, home))
    try:
        bench = _bench(library, judge, judge_model, cache or out / "judge")
        known = _on_shelf(library, asked, keep_missing=keep_missing)
        gates.refuse_other_cases(known)
        how = How(workers, retry_errors, Limits(rpm, tpm, max_cost), cache)
        run = _run(library, known, answers, out, how, bench, as_json)
    finally:
        library.close()
    write_run(run, out)
    verdicts, problems = gates.verdicts(run), problems_of(run)
    write_reports(run, out, [gate_line(one) for one in verdicts if not one.ok])
    if as_json:
        print_json({**run.summary_dict(), "gates": [one.to_dict() for one in verdicts], "problems": problems})
    else:
        typer.echo(run_as_text(run))
    for line in (*problems, *(gate_line(one) for one in verdicts)):
        say(line)
    return int(bool(problems) or not all(one.ok for one in verdicts))


def compare(
    context: typer.Context,
    a: Annotated[Path, typer.Argument(metavar="DIR_A", help="The folder of a run.")],
    b: Annotated[Path, typer.Argument(metavar="DIR_B", help="Another, on the same cases.")],
    json_: JsonOption = False,
) -> int:
    """Is the second run better than the first, by how much, where, and could chance have done it?"""
    from rag.evaluate.compare import compare as compared
    from rag.evaluate.display import comparison_as_text
    from rag.evaluate.run import read_run

    comparison = compared(read_run(a), read_run(b))
    if wants_json(context, json_):
        print_json(comparison.to_dict())
    else:
        typer.echo(comparison_as_text(comparison))
    return 0


def evaluate_judge(
    context: typer.Context,
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS", help="JSON Lines of claim, evidence and label (supported, ...).")
    ],
    judge: Annotated[str, typer.Option("--judge", help="verifier (ours), or model.")] = "verifier",
    judge_model: Annotated[
        str | None, typer.Option("--judge-model", metavar="MODEL", help="Model that judges (FOOTNOTE_LLM_MODEL).")
    ] = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """How far does a judge agree with people, beyond chance?"""
    from rag.evaluate.judges.bench import as_text
    from rag.evaluate.judges.bench import evaluate_judge as compared

    name, found = compared(settings_for(context, home), labels, judge, judge_model)
    if wants_json(context, json_):
        print_json({"judge": name, **found.to_dict()})
    else:
        typer.echo(as_text(name, found))
    return 0


class _Gates:
    """The gates of a run; raises, before anything is asked, for what could not be judged."""

    def __init__(self, texts: Sequence[str], baseline: Path | None) -> None:
        from rag.errors import SettingsError
        from rag.evaluate.gates import parse_gate
        from rag.evaluate.run import read_run

        self._gates: list[Gate] = [parse_gate(text) for text in texts]
        self._stored = read_run(baseline) if baseline else None
        if self._stored is None and any(gate.relative for gate in self._gates):
            raise SettingsError("A gate refers to a baseline and none was named.", "Add --baseline DIR.")

    def refuse_other_cases(self, cases: Sequence[Case]) -> None:
        """Raises InputError where the stored run is of other cases."""
        from rag.evaluate.compare import refuse_other_cases

        if self._stored is not None:
            refuse_other_cases(self._stored.cases, [case.to_dict() for case in cases])

    def verdicts(self, run: Run) -> list[Verdict]:
        """Each gate, judged."""
        from rag.evaluate.gates import check_gate

        stored = self._stored.summary if self._stored else None
        return [check_gate(gate, run.summary, stored) for gate in self._gates]


def _said(function: Any, *arguments: Any, **options: Any) -> Any:
    """What the function returns; of several faults of cases some are said before the error ends all."""
    from rag.evaluate.faults import SHOWN, CasesError

    try:
        return function(*arguments, **options)
    except CasesError as error:
        for fault in error.faults[1:SHOWN]:
            say(str(fault))
        raise


def _on_shelf(library: Library, cases: Sequence[Case], *, keep_missing: bool) -> Sequence[Case]:
    from rag.evaluate.evaluation import on_shelf

    known: Sequence[Case] = _said(on_shelf, library, cases, keep_missing=keep_missing)
    return known


def _bench(library: Library, judges: str, model: str | None, replies: Path) -> Bench | None:
    from rag.evaluate.judges.bench import Bench, judge_llm, parse_judges

    names = parse_judges(judges)
    return Bench(names, judge_llm(library.settings, model), replies) if names else None


def _run(
    library: Library,
    cases: Sequence[Case],
    given: Path | None,
    out: Path,
    how: How,
    bench: Bench | None,
    as_json: bool,
) -> Run:
    from rag.evaluate.evaluation import evaluate

    answers = _answers(library, cases, given, out, how, as_json)
    if bench is None:
        return evaluate(library, cases, answers, out, how)
    say(f"{bench.llm.model} judges the answers.")
    ratings = bench.rate(library, cases, answers, how.workers)
    run = evaluate(library, cases, answers, out, replace(how, scorers=(*how.scorers, ratings)))
    return replace(run, about=replace(run.about, judges=bench.names))


def _answers(
    library: Library, cases: Sequence[Case], given: Path | None, out: Path, how: How, as_json: bool
) -> dict[str, dict[str, Any]]:
    from rag.batch.watch import watching
    from rag.evaluate.evaluation import answer_cases, keep_answers

    if given is not None:
        kept, strangers = keep_answers(given, cases, out)
        if strangers:
            say(f"{given} has {strangers} answers to no case; they are left out.")
        return kept
    with watching(events=as_json) as watcher:
        answers, outcome = answer_cases(library, cases, out, replace(how, watcher=watcher))
    if outcome.stopped:
        say(f"{outcome.left} were not asked: {outcome.stopped}. Run it again to continue.")
    if library.llm is not None:
        say("Scoring; the baselines are answered meanwhile, without the model.")
    return answers


def make_cases(
    context: typer.Context,
    number: Annotated[int, typer.Option("--n", min=1, max=10_000, help="How many.")] = 100,
    out: Annotated[Path | None, typer.Option("--out", help="JSON Lines file, a new one; else stdout.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Equal seeds draft equal cases.")] = 7,
    no_model: Annotated[bool, typer.Option("--no-model", help="Without the language model of the settings.")] = False,
    home: HomeOption = None,
) -> int:
    """Draft cases for evaluation from the shelf's own abstracts, for you to check."""
    from rag.evaluate.drafts.command import make_cases as draft

    return draft(settings_for(context, home), number, seed, out, use_model=not no_model)
