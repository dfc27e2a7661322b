"""`python -m ingest PATH...`: bring files of abstracts into the shelf."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.telling import told
from rag.console import HomeOption, JsonOption, print_json, settings_for
from rag.errors import InputError, SettingsError

if TYPE_CHECKING:
    from ingest.pipeline import Progress
    from ingest.report import Report

STORED = "What came before is on the shelf; the same command goes on from there."

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Files, folders, globs, -, or feeds: arxiv:QUERY ...")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Most records from each feed.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report what would happen and write nothing.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove what is no longer in the PATHs it came from.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Take other text for a known id from another file.")] = False,
    titles: Annotated[bool, typer.Option("--titles", help="Keep records without an abstract by their title.")] = False,
    no_merge: Annotated[bool, typer.Option("--no-merge", help="Join only records of one id.")] = False,
    restore: Annotated[bool, typer.Option("--restore", help="Take back what was removed by hand.")] = False,
    report_to: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the whole report there, as text.")
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Embed everything anew with the set embedder.")] = False,
) -> int:
    """Bring files of abstracts into the shelf, of any format in docs/formats.md. Run it again at any time."""
    if not names and not rebuild:
        raise SettingsError("No file was given.", "Name files or folders: python -m ingest PATH...")
    settings = settings_for(context, home)
    from ingest.pipeline import Options, ingest
    from rag.embedding import make_embedder

    options = Options(
        dry_run=dry_run,
        prune=prune,
        update=update,
        titles=titles,
        merge=not no_merge,
        restore=restore,
        rebuild=rebuild,
        confirm=_confirmation(yes),
        limit=limit,
    )
    with _progress(hidden=as_json) as progress:
        report = ingest(names or [], settings, make_embedder(settings), options, progress)
    if as_json:
        print_json(report.to_dict())
    else:
        typer.echo(told(report, dry_run=dry_run, rebuilt=rebuild and not names))
    if report_to:
        _write(report_to, told(report, dry_run=dry_run, rebuilt=rebuild and not names, limit=None))
    if names:
        ensure_read(report)
    return 0


def ensure_read(report: Report) -> None:
    """Raises InputError where nothing could be read, or where a feed ended before its end."""
    if not report.read - report.rejected + report.withheld + len(report.conflicts):
        raise InputError("Nothing could be read.", _first_reason(report))
    for broken in report.rejects:
        if broken.broken_off:
            raise InputError(f"{broken.where} {broken.reason}.", STORED)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"The report {file} cannot be written: {error.strerror}.", "The shelf is up to date."
        ) from error


def _confirmation(yes: bool) -> Callable[[int], bool]:
    def confirm(number: int) -> bool:
        if yes:
            return True
        if not sys.stdin.isatty():
            raise SettingsError(f"--prune would remove {number} abstracts.", "Add --yes to let it.")
        return typer.confirm(f"Remove {number} abstracts?", err=True)

    return confirm


def _first_reason(report: Report) -> str:
    if not report.rejects:
        return "The files hold no records."
    first = report.rejects[0]
    return f"{first.where}: {first.reason}."


@contextmanager
def _progress(*, hidden: bool) -> Iterator[Progress]:
    """A bar with a rate on a terminal, nothing elsewhere."""
    if hidden or not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None, rate="")

        def show(what: str, done: int, total: int | None) -> None:
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, description=what, completed=done, total=total, rate=f"{speed:.0f}/s" if speed else "")

        yield show
