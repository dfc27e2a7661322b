"""Fits rag/data/verifier.json: python -m scripts.fit_verifier --cache DIR.

Needs scikit-learn and the folder of test data (TEST_DATA_DIR, or `shared` beside the repository). Seeds are fixed: a
second run writes the same coefficients where numpy and scikit-learn are the same.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.neural_network import MLPClassifier

from rag.embedders.bundled import BundledEmbedder
from rag.verification.scorer import DATA, Scorer
from rag.verification.signals import TEXT_SIGNALS, VECTOR_SIGNALS, Sentences, measure
from scripts.cached_embedder import CachedEmbedder
from scripts.pairs import REPOSITORY, Pair, sample, scifact, seed_neighbours, sentences, titles

Floats = NDArray[np.float64]

HIDDEN, ALPHA, STARTS, FOLDS = 16, 4.0, 6, 5
# How much a pair of each kind counts; kinds that are made by the hundred count less. Anything else counts 0.3.
WEIGHTS = {
    "scifact": 1.0, "paraphrase": 3.0, "paraphrase contradict": 2.0, "paraphrase noinfo": 2.0, "paraphrase wrong": 1.0,
    "paraphrase direction": 1.5, "paraphrase name": 1.5, "paraphrase number": 1.0, "paraphrase negation": 1.0,
    "paraphrase swap": 1.5, "title": 0.6, "verbatim": 1.0, "verbatim removed": 0.15, "neighbour wrong": 0.6,
}  # fmt: skip
THRESHOLDS = {"supported": 0.5, "partly": 0.25, "balance": 0.5, "contradicted": 0.4, "named": 0.9}
"""Chosen on the held-out paraphrases; `rag.verify.Thresholds` says what each means."""


def main() -> None:
    """Fit, cross-validate and write the coefficients."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    parser.add_argument("--out", type=Path, default=DATA)
    arguments = parser.parse_args()
    embedder = CachedEmbedder(BundledEmbedder(), arguments.cache)
    shared = shared_data()
    pairs = [*scifact(shared), *titles(shared, embedder), *sample(embedder), *seed_neighbours(shared, embedder)]
    values = signals_of(pairs, embedder)
    k = len(VECTOR_SIGNALS)
    held_out = {"with_vectors": cross_validated(pairs, values), "text_only": cross_validated(pairs, values[:, k:])}
    data: dict[str, Any] = {
        "signals": {"vector": VECTOR_SIGNALS, "text": TEXT_SIGNALS},
        "thresholds": THRESHOLDS,
        "held_out": {name: scores(pairs, p) for name, p in held_out.items()},
        "with_vectors": fitted(pairs, values, VECTOR_SIGNALS + TEXT_SIGNALS),
        "text_only": fitted(pairs, values[:, k:], TEXT_SIGNALS),
    }
    arguments.out.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(json.dumps({"pairs": len(pairs), "thresholds": data["thresholds"], **data["held_out"]}, indent=1))  # noqa: T201


def shared_data() -> Path:
    """The folder of test data."""
    return Path(os.environ.get("TEST_DATA_DIR") or REPOSITORY.parent / "shared")


def signals_of(pairs: Sequence[Pair], embedder: CachedEmbedder) -> Floats:
    """Signals (n, m) of the pairs, those of several abstracts taken together."""
    cut = [tuple(s for text in pair.texts for s in sentences(text)) for pair in pairs]
    embedder.embed(list(dict.fromkeys([p.claim for p in pairs] + [s for one in cut for s in one])))
    rows = [
        measure(pair.claim, embedder.embed([pair.claim])[0], Sentences(one, embedder.embed(one))).values
        for pair, one in zip(pairs, cut, strict=True)
    ]
    return np.array(rows)


def fitted(pairs: Sequence[Pair], values: Floats, names: Sequence[str]) -> dict[str, Any]:
    """Coefficients of a few small networks, in the form `Scorer.of` reads."""
    mean, scale = values.mean(0), values.std(0)
    scale[scale == 0] = 1.0
    labels = np.array([p.label for p in pairs])
    weights = np.array([WEIGHTS.get(p.kind, 0.3) for p in pairs])
    networks = []
    for seed in range(STARTS):
        network = MLPClassifier(
            (HIDDEN,),
            alpha=ALPHA,
            max_iter=300,
            random_state=seed,
            learning_rate_init=3e-3,
            tol=1e-3,
            n_iter_no_change=8,
        )
        network.fit((values - mean) / scale, labels, sample_weight=weights)
        parts = (network.coefs_[0], network.intercepts_[0], network.coefs_[1], network.intercepts_[1])
        networks.append(
            dict(zip(("hidden", "hidden_bias", "output", "output_bias"), map(_rounded, parts), strict=True))
        )
    return {"signals": list(names), "mean": _rounded(mean), "scale": _rounded(scale), "networks": networks}


def cross_validated(pairs: Sequence[Pair], values: Floats) -> Floats:
    """Probabilities (n, 3) of each pair by networks that saw no claim about its documents."""
    groups = _shuffled_groups(pairs)
    probabilities = np.zeros((len(pairs), 3))
    names = [str(i) for i in range(values.shape[1])]
    for train, test in GroupKFold(FOLDS).split(values, groups=groups):
        scorer = Scorer.of(fitted([pairs[i] for i in train], values[train], names))
        probabilities[test] = [scorer(row) for row in values[test]]
    return probabilities


def _shuffled_groups(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    names = sorted({p.group for p in pairs})
    order = np.random.default_rng(0).permutation(len(names))
    number = dict(zip(names, order.tolist(), strict=True))
    return np.array([number[p.group] for p in pairs])


def scores(pairs: Sequence[Pair], p: Floats) -> dict[str, Any]:
    """Areas under the curve on SciFact's claims; for the other kinds the share accepted before any rule, and n."""
    labels = np.array([pair.label if pair.kind == "scifact" else -1 for pair in pairs])
    areas = {
        name: round(float(roc_auc_score(labels[chosen] == 1, p[chosen, 1])), 3)
        for name, chosen in {
            "SUPPORT against NOINFO": (labels == 1) | (labels == 0),
            "SUPPORT against all": labels >= 0,
            "SUPPORT against CONTRADICT": (labels == 1) | (labels == 2),
        }.items()
    }
    kinds = sorted({pair.kind for pair in pairs if pair.kind != "scifact"})
    accepted = (p[:, 1] >= THRESHOLDS["partly"]) & (p[:, 1] >= THRESHOLDS["balance"] * p[:, 2])
    rows = {k: [bool(a) for pair, a in zip(pairs, accepted, strict=True) if pair.kind == k] for k in kinds}
    return {"scifact_auc": areas, "accepted": {k: [round(float(np.mean(v)), 3), len(v)] for k, v in rows.items()}}


def _rounded(array: Floats) -> Any:
    return np.round(array, 5).tolist()


if __name__ == "__main__":
    main()
