"""Is it so? Claims against given texts, or a text's sentences against the shelf."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError
from rag.text.sentences import split
from rag.verify import Judgement, Source, Verifier

if TYPE_CHECKING:
    from rag.embedding import Embedder
    from rag.library import Library

SOURCES = 6
"""Abstracts that a sentence is checked against: those found for it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and the texts it is to be checked against; no texts: against the shelf."""

    id: str
    text: str
    evidence: tuple[str, ...] | None = None


def read_claims(path: str) -> list[Claim]:
    """The claims of a file: JSON Lines of objects with `claim` (and `evidence`), else the sentences of a text.

    Raises InputError, naming file and line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.", "Name a text or a JSON Lines file in UTF-8.") from None
    rows = _objects(text)
    if rows is not None:
        return [_claim(row, f"{path}:{line}", line) for line, row in rows]
    claims = [Claim(str(n), text[start:end]) for n, (start, end) in enumerate(split(text), 1)]
    if not claims:
        raise InputError(f"{path} is empty.", "Write the text that is to be checked.")
    return claims


def _objects(text: str) -> list[tuple[int, dict[str, Any]]] | None:
    rows: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            return None
        if not isinstance(row, dict) or "claim" not in row:
            return None
        rows.append((number, row))
    return rows or None


def _claim(row: Mapping[str, Any], where: str, line: int) -> Claim:
    claim, evidence = row["claim"], row.get("evidence")
    texts = [evidence] if isinstance(evidence, str) else evidence
    if not isinstance(claim, str) or not (texts is None or all(isinstance(text, str) for text in texts)):
        raise InputError(f"{where}: claim is a text and evidence a list of texts.", "Mend the line.")
    identity = row.get("id")
    return Claim(str(line if identity is None else identity), claim, None if texts is None else tuple(texts))


def check_claims(claims: Sequence[Claim], library: Library | None, embedder: Embedder) -> Iterator[dict[str, Any]]:
    """A verdict for each claim, in order, in JSON's types; `library` serves claims without texts of their own."""
    verifier = Verifier.load()
    for claim in claims:
        if claim.evidence is not None:
            sources = [_given(n, text, embedder) for n, text in enumerate(claim.evidence)]
        elif library is not None:
            sources = _found(library, claim.text)
        else:
            raise InputError(f"Claim {claim.id} has no evidence and there is no shelf.", "Name one with --home.")
        vector = embedder.embed_query(claim.text) if Verifier.knows(embedder.identity) else None
        yield _result(claim, verifier.check(claim.text, vector, sources))


def _given(number: int, text: str, embedder: Embedder) -> Source:
    spans = tuple(split(text))
    known = Verifier.knows(embedder.identity) and spans
    vectors = embedder.embed([text[start:end] for start, end in spans]) if known else None
    return Source(str(number), text, spans, vectors)


def _found(library: Library, claim: str) -> list[Source]:
    from rag.candidates import candidates_of
    from rag.retrieve import search

    candidates = candidates_of(library, search(library, claim, SOURCES))
    return [Source(c.hit.abstract.id, c.hit.abstract.text, c.spans, c.vectors) for c in candidates]


def _result(claim: Claim, judgement: Judgement) -> dict[str, Any]:
    evidence = [asdict(one) for one in judgement.evidence]
    if claim.evidence is not None:
        evidence = [{"index": int(e["id"]), **{k: e[k] for k in ("start", "end", "quote")}} for e in evidence]
    return {
        "id": claim.id,
        "claim": claim.text,
        "verdict": judgement.verdict,
        "p_supported": judgement.p_supported,
        "p_contradicted": judgement.p_contradicted,
        "evidence": evidence,
    }
