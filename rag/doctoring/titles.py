"""Titles that belong to another paper than the abstract below them.

No content word of the title stands in the abstract, and by its vector the title is nearer to many other abstracts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag.catalogue import Catalogue
from rag.library import Library
from rag.text.words import words

LEAST_WORDS = 3
"""Content words a title needs before it can be said not to fit."""
PREFIX = 5
"""Letters by which a title's word is looked for in the abstract, whatever its ending."""
ASKED = 300
"""Titles embedded at most: some seconds."""
OTHERS = 500
"""Abstracts, evenly spread, that a title is compared with."""
FEW = 20
"""Abstracts below which nothing can be said of shares."""
AMONG = 0.1
"""A title nearer to more than this share of other abstracts than to its own does not fit."""


def misfits(library: Library) -> list[str]:
    """The ids of papers whose title and abstract do not fit; none where the embedder is on a server."""
    if library.settings.embed_model.startswith("openai:"):
        return []
    rows = library.catalogue.connection.execute("SELECT id, title, text FROM abstract WHERE title > '' ORDER BY key")
    doubtful = {identity: title for identity, title, text in rows if _shares_nothing(title, text)}
    asked = list(doubtful)[:ASKED]
    if not asked or library.catalogue.counts()[0] < FEW:
        return []
    titles = library.embedder.embed([doubtful[identity] for identity in asked])
    everyone = library.catalogue.ids()
    others = _meanings(library.catalogue, everyone[:: -(-len(everyone) // OTHERS)], library.index)
    own = _meanings(library.catalogue, asked, library.index)
    crowd = np.stack(list(others.values()))
    return [i for i, title in zip(asked, titles, strict=True) if i in own and _is_lost(title, own[i], crowd)]


def _shares_nothing(title: str, text: str) -> bool:
    content = {word.lower for word in words(title) if word.is_content and len(word.lower) > 2}
    below = text.lower()
    return len(content) >= LEAST_WORDS and not any(word[:PREFIX] in below for word in content)


def _meanings(catalogue: Catalogue, ids: Sequence[str], index: str) -> dict[str, NDArray[np.float32]]:
    """Unit vectors of what abstracts say by themselves: passages' vectors know the title, sentences' do not."""
    means = {identity: found.sentences.mean(axis=0) for identity, found in catalogue.vectors(ids, index).items()}
    return {identity: mean / max(float(np.linalg.norm(mean)), 1e-9) for identity, mean in means.items()}


def _is_lost(title: NDArray[np.float32], own: NDArray[np.float32], crowd: NDArray[np.float32]) -> bool:
    return bool(np.mean(crowd @ title > float(own @ title)) > AMONG)
