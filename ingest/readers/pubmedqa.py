"""PubMedQA: an object of papers by PMID, the abstract cut into labelled sections, the title a question.

Fields: https://github.com/pubmedqa/pubmedqa
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.parsing.document import Document
from ingest.parsing.format import Confidence, Format
from ingest.parsing.json_papers import Paper, has_key, kind, no_paper, numbered
from ingest.parsing.json_values import opens_as_json, values
from ingest.records import RawRecord, Rejected


def recognises(document: Document) -> Confidence:
    """Certain when the JSON has its names."""
    sure = opens_as_json(document) and has_key(document, "QUESTION", "CONTEXTS")
    return Confidence.CERTAIN if sure else Confidence.NO


def read(document: Document, _titles: bool) -> Iterator[RawRecord | Rejected]:
    """A record for each paper."""
    for found in values(document):
        if isinstance(found, Rejected):
            yield found
            continue
        where = document.source.at(found.line)
        members = found.value if found.key is None else {found.key: found.value}
        if not isinstance(members, dict) or "CONTEXTS" in members:
            yield RawRecord(paper(None, members), where) if isinstance(members, dict) else no_paper(members, where)
            continue
        for number, (key, value) in enumerate(members.items(), 1):
            place = numbered(where, number)
            if isinstance(value, dict):
                yield RawRecord(paper(key, value), place)
            else:
                yield Rejected(place, f"not a JSON object but {kind(value)}")


def paper(key: str | None, value: Paper) -> dict[str, Any]:
    """The parts of a paper."""
    contexts, labels = value.get("CONTEXTS"), value.get("LABELS")
    texts = [str(text) for text in contexts] if isinstance(contexts, list) else [str(contexts or "")]
    names = [str(name) for name in labels] if isinstance(labels, list) else []
    labelled = [f"{name}: {text}" for name, text in zip(names, texts, strict=False)]
    return {
        "pmid": key if key is not None else value.get("PMID") or value.get("pubid"),
        "title": value.get("QUESTION"),
        "abstract": " ".join(labelled + texts[len(labelled) :]),
        "year": value.get("YEAR"),
        "keywords": value.get("MESHES"),
    }


FORMAT = Format("PubMedQA", (), recognises, read)
