"""check."""

from __future__ import annotations

from typing import Annotated

import typer

from rag.commands.options import opened
from rag.console import HomeOption, JsonOption, print_json, settings_for, wants_json
from rag.errors import SettingsError


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
    library = opened(context, home) if any(claim.evidence is None for claim in claims) else None
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
