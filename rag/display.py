"""Hits and answers as a terminal shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rag.types import Answer, Citation, Hit

WIDTH = 96
VERDICTS = ("supported", "partly", "unsupported", "contradicted", "unchecked")


def search_as_dict(query: str, hits: Sequence[Hit]) -> dict[str, Any]:
    """The contract of `search --json`."""
    return {"query": query, "hits": [_hit(rank, hit) for rank, hit in enumerate(hits, 1)]}


def _hit(rank: int, hit: Hit) -> dict[str, Any]:
    abstract = hit.abstract
    return {
        "rank": rank,
        "id": abstract.id,
        "score": hit.score,
        "ranks": asdict(hit.ranks),
        "title": abstract.title,
        "text": abstract.text,
        "source": abstract.sources[0] if abstract.sources else None,
        "passage": {"start": hit.passage.start, "end": hit.passage.end},
    }


def search_as_text(hits: Sequence[Hit]) -> str:
    """Rank, label, ranks by meaning and by words, and the passage that matched."""
    if not hits:
        return "Nothing on this shelf passes the filters."
    return "\n".join(_hit_lines(rank, hit) for rank, hit in enumerate(hits, 1))


def _hit_lines(rank: int, hit: Hit) -> str:
    ranks = f"by meaning {_rank(hit.ranks.dense)}, by words {_rank(hit.ranks.lexical)}"
    abstract = hit.abstract
    year = f" ({abstract.year})" if abstract.year else ""
    passage = abstract.text[hit.passage.start : hit.passage.end]
    head = f"{rank:>2}. {abstract.label}{year}\n    {abstract.id}, {ranks}"
    return head + "\n" + textwrap.fill(passage, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def answer_as_text(answer: Answer) -> str:
    """The answer, the sources it cites, and one line on how it was checked."""
    if answer.status == "error":
        return f"No answer ({answer.reason}): {answer.detail or 'the cause is not known'}"
    parts = [textwrap.fill(line, WIDTH) for line in answer.answer.replace("\u2060", "").splitlines()]
    parts += [""] + [_citation(citation) for citation in answer.citations] if answer.citations else []
    parts += ["", _summary(answer)] if answer.sentences else []
    return "\n".join(parts)


def check_as_text(result: Mapping[str, Any]) -> str:
    """A claim's verdict, the claim, and the evidence."""
    indent = " " * 14
    lines = [f"{result['verdict']:13s} {result['claim']}"]
    lines += [f"{e.get('id', e.get('index'))}: {e['quote']}" for e in result["evidence"]]
    return "\n".join(
        textwrap.fill(line, WIDTH, initial_indent=indent if n else "", subsequent_indent=indent)
        for n, line in enumerate(lines)
    )


def _citation(citation: Citation) -> str:
    about = ", ".join(filter(None, [_authors(citation.authors), str(citation.year or "")]))
    name = citation.title or citation.id
    return (
        f"[{citation.number}] {name}{f' ({about})' if about else ''} {citation.url or citation.source or ''}".rstrip()
    )


def _authors(authors: Sequence[str]) -> str:
    return authors[0] + (" et al." if len(authors) > 1 else "") if authors else ""


def _summary(answer: Answer) -> str:
    if not answer.citations and answer.mode == "quotes":
        return f"{len(answer.hits)} abstracts were the closest; none is quoted."
    if answer.mode == "quotes":
        because = f" because the model failed: {answer.detail.rstrip('.')}" if answer.detail else ""
        number = len(answer.citations)
        return f"Quoted word for word from {number} abstract{'' if number == 1 else 's'}{because}."
    verdicts = [sentence.verdict for sentence in answer.sentences]
    return f"{verdicts.count('supported')} of {len(verdicts)} sentences checked and supported."
