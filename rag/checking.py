"""Verdicts for the sentences of a model's answer, against the text that was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rag.ahead import Ahead
from rag.catalogue import Matrix
from rag.citations import Cited
from rag.errors import LLMError
from rag.library import Library
from rag.packing import Sent
from rag.quotes import Candidate, stored_vectors
from rag.types import NO_USAGE, Sentence, Usage, Verdict
from rag.verify import Judgement, Source, Verifier

UNSURE = (0.15, 0.75)
"""Probabilities of support between which a model is asked, where the settings allow it."""
JUDGED: Mapping[str, Verdict] = {
    "SUPPORTED": "supported",
    "PARTLY": "partly",
    "UNSUPPORTED": "unsupported",
    "CONTRADICTED": "contradicted",
}


class Checked(NamedTuple):
    """Sentences with their verdicts; `usage` is what a model's opinions took."""

    sentences: tuple[Sentence, ...]
    usage: Usage = NO_USAGE


def check_sentences(
    library: Library,
    cited: Sequence[Cited],
    used: Sequence[int],
    sent: Sequence[Sent],
    candidates: Sequence[Candidate],
    ahead: Ahead | None = None,
) -> Checked:
    """The sentences of an answer with their verdicts.

    `used[k - 1]` is the number under which the abstract behind marker `[k]` was sent, `sent[n - 1]` what was sent
    under number n; `ahead` has the sentences' vectors where their embedding began earlier. Verdicts never change text
    or numbers.
    """
    if library.settings.verify == "off":
        return Checked(tuple(Sentence(one.text, one.numbers) for one in cited))
    sources = sources_of(sent, candidates)
    vectors = claim_vectors(library, [one.text for one in cited], candidates, ahead)
    answer_cites = {sent[number - 1].hit.abstract.id for number in used}
    uncited = [plain for source, (plain, _) in sources.items() if source not in answer_cites]
    found, usage = list[Sentence](), NO_USAGE
    for one, vector in zip(cited, vectors, strict=True):
        ids = {sent[used[number - 1] - 1].hit.abstract.id for number in one.numbers}
        judgement = library.verifier.check(one.text, vector, [pair[source in ids] for source, pair in sources.items()])
        if library.settings.verify == "llm":
            judgement, spent = _second_opinion(library, one.text, judgement)
            usage += spent
        accepted = bool(one.numbers) and judgement.verdict in ("supported", "partly")
        opposed = library.verifier.opposing(one.text, vector, uncited) if accepted else ()
        found.append(replace(as_sentence(one, judgement), opposed=opposed))
    return Checked(tuple(found), usage)


def sources_of(sent: Sequence[Sent], candidates: Sequence[Candidate]) -> dict[str, tuple[Source, Source]]:
    """Each abstract as it was sent, by id: as one that a sentence does not cite, and as one that it cites."""
    known = {candidate.hit.abstract.id: candidate for candidate in candidates}
    sources: dict[str, tuple[Source, Source]] = {}
    for one in sent:
        candidate = known[one.hit.abstract.id]
        rows = [n for n, span in enumerate(candidate.spans) if span.end <= len(one.text)]
        spans = tuple(candidate.spans[n] for n in rows)
        plain = Source(one.hit.abstract.id, one.text, spans, candidate.vectors[rows])
        sources[plain.id] = (plain, replace(plain, cited=True))
    return sources


def claim_vectors(
    library: Library, claims: Sequence[str], candidates: Sequence[Candidate] = (), ahead: Ahead | None = None
) -> Sequence[Matrix | None]:
    """Vectors of claims, or None where the embedder is not the one that the verifier knows.

    A claim that is a candidate's sentence word for word has its vector already.
    """
    if not Verifier.knows(library.embedder.identity):
        return [None] * len(claims)
    stored = stored_vectors(candidates)
    new = [claim for claim in dict.fromkeys(claims) if claim not in stored]
    known = stored | (ahead.vectors(new) if ahead else dict(zip(new, library.embedder.embed(new), strict=True)))
    return [known[claim] for claim in claims]


def as_sentence(cited: Cited, judgement: Judgement) -> Sentence:
    """A sentence with what became of it."""
    p = judgement.p_supported
    return Sentence(
        cited.text,
        cited.numbers,
        judgement.verdict,
        None if p is None else round(p, 4),
        judgement.evidence,
        judgement.suggested,
    )


def _second_opinion(library: Library, claim: str, judgement: Judgement) -> tuple[Judgement, Usage]:
    """The model's verdict where the verifier is unsure; its own where the model fails or cannot be read."""
    from rag.prompts import judge_messages, read_judgement

    p = judgement.p_supported
    if library.llm is None or p is None or not UNSURE[0] <= p <= UNSURE[1]:
        return judgement, NO_USAGE
    try:
        reply = library.llm.complete(judge_messages(claim, [evidence.quote for evidence in judgement.evidence]))
    except LLMError as error:
        return judgement, error.usage
    verdict = JUDGED.get(read_judgement(reply.text) or "")
    return replace(judgement, verdict=verdict) if verdict else judgement, reply.usage
