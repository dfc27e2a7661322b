"""The command `python -m rag remove`: what it asks, what it says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rag.console import HomeOption, JsonOption, print_json, say, settings_for, wants_json
from rag.errors import SettingsError

if TYPE_CHECKING:
    from ingest.removal import Chosen
    from rag.types import Abstract

SHOWN = 10


def remove(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID...", help="Ids, or any of a paper's aliases.")] = None,
    source: Annotated[list[str] | None, typer.Option("--source", help="All that only this file gave; a glob.")] = None,
    back: Annotated[bool, typer.Option("--undo", help="Put back what was removed last.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Remove abstracts; the next ingest of their files does not bring them back."""
    if bool(ids or source) == back:
        raise SettingsError("Say what to remove.", "Name ids, or --source FILE, or --undo alone.")
    from dataclasses import asdict

    from ingest.weeding import undo, weed
    from rag.embedding import make_embedder

    settings = settings_for(context, home)
    embedder = make_embedder(settings)
    done = undo(settings, embedder) if back else weed(settings, embedder, ids or [], source or [], _confirmation(yes))
    if wants_json(context, json_):
        print_json(asdict(done))
        return 0
    changed = f"Restored {len(done.restored):,}" if back else f"Removed {len(done.removed):,}"
    typer.echo(f"{changed} abstracts. The shelf holds {done.abstracts:,}.")
    if done.removed:
        typer.echo("They stay away until python -m ingest --restore; python -m rag remove --undo puts them back.")
    return 0


def _confirmation(yes: bool) -> Callable[[Chosen, Sequence[Abstract]], bool]:
    def confirm(chosen: Chosen, abstracts: Sequence[Abstract]) -> bool:
        for abstract in abstracts[:SHOWN]:
            say(f"  {abstract.id}  {abstract.label}")
        if yes:
            return True
        more = f" ({len(abstracts) - SHOWN:,} not shown)" if len(abstracts) > SHOWN else ""
        stay = f"; {chosen.shared:,} more stay, other sources have them too" if chosen.shared else ""
        if not sys.stdin.isatty():
            raise SettingsError(f"This would remove {len(abstracts):,} abstracts{stay}.", "Add --yes to let it.")
        return typer.confirm(f"Remove {len(abstracts):,} abstracts{more}{stay}?", err=True)

    return confirm
