"""What of the answer contract (schema 1) an answer breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.types import Abstract

KEYS = ("schema", "id", "status", "mode", "answer", "sentences", "citations", "hits")
STATUSES = frozenset({"answered", "partial", "not_found", "error"})
VERDICTS = frozenset({"supported", "partly", "unsupported", "contradicted", "unchecked"})
NOT_FOUND = frozenset({"nothing_relevant", "not_stated", "premise_contradicted"})
_MARK = re.compile(r"\[(\d+)\]")
_LOOSE = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)+\]|【\d+】|\[\^\d+\]")

Answer = Mapping[str, Any]


def violations(answer: Answer, shelf: Mapping[str, Abstract]) -> tuple[str, ...]:
    """Each breach in a few words. Quotes are compared with the abstracts of `shelf`, as far as these are there."""
    return (*_status(answer), *_markers(answer), *_hits(answer), *_evidence(answer, shelf))


def _status(answer: Answer) -> Iterator[str]:
    yield from (f"no {key}" for key in KEYS if key not in answer)
    status, reason = answer.get("status"), answer.get("reason")
    if status not in STATUSES:
        yield f"status {status!r}"
    if status == "error" and not reason:
        yield "error without a reason"
    if status == "not_found" and reason not in NOT_FOUND:
        yield f"not_found with reason {reason!r}"
    if status in ("answered", "partial") and not (answer.get("answer") or "").strip():
        yield "answered with no text"


def _markers(answer: Answer) -> Iterator[str]:
    text, cites, sentences = answer.get("answer") or "", answer.get("citations") or [], answer.get("sentences") or []
    numbers = [cite.get("number") for cite in cites]
    if numbers != list(range(1, len(cites) + 1)):
        yield f"numbers are {numbers}"
    seen = list(dict.fromkeys(int(mark) for mark in _MARK.findall(text)))
    if seen != numbers:
        yield f"markers {seen} but citations {numbers}"
    if loose := _LOOSE.search(text):
        yield f"a marker was left as {loose.group()}"
    used = {number for sentence in sentences for number in sentence.get("citations") or []}
    if sentences and used != set(numbers):
        yield f"sentences cite {sorted(used, key=str)} but citations are {numbers}"


def _hits(answer: Answer) -> Iterator[str]:
    cited = [cite.get("id") for cite in answer.get("citations") or []]
    hits = answer.get("hits") or []
    if len(set(cited)) != len(cited):
        yield "one abstract has two numbers"
    if len({hit["id"] for hit in hits}) != len(hits):
        yield "an abstract is twice among the hits"
    if not set(cited) <= {hit["id"] for hit in hits if hit.get("sent", True)}:
        yield "a citation is not among the hits that were sent"


def _evidence(answer: Answer, shelf: Mapping[str, Abstract]) -> Iterator[str]:
    ids = {hit["id"] for hit in answer.get("hits") or []}
    for sentence in answer.get("sentences") or []:
        if sentence.get("verdict") not in VERDICTS:
            yield f"verdict {sentence.get('verdict')!r}"
        for one in sentence.get("evidence") or []:
            if one["end"] - one["start"] != len(one["quote"]):
                yield "an evidence offset does not fit its quote"
            elif not _quotes(one, shelf.get(one["id"])):
                yield f"a quote is not what {one['id']} has at {one['start']}"
            if one["id"] not in ids:
                yield "evidence from an abstract that is not among the hits"


def _quotes(evidence: Mapping[str, Any], abstract: Abstract | None) -> bool:
    """Whether the quote is what the abstract has there; another version of the abstract is not compared."""
    if abstract is None or evidence.get("text_sha") != abstract.text_sha:
        return True
    return bool(abstract.text[evidence["start"] : evidence["end"]] == evidence["quote"])
