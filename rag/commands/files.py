"""batch, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rag.commands.options import Author, Id, Keyword, Source, Year, filters_of, opened
from rag.console import HomeOption, JsonOption, print_json, say, settings_for, wants_json


def batch(
    context: typer.Context,
    questions: Annotated[
        str, typer.Argument(metavar="QUESTIONS", help="A .txt, .csv, .tsv, .xlsx, .jsonl or .json file, or -.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="JSON Lines file the answers are appended to.")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Questions in flight at once.")] = 1,
    retry_errors: Annotated[bool, typer.Option("--retry-errors", help="Ask again what ended in an error.")] = False,
    mix: Annotated[bool, typer.Option("--mix", help="Append to answers made with other settings.")] = False,
    column: Annotated[str | None, typer.Option("--column", help="Column or key of the questions.")] = None,
    paragraphs: Annotated[bool, typer.Option("--paragraphs", help="Text: blank lines part questions.")] = False,
    rpm: Annotated[int | None, typer.Option("--rpm", min=1, help="Most requests a minute.")] = None,
    tpm: Annotated[int | None, typer.Option("--tpm", min=1, help="Most tokens a minute.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Most US dollars for the file.")] = None,
    max_questions: Annotated[int | None, typer.Option("--max-questions", min=0, help="Most to ask now.")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it would cost and stop.")] = False,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="DIR", help="Keep the model's replies there.")
    ] = None,
    export_to: Annotated[
        list[str] | None, typer.Option("--export", metavar="FORMAT", help="csv, xlsx, md or html, beside --out.")
    ] = None,
    year: Year = None,
    author: Author = None,
    source: Source = None,
    keyword: Keyword = None,
    id_: Id = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Answer a file of questions; run it again to continue where it stopped."""
    from rag.batch import Limits
    from rag.batch.session import Plan, named, say_estimate, work_off
    from rag.questions import read_questions

    if not estimate:
        named(out)
    asked = read_questions(questions, filters_of(year, author, source, keyword, id_), column=column, blocks=paragraphs)
    limits = Limits(rpm, tpm, max_cost, max_questions)
    plan = Plan(asked, out, workers, retry_errors, mix, limits, cache, tuple(export_to or ()))
    library = opened(context, home)
    try:
        return (say_estimate if estimate else work_off)(library, plan, as_json=wants_json(context, json_))
    finally:
        library.close()


def export(
    context: typer.Context,
    what: Annotated[str, typer.Argument(metavar="WHAT", help="answers, feedback (given in the chat), or shelf.")],
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The answers of a batch, JSON Lines.")] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Answers: csv, xlsx, md, html; shelf: jsonl, ris, bib, csv.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where to; default: FILE with the format's ending.")] = None,
    questions: Annotated[str | None, typer.Option("--questions", help="Their file: its order, and no others.")] = None,
    column: Annotated[str | None, typer.Option("--column", help="Column or key of the questions.")] = None,
    paragraphs: Annotated[bool, typer.Option("--paragraphs", help="Text: blank lines part questions.")] = False,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Write a batch's answers as a table, workbook, Markdown or page; the chat's feedback as cases; or the shelf."""
    if what == "shelf" and file is None:
        from ingest.writers.command import export_shelf

        return export_shelf(settings_for(context, home).home, to, out, as_json=wants_json(context, json_))
    if what == "feedback" and file is None:
        from rag.chats.command import export_feedback

        return export_feedback(settings_for(context, home), out)
    if what != "answers" or file is None or to is None:
        raise typer.BadParameter("write: export answers FILE --to FORMAT, export feedback, or export shelf --out FILE.")
    from rag.export import export as write
    from rag.questions import read_questions

    ids = [q.id for q in read_questions(questions, column=column, blocks=paragraphs)] if questions else None
    written = write(file, to, out, ids)
    if wants_json(context, json_):
        print_json({"path": str(written.path), "answers": written.answers, "missing": written.missing})
    else:
        missing = f"; {written.missing} questions have no answer yet" if written.missing else ""
        say(f"{written.path}: {written.answers} answers{missing}.")
    return 0
