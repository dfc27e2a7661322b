"""Claims with the text they are judged against: what the verifier is fitted and measured on."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.text.clean import clean
from rag.text.names import names
from rag.text.sentences import split
from rag.verification.claims import makes_claim
from scripts.cached_embedder import CachedEmbedder
from scripts.edits import EDITS, replace_name, seeded

REPOSITORY = Path(__file__).resolve().parent.parent
LABELS = {"NOINFO": 0, "SUPPORT": 1, "CONTRADICT": 2}
TITLES = 500
VERBATIM = 300
_STATEMENT = re.compile(
    r"\b(?:is|are|can|has|inhibits?|promotes?|regulates?|increases?|reduces?|decreases?|controls?|induces?|requires?|"
    r"enhances?|suppress(?:es)?|mediates?|drives?|improves?|protects?|prevents?|activates?|causes?|predicts?|affects?|"
    r"contributes?|links?|reveals?|impairs?|maintains?|limits?|modulates?|triggers?|blocks?|supports?|associated|"
    r"essential|necessary|required)\b"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, the abstracts it is judged against, what is right (LABELS), its kind and the document it is from."""

    claim: str
    texts: tuple[str, ...]
    label: int
    kind: str
    group: str


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [text[a:b] for a, b in split(text)]


class Corpus:
    """Abstracts by key, and which of them lies nearest to a claim."""

    def __init__(self, texts: Mapping[str, str], embedder: CachedEmbedder) -> None:
        self.texts = dict(texts)
        self.names = sorted({name for text in self.texts.values() for name in names(text)})
        self._embedder = embedder
        self._keys = list(self.texts)
        cut = [sentences(text) for text in self.texts.values()]
        rows = iter(embedder.embed([s for one in cut for s in one]))
        self._matrix = np.stack([_unit(np.sum([next(rows) for _ in one], axis=0)) for one in cut])

    def nearest(self, claim: str, but: Sequence[str]) -> str:
        """Text of the abstract with the highest cosine of its sentences' mean, other than those of the keys `but`."""
        order = np.argsort(-(self._matrix @ self._embedder.embed([claim])[0]))
        return next(self.texts[self._keys[i]] for i in order if self._keys[i] not in but)


def scifact(shared: Path) -> Iterator[Pair]:
    """The training claims of SciFact with their abstracts; a group is a connected component of claims and abstracts."""
    documents = {d["id"]: d["text"] for d in _lines(shared / "bench/scifact/corpus.jsonl")}
    claims = {q["id"]: q for q in _lines(shared / "bench/scifact/queries.jsonl")}
    judged = [line.split()[:2] for line in (shared / "bench/scifact/qrels.tsv").read_text().splitlines()[1:]]
    component = _components(judged)
    for claim, document in judged:
        row = claims[claim]
        yield Pair(row["text"], (documents[document],), LABELS[row["label"]], "scifact", f"s{component[claim]}")


def titles(shared: Path, embedder: CachedEmbedder) -> Iterator[Pair]:
    """Titles that are statements, of SciFact documents no claim refers to: paraphrases of what the abstract finds."""
    judged = {line.split()[1] for line in (shared / "bench/scifact/qrels.tsv").read_text().splitlines()[1:]}
    rng = seeded(3)
    rows = [
        d for d in _lines(shared / "bench/scifact/corpus.jsonl") if d["id"] not in judged and _is_statement(d["title"])
    ]
    rng.shuffle(rows)
    corpus = Corpus({d["id"]: d["text"] for d in rows[:TITLES]}, embedder)
    for row in rows[:TITLES]:
        title = row["title"].rstrip(".") + "."
        yield from _with_negatives("title", title, row["id"], corpus, rng)


def sample(embedder: CachedEmbedder) -> Iterator[Pair]:
    """Paraphrases (scripts/paraphrases.jsonl) and verbatim sentences of the sample corpus, with their edits."""
    rng = seeded(7)
    texts = {r["title"]: r["abstract"] for r in _lines(REPOSITORY / "examples/papers.jsonl") if r.get("abstract")}
    corpus = Corpus(texts, embedder)
    for row in _lines(REPOSITORY / "scripts/paraphrases.jsonl"):
        if row["label"] == "SUPPORT":
            yield from _with_negatives("paraphrase", row["claim"], row["title"], corpus, rng)
        else:
            kind = f"paraphrase {row['label'].lower()}"
            yield Pair(row["claim"], (texts[row["title"]],), LABELS[row["label"]], kind, row["title"])
    for title, text in texts.items():
        cut = sentences(text)
        for one in cut:
            yield from _with_negatives("verbatim", one, title, corpus, rng)
            rest = " ".join(s for s in cut if s != one)
            yield Pair(one, (rest,), 0, "verbatim removed", title)


