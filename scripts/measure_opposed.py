"""Prints sentences of reference answers that another abstract found for the question is said to oppose.

python -m scripts.measure_opposed --home DIR, a shelf of the seeds. Few of them disagree, so
nearly all that is printed is a false alarm.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.config import load_settings
from rag.found import find
from rag.library import Library
from rag.text.sentences import split
from rag.types import Question
from rag.verify import Source
from scripts.fit_verifier import shared_data


def main() -> None:
    """Print the pairs called opposite, and how many were tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True, help="shelf of the seeds, by the bundled embedder")
    library = Library(load_settings(None, home=parser.parse_args().home))
    tried = opposed = 0
    for case in _cases():
        for sentence, sources in _pairs(library, case):
            found = library.verifier.opposing(sentence, library.embedder.embed_query(sentence), sources)
            tried, opposed = tried + len(sources), opposed + len(found)
            for identity in found:
                print(f"{sentence}  <- {identity}")  # noqa: T201
    print(f"{opposed} of {tried}")  # noqa: T201
    library.close()


def _cases() -> Iterator[dict[str, Any]]:
    for line in (shared_data() / "gold/dev.jsonl").read_text(encoding="utf-8").splitlines():
        case: dict[str, Any] = json.loads(line)
        if case["gold"] and case["type"] != "unanswerable" and not case.get("history"):
            yield case


def _pairs(library: Library, case: dict[str, Any]) -> Iterator[tuple[str, list[Source]]]:
    """Each sentence of the reference answer with the abstracts found that are none of its own."""
    found = find(library, Question(case["question"]), case["question"])
    others = [c for c in found.candidates if c.hit.abstract.id not in case["gold"]]
    sources = [Source(c.hit.abstract.id, c.hit.abstract.text, c.spans, c.vectors) for c in others]
    for start, end in split(case["answer"]):
        yield case["answer"][start:end], sources


if __name__ == "__main__":
    main()
