"""`python -m rag.bench`: what each part achieves, measured here and now."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from rag.console import JsonOption, print_json, run, say
from rag.errors import InputError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Cache = Annotated[Path, typer.Option("--cache", metavar="DIR", help="Where indexes are kept between runs.")]
Data = Annotated[
    Path | None, typer.Option("--collections", metavar="DIR", help="Test data (TEST_DATA_DIR, else ../shared).")
]


@app.callback()
def main() -> None:
    """Quality and speed, as ratios within one run; machines differ, ratios less."""


@app.command()
def retrieval(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Some collections only.")] = None,
    collections: Data = None,
    cache: Cache = Path("data/bench"),
    json_: JsonOption = False,
) -> int:
    """Rank judged queries with the product and three baselines: nDCG@10, recall, reciprocal rank."""
    from rag.bench.collections import collections as found
    from rag.bench.retrieval import as_text, measure
    from rag.config import load_settings

    settings = load_settings()
    for collection in found(test_data(collections), names):
        result = measure(collection, settings, cache, say)
        if json_:
            print_json(result.to_dict())
        else:
            typer.echo(as_text(result))
    return 0


def test_data(given: Path | None) -> Path:
    """The folder of test data; raises InputError where there is none."""
    folder = given or Path(os.environ.get("TEST_DATA_DIR") or "../shared")
    if not folder.is_dir():
        raise InputError(f"There is no test data in {folder}.", "Name it with --collections or TEST_DATA_DIR.")
    return folder


if __name__ == "__main__":
    run(app, "python -m rag.bench")
