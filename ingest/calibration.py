"""Measures on the index itself where the questions begin that it can answer."""

from __future__ import annotations

import json

import numpy as np

from rag.catalogue import Catalogue
from rag.embedding import Embedder
from rag.quoting.calibrate import calibrate

SAMPLE = 1000
"""Abstracts measured on, evenly spread over the shelf."""


def calibrate_index(catalogue: Catalogue, embedder: Embedder, index: str) -> None:
    """Store thresholds with the index, measured on a sample of its abstracts."""
    ids = catalogue.ids()
    sample = ids[:: max(1, len(ids) // SAMPLE)]
    vectors = list(catalogue.vectors(sample, index).values())
    if not vectors:
        return
    owners = [number for number, some in enumerate(vectors) for _ in some.sentences]
    sentences = np.concatenate([some.sentences for some in vectors])
    wholes = np.stack([some.passages[0] for some in vectors])
    thresholds = calibrate(embedder, sentences, owners, wholes)
    catalogue.set_meta({"thresholds": json.dumps(thresholds.to_dict())})
