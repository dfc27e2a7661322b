"""Collections with relevance judgements, as folders of corpus, queries and judgements."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.errors import InputError
from rag.types import Turn

GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Query:
    """A query and the grade of each judged document (above 0: relevant)."""

    id: str
    text: str
    judged: Mapping[str, int]
    kind: str = ""
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Collection:
    """`corpus` are the files to ingest; `queries` those with a relevant document: unjudged ones cannot be scored."""

    name: str
    corpus: tuple[Path, ...]
    queries: tuple[Query, ...] = field(repr=False)


def collections(data: Path, names: list[str] | None = None) -> Iterator[Collection]:
    """The gold questions and every folder of `data/bench` with judgements; raises InputError for an unknown name."""
    found = {path.parent.name: path.parent for path in sorted((data / "bench").glob("*/qrels.tsv"))}
    known = [GOLD, *found]
    for name in names or known:
        if name not in known:
            raise InputError(f"There is no collection {name} in {data}.", f"Known are {', '.join(known)}.")
        collection = gold(data) if name == GOLD else judged(found[name])
        if collection.queries:
            yield collection


def gold(data: Path) -> Collection:
    """The questions of `gold/dev.jsonl` over the text dumps of `seeds`."""
    cases = list(_json_lines(data / "gold" / "dev.jsonl"))
    queries = [
        Query(
            str(case["id"]),
            case["question"],
            dict.fromkeys(case["gold"], 1),
            case["type"],
            tuple(Turn(turn["role"], turn["content"]) for turn in case.get("history") or []),
        )
        for case in cases
        if case["gold"]
    ]
    return Collection(GOLD, tuple(sorted((data / "seeds").glob("*.txt"))), tuple(queries))


def judged(folder: Path) -> Collection:
    """`corpus.jsonl` (id, title, text), `queries.jsonl` (id, text), `qrels.tsv` (qid, docid, rel)."""
    grades: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            grades.setdefault(row["qid"], {})[f"file:{row['docid']}"] = int(row["rel"])
    queries = [
        Query(str(row["id"]), row["text"], grades[str(row["id"])])
        for row in _json_lines(folder / "queries.jsonl")
        if any(grade > 0 for grade in grades.get(str(row["id"]), {}).values())
    ]
    return Collection(folder.name, (folder / "corpus.jsonl",), tuple(queries))


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())
