"""How many tokens a text takes, counted with tiktoken's cl100k_base from the file that llama-index-core carries."""

from __future__ import annotations

import os
import threading
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import FootnoteError

if TYPE_CHECKING:
    from tiktoken import Encoding

# Other tokenizers need more tokens for the same text: over 150 abstracts SmolLM2's 1.02 times as many (at most 1.12),
# WordPiece 1.08 (at most 1.17).
MARGIN = 1.25
MESSAGE_TOKENS = 8  # what a chat template adds to each message

_PIECE = 2000  # characters encoded at once: the time tiktoken takes for one unbroken word grows faster than its length

_REMEMBERED = 4000  # characters up to which counts are kept: an abstract in its block, not a whole prompt
_LOADING = threading.Lock()  # a thread that loads changes the environment of all


def count(text: str) -> int:
    """Tokens of cl100k_base, special tokens taken as plain text."""
    return _remembered(text) if len(text) <= _REMEMBERED else _count(text)


def _count(text: str) -> int:
    with _LOADING:
        encoding = _encoding()
    return sum(len(encoding.encode_ordinary(text[i : i + _PIECE])) for i in range(0, len(text), _PIECE))


_remembered = lru_cache(maxsize=2048)(_count)


@cache
def _encoding() -> Encoding:
    # tiktoken looks for its files where this variable says, and downloads them otherwise.
    previous = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_bundled_files())
    try:
        from tiktoken import get_encoding

        return get_encoding("cl100k_base")
    finally:
        if previous is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = previous


def _bundled_files() -> Path:
    """The folder of tokenizer files, found without importing llama_index."""
    spec = find_spec("llama_index.core")
    for location in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(location) / "_static" / "tiktoken_cache"
        if folder.is_dir():
            return folder
    raise FootnoteError("The tokenizer files of llama-index-core are missing.", "Run pip install -r requirements.txt.")
