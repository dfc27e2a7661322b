"""What several commands take, and what they make of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.console import settings_for
from rag.errors import QuestionError

if TYPE_CHECKING:
    from rag.library import Library
    from rag.types import Filters

Words = Annotated[list[str], typer.Argument(metavar="QUESTION", help="In quotes, or as several words.")]
Year = Annotated[str | None, typer.Option("--year", metavar="2019-2023", help="Only these years.")]
Author = Annotated[list[str] | None, typer.Option("--author", help="Only papers by this author (part of a name).")]
Source = Annotated[list[str] | None, typer.Option("--source", help="Only from this file (part of its name).")]
Keyword = Annotated[list[str] | None, typer.Option("--keyword", help="Only papers with this keyword.")]
Id = Annotated[list[str] | None, typer.Option("--id", help="Only this paper, by any of its identifiers.")]
Model = Annotated[str | None, typer.Option("--model", help="Language model (FOOTNOTE_LLM_MODEL).")]


def opened(context: typer.Context, home: Path | None) -> Library:
    """The shelf that the command line names, its stores loading meanwhile."""
    from rag.vectors import preload

    preload()
    from rag.library import Library

    library = Library(settings_for(context, home))
    library.prepare()
    return library


def text_of(words: list[str]) -> str:
    """The words of a question; raises QuestionError where there is none."""
    text = " ".join(words).strip()
    if not text:
        raise QuestionError("The question is empty.", "Write it in quotes behind the command.")
    return text


def filters_of(year: str | None, author: Any, source: Any, keyword: Any, id_: Any) -> Filters:
    """Filters from their options; raises SettingsError."""
    from rag.filters import parse

    return parse({"year": year, "author": author, "source": source, "keyword": keyword, "id": id_})
