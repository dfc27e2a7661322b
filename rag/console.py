"""How commands speak: JSON or text on stdout, everything else on stderr, errors in one line, honest exit codes."""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.exceptions import TyperException

from rag.errors import FootnoteError

if TYPE_CHECKING:
    from rag.config import Settings

INTERRUPTED = 130

HomeOption = Annotated[
    Path | None, typer.Option("--home", metavar="DIR", help="Folder of the shelf (FOOTNOTE_HOME, else ./data).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]


def settings_for(context: typer.Context, home: Path | None) -> Settings:
    """Settings with `--home` as given to the command, or to the program before it."""
    from rag.config import load_settings

    return load_settings(home=home or _before(context, "home"))


def wants_json(context: typer.Context, here: bool) -> bool:
    """Whether `--json` was given to the command, or to the program before it."""
    return here or bool(_before(context, "json_"))


def _before(context: typer.Context, name: str) -> Any:
    parent = context.parent
    return parent.params.get(name) if parent else None


def hurry() -> None:
    """For a command that ends at once: collecting garbage while modules are imported costs a tenth of its time."""
    gc.disable()


def print_json(value: Any) -> None:
    """One JSON document on one line of stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def say(line: str) -> None:
    """A line for the person, on stderr."""
    sys.stderr.write(line + "\n")


def run(app: typer.Typer, name: str) -> None:
    """Run the program and exit: 0 done, 1 failed, 2 wrong usage or settings, 130 interrupted."""
    _speak_utf8()
    status = status_of(app, name, sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # everything is closed; taking the libraries down politely costs a tenth of a short command


def status_of(app: typer.Typer, name: str, arguments: list[str]) -> int:
    """Run the program with these arguments and return its exit status; an error is one line on stderr."""
    try:
        status = typer.main.get_command(app).main(arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that went away is expected
    except FootnoteError as error:
        say(f"{name}: {with_home(str(error), arguments)}")
        return error.exit_code
    except TyperException as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        say(f"{name}: {' '.join(text.split())} Try: {name} --help")
        return 2
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away, as `| head` does; Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        say(f"{name}: {what}{error.strerror or error}.")
        return 1
    finally:
        gc.enable()
    if status == INTERRUPTED:  # Typer turns Ctrl-C into this status, in silence
        say(f"{name}: interrupted; what was finished is kept.")
    return status if isinstance(status, int) else 0


def with_home(text: str, arguments: Sequence[str]) -> str:
    """A message whose commands name the shelf that this command was given."""
    given = [(*argument.split("=", 1), *arguments[n + 1 : n + 2]) for n, argument in enumerate(arguments)]
    home = next((values[1] for values in given if values[0] == "--home" and len(values) > 1), None)
    if home is None:
        return text
    return re.sub(r"python -m (?:ingest|rag)\b(?! --home)", lambda m: f"{m[0]} --home {shlex.quote(home)}", text)


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
