"""How well the product's own retriever ranks, beside three baselines, on collections with judgements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ingest.pipeline import Options, ingest
from rag.bench.baselines import DEPTH, OneVector, full_text, reciprocal_rank_fusion
from rag.bench.collections import Collection, Query
from rag.bench.metrics import MEASURES, PerQuery, difference, score
from rag.config import Settings
from rag.library import Library
from rag.retrieve import retrieve
from rag.rewriting import other_queries, standalone_question
from rag.types import Question

PRODUCT = "footnote"
BASELINES = ("one vector", "full text", "rrf")


@dataclass(frozen=True, slots=True)
class Result:
    """Values per query of every system on one collection."""

    collection: str
    kinds: Sequence[str]
    values: Mapping[str, PerQuery]

    def to_dict(self) -> dict[str, Any]:
        """Means by system, for gold also by type, and how the product compares with each baseline."""
        means = {system: {m: float(v.mean()) for m, v in per.items()} for system, per in self.values.items()}
        product = self.values[PRODUCT]["nDCG@10"]
        compared = {name: difference(product, self.values[name]["nDCG@10"]) for name in BASELINES}
        kinds = np.array(self.kinds)
        by_type = {
            kind: {m: float(v[kinds == kind].mean()) for m, v in self.values[PRODUCT].items()}
            for kind in dict.fromkeys(self.kinds)
            if kind
        }
        return {
            "collection": self.collection,
            "queries": len(self.kinds),
            "means": means,
            "ndcg@10_minus": {name: {"mean": mean, "half_width": half} for name, (mean, half) in compared.items()},
            "by_type": by_type,
        }


def measure(collection: Collection, settings: Settings, cache: Path, progress: Callable[[str], None]) -> Result:
    """Ingest the collection into `cache` (once) and rank every judged query by each system."""
    from rag.embedding import make_embedder

    home = cache / f"{collection.name}-{settings.embed_model.replace('/', '_')}"
    placed = settings.model_copy(update={"home": home})
    embedder = make_embedder(settings)
    files = [str(path) for path in collection.corpus]
    ingest(files, placed, embedder, Options(titles=True), lambda what, n, of: progress(f"{what} {n}/{of or '?'}"))
    library = Library(placed, embedder)
    try:
        judged = _judged(library, collection.queries)
        rankings = _rankings(library, [query for query in collection.queries if query.id in judged])
        values = {system: score(found, judged) for system, found in rankings.items()}
        return Result(collection.name, [query.kind for query in collection.queries if query.id in judged], values)
    finally:
        library.close()


def _judged(library: Library, queries: Sequence[Query]) -> dict[str, dict[str, int]]:
    """Grades by stored id; of several documents with one text the highest grade counts."""
    found: dict[str, dict[str, int]] = {}
    for query in queries:
        grades: dict[str, int] = {}
        for name, grade in query.judged.items():
            # A judged document that could not be stored is still a document that was not found.
            identity = library.catalogue.find(name) or name
            grades[identity] = max(grade, grades.get(identity, 0))
        found[query.id] = grades
    return found


def _rankings(library: Library, queries: Sequence[Query]) -> dict[str, dict[str, list[str]]]:
    one_vector = OneVector(library)
    rankings: dict[str, dict[str, list[str]]] = {name: {} for name in (PRODUCT, *BASELINES)}
    llm, others = library.llm, library.settings.queries - 1
    for query in queries:
        text = standalone_question(llm, Question(query.text, history=tuple(query.history))).text
        hits = retrieve(library, text, DEPTH, others=other_queries(llm, text, others).texts).hits
        rankings[PRODUCT][query.id] = [hit.abstract.id for hit in hits]
        vector = library.embedder.embed_query(text)
        rankings["one vector"][query.id] = one_vector.rank(vector)
        rankings["full text"][query.id] = full_text(library, text)
        pair = [rankings["one vector"][query.id], rankings["full text"][query.id]]
        rankings["rrf"][query.id] = reciprocal_rank_fusion(pair)
    return rankings


def as_text(result: Result) -> str:
    """The tables of one collection."""
    facts = result.to_dict()
    lines = [f"{facts['collection']} ({facts['queries']} queries)"]
    lines.append(f"  {'':12s}" + "".join(f"{name:>10s}" for name in MEASURES))
    for system, means in facts["means"].items():
        lines.append(f"  {system:12s}" + "".join(f"{means[name]:10.3f}" for name in MEASURES))
    for name, delta in facts["ndcg@10_minus"].items():
        lines.append(f"  nDCG@10 minus {name}: {delta['mean']:+.3f} ± {delta['half_width']:.3f}")
    for kind, means in facts["by_type"].items():
        lines.append(f"    {kind:14s}" + "".join(f"{means[name]:10.3f}" for name in MEASURES))
    return "\n".join(lines)
