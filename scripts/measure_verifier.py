"""Prints how the verifier judges sentences it was not fitted on: python -m scripts.measure_verifier --cache DIR."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from rag.embedders.bundled import BundledEmbedder
from rag.text.sentences import split
from rag.verify import Judgement, Source, Verifier
from scripts.cached_embedder import CachedEmbedder
from scripts.fit_verifier import shared_data
from scripts.pairs import Pair, reference_answers, seed_sentences

VERDICTS = ("supported", "partly", "unsupported", "contradicted", "unchecked")


def main() -> None:
    """Print a table of verdicts by kind of pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    parser.add_argument("--show", default="", help="print the pairs of this kind with their verdicts")
    arguments = parser.parse_args()
    embedder, verifier = CachedEmbedder(BundledEmbedder(), arguments.cache), Verifier.load()
    pairs = [*reference_answers(shared_data(), embedder), *seed_sentences(shared_data(), embedder)]
    judged = [(pair, judge(verifier, embedder, pair)) for pair in pairs]
    _print_table(judged)
    for pair, judgement in judged:
        if pair.kind == arguments.show:
            print(judgement.verdict, judgement.p_supported, judgement.missing, pair.claim)  # noqa: T201


def judge(verifier: Verifier, embedder: CachedEmbedder, pair: Pair) -> Judgement:
    """The pair's claim against its texts, all of them cited."""
    return verifier.check(pair.claim, embedder.embed([pair.claim])[0], _sources(pair.texts, embedder, cited=True))


def _sources(texts: Iterable[str], embedder: CachedEmbedder, *, cited: bool) -> list[Source]:
    found = []
    for i, text in enumerate(texts):
        spans = tuple(split(text))
        vectors = embedder.embed([text[a:b] for a, b in spans])
        found.append(Source(str(i), text, spans, vectors, cited))
    return found


def _print_table(judged: Sequence[tuple[Pair, Judgement]]) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for pair, judgement in judged:
        counts[pair.kind][judgement.verdict] += 1
    print(f"{'kind':20} {'n':>5} {'accepted':>9}", *(f"{v:>13}" for v in VERDICTS))  # noqa: T201
    for kind, counter in sorted(counts.items()):
        n = counter.total()
        accepted = (counter["supported"] + counter["partly"]) / n
        print(f"{kind:20} {n:5} {accepted:9.3f}", *(f"{counter[v] / n:13.3f}" for v in VERDICTS))  # noqa: T201


if __name__ == "__main__":
    main()
