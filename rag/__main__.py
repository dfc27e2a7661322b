"""`python -m rag`: the commands. Heavy parts are imported by the command that needs them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.removing import remove
from rag.console import HomeOption, JsonOption, hurry, print_json, run, say, settings_for, wants_json
from rag.doctoring.command import doctor
from rag.errors import QuestionError, SettingsError
from rag.evaluate import command as evaluation

if TYPE_CHECKING:
    from rag.library import Library
    from rag.types import Filters

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=False)

Words = Annotated[list[str], typer.Argument(metavar="QUESTION", help="In quotes, or as several words.")]
Year = Annotated[str | None, typer.Option("--year", metavar="2019-2023", help="Only these years.")]
Author = Annotated[list[str] | None, typer.Option("--author", help="Only papers by this author (part of a name).")]
Source = Annotated[list[str] | None, typer.Option("--source", help="Only from this file (part of its name).")]
Keyword = Annotated[list[str] | None, typer.Option("--keyword", help="Only papers with this keyword.")]
Id = Annotated[list[str] | None, typer.Option("--id", help="Only this paper, by any of its identifiers.")]
Model = Annotated[str | None, typer.Option("--model", help="Language model (FOOTNOTE_LLM_MODEL).")]


@app.callback()
def main(home: HomeOption = None, json_: JsonOption = False) -> None:
    """Ask a shelf of paper abstracts; every sentence of the answer carries a checked footnote."""


@app.command()
def search(
    context: typer.Context,
    query: Words,
    k: Annotated[int, typer.Option("--k", min=1, max=1000, help="How many abstracts.")] = 10,
    year: Year = None,
    author: Author = None,
    source: Source = None,
    keyword: Keyword = None,
    id_: Id = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """List the abstracts that fit a query best, with their ranks by meaning and by words."""
    hurry()
    text = _text(query)
    filters = _filters(year, author, source, keyword, id_)
    library = _open(context, home)
    from rag.display import search_as_dict, search_as_text
    from rag.retrieve import search as find
    from rag.text.language import NOTE, seems_foreign

    hits = find(library, text, k, filters)
    if library.settings.embed_model == "bundled" and seems_foreign(text):
        typer.echo(NOTE, err=True)
    if wants_json(context, json_):
        print_json(search_as_dict(text, hits))
    else:
        typer.echo(search_as_text(hits))
    library.close()
    return 0


@app.command()
def ask(
    context: typer.Context,
    question: Words,
    year: Year = None,
    author: Author = None,
    source: Source = None,
    keyword: Keyword = None,
    id_: Id = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=100, help="Abstracts the answer may use.")] = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Answer a question from the abstracts, each sentence with its footnote."""
    from rag.answer import ask as answer_of
    from rag.display import answer_as_text
    from rag.types import Question

    asked = Question(_text(question), filters=_filters(year, author, source, keyword, id_), top_k=top_k)
    library = _open(context, home)
    answer = answer_of(library, asked)
    if wants_json(context, json_):
        print_json(answer.to_dict())
    else:
        typer.echo(answer_as_text(answer))
    library.close()
    return int(answer.status == "error")


@app.command()
def chat(
    context: typer.Context,
    year: Year = None,
    author: Author = None,
    source: Source = None,
    keyword: Keyword = None,
    id_: Id = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Talk with the shelf in the terminal; an empty line or Ctrl-D ends."""
    from rag.answer import ask as answer_of
    from rag.display import answer_as_text
    from rag.types import Question, Turn

    filters = _filters(year, author, source, keyword, id_)
    library = _open(context, home)
    history: tuple[Turn, ...] = ()
    while text := _next_line():
        answer = answer_of(library, Question(text, history=history, filters=filters))
        if wants_json(context, json_):
            print_json(answer.to_dict())
        else:
            typer.echo(answer_as_text(answer) + "\n")
        history = (*history, Turn("user", text), Turn("assistant", answer.answer))
    library.close()
    return 0


@app.command()
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
    asked = read_questions(questions, _filters(year, author, source, keyword, id_), column=column, blocks=paragraphs)
    limits = Limits(rpm, tpm, max_cost, max_questions)
    plan = Plan(asked, out, workers, retry_errors, mix, limits, cache, tuple(export_to or ()))
    library = _open(context, home)
    try:
        return (say_estimate if estimate else work_off)(library, plan, as_json=wants_json(context, json_))
    finally:
        library.close()


@app.command("export")
def export_answers(
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
    from rag.export import export
    from rag.questions import read_questions

    ids = [q.id for q in read_questions(questions, column=column, blocks=paragraphs)] if questions else None
    written = export(file, to, out, ids)
    if wants_json(context, json_):
        print_json({"path": str(written.path), "answers": written.answers, "missing": written.missing})
    else:
        missing = f"; {written.missing} questions have no answer yet" if written.missing else ""
        say(f"{written.path}: {written.answers} answers{missing}.")
    return 0


@app.command()
def check(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A text, or JSON Lines with claim and evidence.")],
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", help="Verdicts, with commas, that end with status 1.")
    ] = None,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Is it so? Check each sentence of a text against the shelf, or claims against texts given with them."""
    from rag.check import check_claims, read_claims
    from rag.display import VERDICTS, check_as_text
    from rag.embedding import make_embedder

    wanted = [verdict.strip() for verdict in (fail_on or "").split(",") if verdict.strip()]
    if unknown := sorted(set(wanted) - set(VERDICTS)):
        raise SettingsError(f"--fail-on knows no {', '.join(unknown)}.", f"Known are {', '.join(VERDICTS)}.")
    claims = read_claims(file)
    library = _open(context, home) if any(claim.evidence is None for claim in claims) else None
    embedder = library.embedder if library else make_embedder(settings_for(context, home))
    failed = False
    for result in check_claims(claims, library, embedder):
        failed |= result["verdict"] in wanted
        if wants_json(context, json_):
            print_json(result)
        else:
            typer.echo(check_as_text(result))
    if library:
        library.close()
    return int(failed)


@app.command("make-cases")
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


app.command()(doctor)
app.command()(evaluation.evaluate)
app.command()(evaluation.compare)
app.command("evaluate-judge")(evaluation.evaluate_judge)
app.command()(remove)


def _open(context: typer.Context, home: Path | None) -> Library:
    from rag.vectors import preload

    preload()
    from rag.library import Library

    library = Library(settings_for(context, home))
    library.prepare()
    return library


def _text(words: list[str]) -> str:
    text = " ".join(words).strip()
    if not text:
        raise QuestionError("The question is empty.", "Write it in quotes behind the command.")
    return text


def _next_line() -> str:
    if sys.stdin.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()
    return sys.stdin.readline().strip()


def _filters(year: str | None, author: Any, source: Any, keyword: Any, id_: Any) -> Filters:
    from rag.filters import parse

    return parse({"year": year, "author": author, "source": source, "keyword": keyword, "id": id_})


if __name__ == "__main__":
    run(app, "python -m rag")
