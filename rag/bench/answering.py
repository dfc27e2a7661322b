"""What Footnote adds to the model's own time: before the first piece of an answer, and after the last."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rag.ahead import Ahead
from rag.answer import ask, prompt, stream
from rag.bench.batch import opened, questions_of
from rag.bench.scripted_llm import MODEL, scripted_llm
from rag.candidates import candidates_of
from rag.checking import check_sentences, claim_vectors
from rag.citations import Cited
from rag.config import Settings
from rag.errors import InputError
from rag.library import Library
from rag.packing import Sent
from rag.quotes import Candidate
from rag.retrieve import search
from rag.types import Answer, Delta, Question

REPEATS = 25
ABSTRACTS = 6
"""In an answer that is checked; one sentence of it comes from each, every other one cites the wrong abstract."""
LATENCY = 0.1
ASKED_OF_A_MODEL = 4


def measure(settings: Settings, *, model: bool) -> Iterator[dict[str, Any]]:
    """A part at a time, each with its `name`; medians, in milliseconds, over answers from the shelf.

    With `model`, also what a small real model makes of repair.
    """
    with opened(settings, None, None) as library:
        yield {"name": "verification of six sentences over six abstracts", **verifying(library)}
    with scripted_llm(LATENCY) as url, opened(settings, MODEL, url) as library:
        yield {"name": "first piece of an answer", **beginning(library)}
    if model:
        yield {"name": "repair, llama.cpp", **repairing(settings, ASKED_OF_A_MODEL)}


def verifying(library: Library) -> dict[str, float]:
    """Time to judge an answer whose abstracts are read for the first time, and again; and to embed its sentences.

    `after_streaming_ms` is what is left when all sentences but the last were embedded while the answer was written.
    `queries` is the whole as a multiple of the time to embed one question, which varies with the machine.
    """
    asked = questions_of(library, REPEATS + 1)
    first, again, after, embedding, query = (list[float]() for _ in range(5))
    for question in asked:
        candidates = candidates_of(library, search(library, question.text, ABSTRACTS))
        if len(candidates) < ABSTRACTS:
            raise InputError(f"The shelf has fewer than {ABSTRACTS} abstracts.", "Name a larger one with --home.")
        cited, sent = _answer(candidates), [Sent(c.hit, c.hit.abstract.text) for c in candidates]
        used = range(1, len(sent) + 1)
        query.append(_seconds(lambda text=question.text: library.embedder.embed_query(text)))
        first.append(_seconds(lambda: check_sentences(library, cited, used, sent, candidates)))  # noqa: B023 - called now
        again.append(_seconds(lambda: check_sentences(library, cited, used, sent, candidates)))  # noqa: B023
        written = Ahead(library)
        written.vectors([one.text for one in cited[:-1]])
        after.append(_seconds(lambda: check_sentences(library, cited, used, sent, candidates, written)))  # noqa: B023
        embedding.append(_seconds(lambda: claim_vectors(library, [one.text for one in cited], candidates)))  # noqa: B023
    whole = _median(first)
    return {
        "ms": whole,
        "again_ms": _median(again),
        "after_streaming_ms": _median(after),
        "embedding_ms": _median(embedding),
        "query_ms": _median(query),
        "queries": round(whole / _median(query), 1),
    }


def _answer(candidates: Sequence[Candidate]) -> list[Cited]:
    """A sentence of each abstract with a word put before it, so that none is there word for word."""
    sentences = [f"Reportedly, {one.sentence(len(one.spans) // 2)}" for one in candidates]
    return [Cited(text, (1 + n // 2 * 2,)) for n, text in enumerate(sentences)]


def beginning(library: Library) -> dict[str, float]:
    """Time from a question to the first piece of its answer, less retrieval and the model's own time to a first piece.

    `retrieval_ms` is part of the answer's own account; `model_ms` is the bare client's, given the same prompt.
    """
    added, retrieval, bare = list[float](), list[float](), list[float]()
    for question in questions_of(library, REPEATS + 1):
        packed = prompt(library, question)
        if packed is None or library.llm is None:
            continue
        model = _first_piece(library.llm.stream(packed.messages))
        seconds, finding = _first_delta(library, question)
        added.append(seconds - finding - model)
        retrieval.append(finding)
        bare.append(model)
    return {"added_ms": _median(added), "retrieval_ms": _median(retrieval), "model_ms": _median(bare)}


def _first_delta(library: Library, question: Question) -> tuple[float, float]:
    """Seconds to the first piece, and those that retrieval took of them."""
    answering = stream(library, question)
    started = time.perf_counter()
    arrived = [time.perf_counter() - started for piece in answering if isinstance(piece, Delta)]
    return arrived[0], answering.answer.seconds.retrieve or 0.0


def _first_piece(reply: Any) -> float:
    started = time.perf_counter()
    arrived = [time.perf_counter() - started for _ in reply]
    return arrived[0]


def repairing(settings: Settings, number: int) -> dict[str, Any]:
    """What a small real model (llama.cpp) makes of a second chance: answers by status, their sentences by verdict."""
    from rag.bench.local_llm import ALIAS, SLOT_TOKENS, local_llm

    small = {"llm_context_window": SLOT_TOKENS, "llm_max_tokens": 64, "llm_timeout": 300.0, "top_k": 2}
    counts: Counter[str] = Counter()
    with local_llm() as url, opened(settings.model_copy(update={**small, "repair": "on"}), ALIAS, url) as library:
        for question in questions_of(library, number):
            first = ask(library, question)
            counts.update(_counted(first))
            counts["repaired"] += first.repaired
    return dict(sorted(counts.items()))


def _counted(answer: Answer) -> list[str]:
    """What is counted of an answer: itself, its status or the error behind its quotes, its sentences by verdict."""
    status = answer.status if answer.mode == "llm" else f"quotes ({answer.reason})"
    return ["answers", status, *(f"{sentence.verdict} sentences" for sentence in answer.sentences)]


def _seconds(call: Any) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _median(seconds: Sequence[float]) -> float:
    """In milliseconds, without the first, which loads what the others find loaded."""
    return round(1000 * statistics.median(seconds[1:]), 1)
