"""`python -m rag doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rag.console import HomeOption, JsonOption, print_json, settings_for, wants_json

if TYPE_CHECKING:
    from ingest.mending import Repair
    from rag.doctoring.check import Check

SHOWN = 20
"""Findings listed in the printed report; `--json` has all."""


def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended, and say what was done.")] = False,
    thorough: Annotated[bool, typer.Option("--thorough", help="Look up every vector of a large shelf.")] = False,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Examine the shelf: catalogue, full text, vectors, embedder, model server, records that look wrong."""
    from rag.doctor import examine

    settings = settings_for(context, home)
    checks = examine(settings, thorough=thorough)
    repairs: list[Repair] = []
    if fix:
        from ingest.mending import mend

        repairs = mend(settings, checks)
        checks = examine(settings, thorough=thorough) if repairs else checks
    if wants_json(context, json_):
        done = {"repairs": [repair.to_dict() for repair in repairs]} if fix else {}
        print_json({"ok": all(c.ok for c in checks), "checks": [c.to_dict() for c in checks], **done})
    else:
        _print(checks, repairs)
    return int(not all(c.ok for c in checks))


def _print(checks: list[Check], repairs: list[Repair]) -> None:
    for repair in repairs:
        typer.echo(f"{'mended' if repair.done else 'FAILED'}  {repair.name}: {repair.detail}")
    for check in checks:
        typer.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}")
        for finding in check.findings[:SHOWN]:
            typer.echo(f"      {finding}")
        if len(check.findings) > SHOWN:
            typer.echo(f"      and {len(check.findings) - SHOWN} more; --json lists all.")
        if check.fix:
            typer.echo(f"      {check.fix}")
