"""Prints how often a question's premise is called contradicted, by where the question is from.

python -m scripts.measure_premises. Questions are put to the abstracts judged relevant to them, without retrieval.
Statements become questions by "How come", yes/no questions by "Why". What is true of a kind stands in its name.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rag.quotes import Candidate
from rag.quoting.premise import contradiction
from rag.text.sentences import split
from rag.types import Abstract, Hit, Ranks, Span
from rag.verify import Verifier
from scripts.edits import EDITS, seeded
from scripts.fit_verifier import shared_data
from scripts.pairs import sentences

REPOSITORY = Path(__file__).resolve().parent.parent
MOST = 12
"""Abstracts that a question is put to."""
_YES_NO = re.compile(r"(?:does|is|do|are|did|was|has)\b", re.IGNORECASE)


class Asked(NamedTuple):
    """A question, the abstracts it is put to, and where it is from."""

    kind: str
    question: str
    texts: Sequence[str]


def main() -> None:
    """Print a line for each kind; with --show, the questions of a kind that are called so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", default="", metavar="KIND", help="print the questions of this kind")
    show, verifier = parser.parse_args().show, Verifier.load()
    asked, called = Counter[str](), Counter[str]()
    for one in [*_judged(shared_data()), *_sample()]:
        against = contradiction(
            one.question, [_candidate(text) for text in one.texts if text.strip()], lambda: verifier
        )
        asked[one.kind] += 1
        called[one.kind] += against is not None
        if against is not None and one.kind == show:
            print(one.question, "<-", against.candidate.sentence(against.sentence))  # noqa: T201
    for kind, number in asked.items():
        print(f"{kind:34} {number:5} {called[kind]:5}")  # noqa: T201


def _candidate(text: str) -> Candidate:
    nowhere = np.zeros((1, 1), np.float32)
    hit = Hit(Abstract(text, text, text), 1.0, Ranks(1, 1), Span(0, len(text)))
    return Candidate(hit, tuple(split(text)), nowhere, nowhere[0])


def _judged(shared: Path) -> Iterator[Asked]:
    """Questions of public collections, as they are and with "Why", and SciFact's claims."""
    for name in ("cystic_fibrosis", "cranfield", "cacm", "pubmedqa_l"):
        for query, texts in _relevant(shared / "bench" / name):
            question = query["text"]
            yield Asked(name, question, texts)
            if _YES_NO.match(question):
                yield Asked(f"{name}, why, {query.get('decision', 'any')}", f"Why {_lowered(question)}", texts)
    for query, texts in _relevant(shared / "bench/scifact"):
        yield Asked(f"scifact {query['label']}", _how_come(query["text"]), texts)


def _relevant(folder: Path) -> Iterator[tuple[dict[str, Any], list[str]]]:
    texts = {document["id"]: document["text"] for document in _lines(folder / "corpus.jsonl")}
    found: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split()[:3]
        if int(grade) > 0 or folder.name == "scifact":
            found[query].append(texts[document])
    for query_ in _lines(folder / "queries.jsonl"):
        if query_["id"] in found:
            yield query_, found[query_["id"]][:MOST]


def _sample() -> Iterator[Asked]:
    """Hand-written claims about the sample corpus and its own sentences, as they are and edited."""
    rng = seeded(7)
    texts = {r["title"]: r["abstract"] for r in _lines(REPOSITORY / "examples/papers.jsonl") if r.get("abstract")}
    rows = [
        (f"claim {r['label']}", r["claim"], texts[r["title"]]) for r in _lines(REPOSITORY / "scripts/paraphrases.jsonl")
    ]
    rows += [("verbatim", sentence, text) for text in texts.values() for sentence in sentences(text)]
    for kind, sentence, text in rows:
        yield Asked(kind, _how_come(sentence), [text])
        if kind in ("claim SUPPORT", "verbatim"):
            edited = ((name, edit(sentence, rng)) for name, edit in EDITS.items() if name != "swap")
            yield from (Asked(f"{kind}, {name} changed", _how_come(new), [text]) for name, new in edited if new)


def _how_come(sentence: str) -> str:
    return f"How come {_lowered(sentence).rstrip('.')}?"


def _lowered(text: str) -> str:
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