def seed_neighbours(shared: Path, embedder: CachedEmbedder) -> Iterator[Pair]:
    """Sentences of seeds that no case of gold/dev.jsonl points to, against their own and the nearest other of these."""
    pointed_at = _pointed_at(shared)
    corpus = Corpus({k: t for k, t in _seeds(shared).items() if k not in pointed_at}, embedder)
    for key, one in _drawn(corpus, seeded(5)):
        yield Pair(one, (corpus.texts[key],), 1, "neighbour", key)
        yield Pair(one, (corpus.nearest(one, [key]),), 0, "neighbour wrong", key)


def _drawn(corpus: Corpus, rng: random.Random) -> list[tuple[str, str]]:
    """(key, sentence) of VERBATIM sentences that make a claim, drawn at random."""
    everything = [(k, one) for k, text in corpus.texts.items() for one in sentences(text) if makes_claim(one)]
    return rng.sample(everything, VERBATIM)


def _pointed_at(shared: Path) -> set[str]:
    return {key for case in _lines(shared / "gold/dev.jsonl") for key in case["gold"]}


def reference_answers(shared: Path, embedder: CachedEmbedder) -> Iterator[Pair]:
    """Sentences of the reference answers of gold/dev.jsonl, against all gold abstracts of a case. For measuring."""
    rng = seeded(11)
    corpus = Corpus(_seeds(shared), embedder)
    for case in _lines(shared / "gold/dev.jsonl"):
        if not case["gold"] or case["type"] == "unanswerable":
            continue
        answer = re.sub(r"\s*\(sha-[0-9a-f]{12}\)", "", case["answer"])
        for one in filter(makes_claim, sentences(answer)):
            yield from _with_negatives("answer", one, case["gold"], corpus, rng)


def seed_sentences(shared: Path, embedder: CachedEmbedder) -> Iterator[Pair]:
    """Sentences of the seeds that the cases point to, against their own, the nearest and a random other abstract.

    For measuring only; the others of the seeds are the ones that `seed_neighbours` draws from.
    """
    rng = seeded(13)
    pointed_at = _pointed_at(shared)
    corpus = Corpus({k: t for k, t in _seeds(shared).items() if k in pointed_at}, embedder)
    for key, one in _drawn(corpus, rng):
        yield from _with_negatives("seed", one, key, corpus, rng)
        other = rng.choice([k for k in corpus.texts if k != key])
        yield Pair(one, (corpus.texts[other],), 0, "seed random", key)


def _with_negatives(
    kind: str, claim: str, keys: str | Sequence[str], corpus: Corpus, rng: random.Random
) -> Iterator[Pair]:
    """The claim against its own texts, against the nearest wrong one, and its edits against its own."""
    keys = [keys] if isinstance(keys, str) else list(keys)
    own = tuple(corpus.texts[key] for key in keys)
    yield Pair(claim, own, 1, kind, keys[0])
    yield Pair(claim, (corpus.nearest(claim, keys),), 0, f"{kind} wrong", keys[0])
    for name, edit in EDITS.items():
        edited = edit(claim, rng)
        if edited and edited != claim:
            yield Pair(edited, own, 2, f"{kind} {name}", keys[0])
    renamed = replace_name(claim, rng, corpus.names)
    if renamed:
        yield Pair(renamed, own, 0, f"{kind} name", keys[0])


def _seeds(shared: Path) -> dict[str, str]:
    """Clean abstracts of the seeds by id."""
    found: dict[str, str] = {}
    for path in sorted((shared / "seeds").glob("*.txt")):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            text = " ".join(paragraph.split())
            if len(text.split()) >= 20:
                found["sha-" + hashlib.sha256(text.encode()).hexdigest()[:12]] = clean(paragraph.strip())
    return found


def _components(edges: Sequence[Sequence[str]]) -> dict[str, int]:
    """Claim -> number of its component in the graph of claims and documents."""
    group: dict[str, int] = {}
    for number, (claim, document) in enumerate(edges):
        ends = ("claim " + claim, "document " + document)
        merged = {group[end] for end in ends if end in group}
        group.update((end, number) for end, old in group.items() if old in merged)
        group.update(dict.fromkeys(ends, number))
    return {end.removeprefix("claim "): number for end, number in group.items() if end.startswith("claim ")}


def _is_statement(title: str) -> bool:
    return 6 <= len(title.split()) <= 20 and ":" not in title and "?" not in title and bool(_STATEMENT.search(title))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _unit(row: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = row / np.linalg.norm(row)
    return scaled
