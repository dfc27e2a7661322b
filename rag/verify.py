"""A verdict for each sentence of an answer, against the text that was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.types import Evidence, Span, Verdict, sha12
from rag.verification.claims import makes_claim, prose
from rag.verification.scorer import Probabilities, Scorer, load_coefficients
from rag.verification.signals import Measured, Sentences, lacks_number, measure

Vector = NDArray[np.floating]

FITTED_ON = "all-MiniLM-L6-v2:"
"""Identity of the embedder, up to the hash of its file."""
NEAR = 0.4
"""Cosine from which two sentences may contradict each other; below it they speak of different things."""
FAR = 0.3
"""Cosine below which no sentence of a source is close enough to a claim for it to be suggested: the farthest of 1,187
sources suggested for claims of SciFact, PubMedQA and gold answers lay at 0.35."""
SUGGESTIONS = 3
"""Most sources named as better ones for a sentence."""


@dataclass(frozen=True, eq=False)
class Source:
    """An abstract exactly as it was sent: the spans of its sentences, their unit vectors (n, d) where stored.

    `cited` tells whether the sentence under check cites it.
    """

    id: str
    text: str
    spans: tuple[Span, ...]
    vectors: NDArray[np.floating] | None = None
    cited: bool = False

    @cached_property
    def kept(self) -> tuple[Span, ...]:
        """Spans of the sentences that may carry a claim; entries of a reference list may not."""
        return tuple(self.spans[i] for i in self._prose)

    @cached_property
    def sentences(self) -> Sentences:
        """The sentences of `kept` as signals are measured against them."""
        vectors = None if self.vectors is None else self.vectors[list(self._prose)]
        return Sentences(tuple(self.text[a:b] for a, b in self.kept), vectors)

    def quote(self, position: int) -> Evidence:
        """The sentence of `kept` at the position, as evidence."""
        start, end = self.kept[position]
        return Evidence(self.id, start, end, self.text[start:end], sha12(self.text))

    @cached_property
    def _prose(self) -> tuple[int, ...]:
        return prose(tuple(self.text[a:b] for a, b in self.spans))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a sentence. Probabilities are None when it claims nothing or there was no text to check it with.

    They count as low where the sentence has numbers or names, `missing`, that no cited text states, or where a cited
    text denies it. `suggested` are ids, best first, of sources that would support it where the cited ones do not.
    """

    verdict: Verdict
    p_supported: float | None = None
    p_contradicted: float | None = None
    evidence: tuple[Evidence, ...] = ()
    suggested: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which probabilities a verdict is given.

    A sentence is accepted from `partly` on, unless support is less likely than `balance` times contradiction, and
    called supported from `supported` on; one that is not accepted is contradicted from `contradicted` on. With a name
    that no cited text mentions it is accepted only from `named` on.
    """

    supported: float
    partly: float
    balance: float
    contradicted: float
    named: float


@dataclass(frozen=True, slots=True)
class _Finding:
    """A claim against one source or several together."""

    sources: tuple[Source, ...]
    measured: Measured
    p: Probabilities


class Verifier:
    """Judges sentences with the committed coefficients; pure: equal inputs, equal judgements."""

    def __init__(self, with_vectors: Scorer, text_only: Scorer, thresholds: Thresholds) -> None:
        self._with_vectors = with_vectors
        self._text_only = text_only
        self._thresholds = thresholds

    @classmethod
    def load(cls) -> Verifier:
        """The verifier that `scripts/fit_verifier.py` fitted."""
        return cls.of(load_coefficients())

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Verifier:
        """A verifier from coefficients in the form of `rag/data/verifier.json`."""
        return cls(Scorer.of(data["with_vectors"]), Scorer.of(data["text_only"]), Thresholds(**data["thresholds"]))

    @staticmethod
    def knows(embedder: str) -> bool:
        """Whether the coefficients were fitted on this embedder's cosines."""
        return embedder.startswith(FITTED_ON)

    def check(self, claim: str, claim_vector: Vector | None, sources: Sequence[Source]) -> Judgement:
        """Judge a sentence against the sources it cites, or against all that were sent if it cites none.

        `claim` is without markers. Vectors must come from the bundled embedder, for which the cosines were fitted; with
        None on either side the text alone decides. Sources that are not cited never lend support, they are suggested.
        """
        if not makes_claim(claim):
            return Judgement("unchecked")
        cited = [s for s in sources if s.cited]
        finding = self._best(claim, claim_vector, cited or sources, together=bool(cited))
        if finding is None:
            return Judgement("unsupported")
        verdict = self._verdict(finding)
        others = [s for s in sources if not s.cited] if cited and verdict != "supported" else []
        return Judgement(
            verdict,
            *self._shown(finding),
            _quotes(finding),
            self._suggested(claim, claim_vector, others, verdict),
            finding.measured.missing_numbers + finding.measured.missing_names,
        )

    def opposing(self, claim: str, vector: Vector | None, sources: Sequence[Source]) -> tuple[str, ...]:
        """Ids of sources that say the opposite of a claim; one with other numbers or names is about other things."""
        near = [s for s in sources if s.kept and _is_near(vector, s, NEAR) and not lacks_number(claim, s.sentences)]
        findings = [self._finding(claim, vector, (s,)) for s in near]
        return tuple(
            f.sources[0].id
            for f in findings
            if not (f.measured.missing_numbers or f.measured.missing_names) and self._verdict(f) == "contradicted"
        )

    def probabilities(self, claim: str, claim_vector: Vector | None, sources: Sequence[Source]) -> Probabilities | None:
        """What the fitted part says of the best source, before any rule; None without text."""
        finding = self._best(claim, claim_vector, sources, together=False)
        return None if finding is None else finding.p

    def _best(self, claim: str, vector: Vector | None, sources: Sequence[Source], *, together: bool) -> _Finding | None:
        """The source that supports most, or all cited ones together where that carries more of the sentence."""
        usable = [s for s in sources if s.kept]
        groups: list[tuple[Source, ...]] = [(s,) for s in usable]
        if together and len(usable) > 1:
            groups.append(tuple(usable))
        findings = [self._finding(claim, vector, group) for group in groups]
        return max(findings, key=self._after_rules, default=None)

    def _finding(self, claim: str, vector: Vector | None, sources: tuple[Source, ...]) -> _Finding:
        sentences = Sentences.together([s.sentences for s in sources])
        measured = measure(claim, vector, sentences)
        scorer = self._text_only if vector is None or sentences.vectors is None else self._with_vectors
        return _Finding(sources, measured, scorer(measured.values))

    def _after_rules(self, finding: _Finding) -> float:
        """The fitted probability, brought below acceptance where a fact of the claim is stated nowhere or denied."""
        p = finding.p.supported
        if finding.measured.opposed or self._lacks_fact(finding):
            return p * self._thresholds.partly
        return p

    def _shown(self, finding: _Finding) -> tuple[float, float]:
        """Probabilities of support and contradiction after the rules; a denial moves it from one to the other."""
        p = self._after_rules(finding)
        denied = finding.p.supported - p if finding.measured.opposed else 0.0
        return p, finding.p.contradicted + denied

    def _lacks_fact(self, finding: _Finding) -> bool:
        measured = finding.measured
        if measured.missing_numbers:
            return True
        return bool(measured.missing_names) and finding.p.supported < self._thresholds.named

    def _accepted(self, finding: _Finding) -> bool:
        p = self._after_rules(finding)
        return p >= self._thresholds.partly and p >= self._thresholds.balance * finding.p.contradicted

    def _verdict(self, finding: _Finding) -> Verdict:
        p = self._after_rules(finding)
        if p >= self._thresholds.supported:
            return "supported"
        if self._accepted(finding):
            return "partly"
        if finding.measured.opposed:
            return "contradicted"
        lead = finding.p.contradicted
        opposed = lead >= self._thresholds.contradicted and lead >= finding.p.unsupported
        return "contradicted" if opposed else "unsupported"

    def _suggested(
        self, claim: str, vector: Vector | None, others: Sequence[Source], verdict: Verdict
    ) -> tuple[str, ...]:
        """Ids of other sources that support the claim, best first; if the cited do in part, those that do in whole."""
        able = [s for s in others if s.kept and _is_near(vector, s, FAR) and not lacks_number(claim, s.sentences)]
        findings = [self._finding(claim, vector, (s,)) for s in able]
        wanted = ("supported",) if verdict == "partly" else ("supported", "partly")
        good = [f for f in findings if self._verdict(f) in wanted]
        good.sort(key=self._after_rules, reverse=True)
        return tuple(f.sources[0].id for f in good[:SUGGESTIONS])


def _is_near(vector: Vector | None, source: Source, least: float) -> bool:
    """Whether a sentence of the source has this cosine with the claim; unknown counts as yes."""
    vectors = source.sentences.vectors
    return vector is None or vectors is None or float((vectors @ vector).max()) >= least


def _quotes(finding: _Finding) -> tuple[Evidence, ...]:
    """The chosen sentences, counted through the sources they were joined from."""
    places = [(source, i) for source in finding.sources for i in range(len(source.kept))]
    return tuple(source.quote(i) for source, i in (places[position] for position in finding.measured.chosen))
