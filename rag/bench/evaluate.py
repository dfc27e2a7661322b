"""How often a comparison raises a false alarm, and how often it finds a difference that is there."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.pipeline import ingest
from rag.config import Settings
from rag.evaluate.bootstrap import interval
from rag.evaluate.cases import read_cases
from rag.evaluate.evaluation import How, answer_cases, evaluate, on_shelf
from rag.evaluate.metrics import METRICS
from rag.evaluate.run import Run, write_run
from rag.evaluate.significance import LEVEL, mcnemar, randomisation, smallest_difference
from rag.library import Library

SPLITS = 200
NAMES = ("ndcg@10", "recall@10", "facts", "gold_cited", "citation_precision", "answered")


@dataclass(frozen=True, slots=True)
class Alarms:
    """Shares of SPLITS random halves of one run, paired at random, of which a test says that they differ.

    Both halves are of one system, so every alarm is a false one. `found` is the share with an alarm of the
    randomisation test after the smallest difference that so many pairs can show was added to one half: 0.8 by design.
    `mcnemar` is None where values are not yes or no.
    """

    metric: str
    pairs: int
    randomisation: float
    bootstrap: float
    mcnemar: float | None
    found: float

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return asdict(self)

    def as_text(self) -> str:
        """One line."""
        more = "" if self.mcnemar is None else f", McNemar {self.mcnemar:.3f}"
        return (
            f"{self.metric:20s}{self.pairs:4d} pairs: false alarms of the randomisation test {self.randomisation:.3f}, "
            f"of the bootstrap interval {self.bootstrap:.3f}{more}; a planted difference is found in {self.found:.3f}"
        )


def gold_run(data: Path, settings: Settings, cache: Path, progress: Callable[[str], None]) -> Run:
    """The gold questions over their abstracts, answered by quotes; both kept in `cache`."""
    from rag.embedding import make_embedder

    placed = settings.model_copy(update={"home": cache / "gold-evaluate", "llm_model": None})
    embedder = make_embedder(placed)
    files = [str(path) for path in sorted((data / "seeds").glob("*.txt"))]
    ingest(files, placed, embedder, progress=lambda what, n, of: progress(f"{what} {n}/{of or '?'}"))
    library = Library(placed, embedder)
    try:
        cases = read_cases(data / "gold" / "dev.jsonl")
        known = on_shelf(library, cases)
        folder = cache / "gold-run"
        answers, _ = answer_cases(library, known, folder, How(workers=2))
        run = evaluate(library, known, answers, folder)
    finally:
        library.close()
    write_run(run, folder)
    return run


def measure(run: Run) -> list[Alarms]:
    """For each of NAMES that has enough values in the run."""
    values = {name: [score.values[name] for score in run.scores if name in score.values] for name in NAMES}
    return [alarms(name, some) for name, some in values.items() if len(some) >= 8]


def alarms(name: str, values: Sequence[float], splits: int = SPLITS) -> Alarms:
    """The rates over `splits` halvings of `values`."""
    rng = random.Random(0)  # noqa: S311 - a draw that can be repeated
    alarmed = dict.fromkeys(("randomisation", "bootstrap", "mcnemar", "found"), 0)
    for _ in range(splits):
        drawn = np.array(rng.sample(list(values), len(values) // 2 * 2))
        first, second = drawn[::2], drawn[1::2]
        deltas = second - first
        low, high = interval(deltas.tolist()) or (0.0, 0.0)
        alarmed["randomisation"] += randomisation(deltas) <= LEVEL
        alarmed["bootstrap"] += low > 0 or high < 0
        alarmed["mcnemar"] += mcnemar(first, second) <= LEVEL
        alarmed["found"] += randomisation(deltas + (smallest_difference(deltas) or 0.0)) <= LEVEL
    rates: dict[str, Any] = {test: count / splits for test, count in alarmed.items()}
    if not METRICS[name].yes_no:
        rates["mcnemar"] = None
    return Alarms(name, len(values) // 2, **rates)
