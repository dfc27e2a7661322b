"""What can be had for nothing, answered beside every run: quotes, and the top abstract copied out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag.batch import run
from rag.citations import compose, escape_numbers
from rag.evaluate.about import code_hash
from rag.evaluate.answers import scorable_answers
from rag.library import Library
from rag.text.sentences import split
from rag.types import Abstract, Citation, Evidence, Question, Sentence

QUOTES, COPY_TOP = "quotes", "copy_top"

Answers = dict[str, dict[str, Any]]


def quotes_answers(library: Library, questions: Sequence[Question], folder: Path) -> Answers:
    """Answers from the same shelf without a language model; what the same code answered before is kept."""
    settings = library.settings.model_copy(update={"llm_model": None})
    out = folder / f"{QUOTES}-{settings.fingerprint()}-{library.catalogue.generation}-{code_hash()}.jsonl"
    plain = Library(settings, library.embedder)
    try:
        run(plain, questions, out, workers=2)
    finally:
        plain.close()
    return scorable_answers(out)


def copied_answers(answers: Mapping[str, Mapping[str, Any]], shelf: Mapping[str, Abstract]) -> Answers:
    """For each answer one that is the whole abstract of its first hit, every sentence citing it.

    It never refuses, and its citations cannot be wrong; what it says need not answer anything. An answer without hits
    has no copy.
    """
    return {
        identity: copied(answer, shelf[answer["hits"][0]["id"]])
        for identity, answer in answers.items()
        if answer.get("hits") and answer["hits"][0]["id"] in shelf
    }


def copied(answer: Mapping[str, Any], abstract: Abstract) -> dict[str, Any]:
    """An Answer (schema 1) to the same question that copies the abstract out."""
    spans = split(abstract.text)
    texts = [abstract.text[start:end] for start, end in spans]
    sentences = [
        Sentence(
            escape_numbers(text),
            (1,),
            "supported",
            1.0,
            (Evidence(abstract.id, *span, text, abstract.text_sha),),
        )
        for text, span in zip(texts, spans, strict=True)
    ]
    return {
        **answer,
        "status": "answered",
        "reason": None,
        "detail": None,
        "mode": "quotes",
        "model": None,
        "answer": compose([(text, [abstract.id]) for text in texts])[0],
        "sentences": [asdict(sentence) for sentence in sentences],
        "citations": [asdict(Citation.of(1, abstract))],
        "hits": [{**hit, "sent": hit["id"] == abstract.id} for hit in answer["hits"]],
        "dropped_citations": 0,
        "left_out": [],
        "usage": {},
        "seconds": {},
    }
