"""search, ask, chat."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rag.commands.options import Author, Id, Keyword, Source, Words, Year, filters_of, opened, text_of
from rag.console import HomeOption, JsonOption, hurry, print_json, wants_json


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
    text = text_of(query)
    filters = filters_of(year, author, source, keyword, id_)
    library = opened(context, home)
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

    asked = Question(text_of(question), filters=filters_of(year, author, source, keyword, id_), top_k=top_k)
    library = opened(context, home)
    answer = answer_of(library, asked)
    if wants_json(context, json_):
        print_json(answer.to_dict())
    else:
        typer.echo(answer_as_text(answer))
    library.close()
    return int(answer.status == "error")


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

    filters = filters_of(year, author, source, keyword, id_)
    library = opened(context, home)
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


def _next_line() -> str:
    if sys.stdin.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()
    return sys.stdin.readline().strip()
