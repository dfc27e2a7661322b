"""`python -m rag`: all commands in one program."""

from __future__ import annotations

import typer

from ingest.removing import remove
from rag.commands import asking, checking, files
from rag.console import HomeOption, JsonOption
from rag.doctoring.command import doctor
from rag.evaluate import command as evaluation

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=False)


@app.callback()
def main(home: HomeOption = None, json_: JsonOption = False) -> None:
    """Ask a shelf of paper abstracts; every sentence of the answer carries a checked footnote."""


app.command()(asking.search)
app.command()(asking.ask)
app.command()(asking.chat)
app.command()(files.batch)
app.command()(files.export)
app.command()(checking.check)
app.command("make-cases")(evaluation.make_cases)
app.command()(doctor)
app.command()(evaluation.evaluate)
app.command()(evaluation.compare)
app.command("evaluate-judge")(evaluation.evaluate_judge)
app.command()(remove)
