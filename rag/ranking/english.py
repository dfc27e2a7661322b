"""Words known to be English, whatever the shelf holds."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from rag.embedders.bundled import TOKENIZER
from rag.errors import FootnoteError


def is_english(word: str) -> bool:
    """Whether a lower-case word is a usual English one, British or American, in any inflection."""
    return word in common_words()


@cache
def common_words() -> frozenset[str]:
    """Some 80,000: the words with inflections of the NIH's SPECIALIST Lexicon, as lemminflect carries them, and the
    whole words of the bundled tokenizer's vocabulary, which has what does not inflect.

    Takes a quarter of a second the first time. Raises FootnoteError where a file is missing.
    """
    with gzip.open(_inflections(), "rt", encoding="utf-8") as lines:
        inflected = {line.partition(",")[0] for line in lines}
    pieces: dict[str, int] = json.loads(TOKENIZER.located().read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in inflected.union(pieces) if word.isalpha())


def _inflections() -> Path:
    # Read as data: importing the package loads models that are not needed.
    spec = find_spec("lemminflect")
    for place in (spec.submodule_search_locations if spec else None) or []:
        path = Path(place) / "resources" / "lemma_lu.csv.gz"
        if path.is_file():
            return path
    raise FootnoteError("The words of lemminflect are missing.", "Run pip install -r requirements.txt.")
