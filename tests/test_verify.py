from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.embedders.bundled import BundledEmbedder
from rag.text.sentences import split
from rag.verification.scorer import load_coefficients
from rag.verification.signals import TEXT_SIGNALS, VECTOR_SIGNALS, Sentences, measure
from rag.verify import Judgement, Source, Verifier

FUSION = (
    "How should result lists be merged when their scores cannot be compared? Reciprocal rank fusion, RRF for short, "
    "ignores the scores and gives a document 1 / (k + r) points for standing at rank r in a list. The constant k, "
    "fixed at 60 after a pilot study, keeps a single outlier from deciding the outcome. In experiments on TREC "
    "collections the merged ranking was better than the best single system and better than Condorcet Fuse."
)
SBERT = (
    "BERT compares two sentences by reading them together: the most similar pair among 10,000 sentences needs about 65 "
    "hours on a GPU. Sentence-BERT (SBERT) produces one vector per sentence, so the same search takes around 5 seconds "
    "with cosine similarity. Without such tuning BERT's own sentence vectors are worse than averaged GloVe vectors."
)
WHEAT = "We study yields of wheat under drought. References: Smith J. CRISPR increases the yield of rice by 20%. 2019."


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier.load()


@pytest.fixture(scope="module")
def embedder() -> BundledEmbedder:
    return BundledEmbedder()


@pytest.fixture(params=["with vectors", "text only"])
def check(request: pytest.FixtureRequest, verifier: Verifier, embedder: BundledEmbedder) -> Check:
    return Check(verifier, embedder if request.param == "with vectors" else None)


class Check:
    """Judges a claim against abstracts: `cited` ones and others that were sent."""

    def __init__(self, verifier: Verifier, embedder: BundledEmbedder | None) -> None:
        self.verifier, self.embedder = verifier, embedder

    def __call__(self, claim: str, cited: dict[str, str], others: dict[str, str] | None = None) -> Judgement:
        sources = [self.source(key, text, cited=True) for key, text in cited.items()]
        sources += [self.source(key, text, cited=False) for key, text in (others or {}).items()]
        vector = None if self.embedder is None else self.embedder.embed([claim])[0]
        return self.verifier.check(claim, vector, sources)

    def source(self, key: str, text: str, *, cited: bool) -> Source:
        spans = tuple(split(text))
        vectors = None if self.embedder is None else self.embedder.embed([text[a:b] for a, b in spans])
        return Source(key, text, spans, vectors, cited)


def test_a_verbatim_sentence_is_supported_and_quoted_where_it_stands(check: Check) -> None:
    for start, end in split(SBERT):
        judgement = check(SBERT[start:end], {"sbert": SBERT})
        assert judgement.verdict == "supported"
        assert ("sbert", start, end, SBERT[start:end]) in [(e.id, e.start, e.end, e.quote) for e in judgement.evidence]


def test_a_paraphrase_is_accepted(check: Check) -> None:
    judgement = check("SBERT needs about 5 seconds for a search that takes BERT 65 hours.", {"sbert": SBERT})
    assert judgement.verdict in {"supported", "partly"}


# ragflow#7232
def test_a_sentence_that_cites_the_wrong_abstract_is_unsupported_and_the_right_one_suggested(check: Check) -> None:
    claim = "Reciprocal rank fusion was better than the best single system on TREC collections."
    judgement = check(claim, {"sbert": SBERT}, {"fusion": FUSION})
    assert (judgement.verdict, judgement.suggested) == ("unsupported", ("fusion",))
    assert check(claim, {"fusion": FUSION}).verdict == "supported"


# os-ai-map#263
def test_a_figure_that_no_cited_abstract_holds_is_flagged_and_named(check: Check) -> None:
    judgement = check("The constant k was fixed at 75 after a pilot study.", {"fusion": FUSION})
    assert judgement.verdict in {"unsupported", "contradicted"}
    assert judgement.missing == ("75",)


def test_a_name_that_no_cited_abstract_holds_is_flagged_and_named(check: Check) -> None:
    judgement = check("InferSent produces one vector per sentence.", {"sbert": SBERT})
    assert judgement.verdict in {"unsupported", "contradicted"}
    assert judgement.missing == ("InferSent",)


def test_the_opposite_of_a_sentence_is_flagged(check: Check) -> None:
    claim = "Without such tuning BERT's own sentence vectors are better than averaged GloVe vectors."
    assert check(claim, {"sbert": SBERT}).verdict in {"unsupported", "contradicted"}


# web-researcher-mcp#522
def test_a_title_in_a_list_of_references_supports_nothing(check: Check) -> None:
    judgement = check("CRISPR increases the yield of rice by 20%.", {"wheat": WHEAT})
    assert judgement.verdict in {"unsupported", "contradicted"}
    assert all("CRISPR" not in e.quote for e in judgement.evidence)


# NeuralNote#192
def test_only_the_text_that_was_sent_counts(check: Check) -> None:
    claim = "The merged ranking was better than Condorcet Fuse in experiments on TREC collections."
    sent = FUSION[: FUSION.index(" In experiments")]
    assert check(claim, {"fusion": sent}).verdict in {"unsupported", "contradicted"}
    assert check(claim, {"fusion": FUSION}).verdict == "supported"


def test_a_sentence_without_a_citation_is_checked_against_everything_sent(check: Check) -> None:
    judgement = check(SBERT[slice(*split(SBERT)[2])], {}, {"fusion": FUSION, "sbert": SBERT})
    assert (judgement.verdict, judgement.evidence[0].id, judgement.suggested) == ("supported", "sbert", ())


def test_a_sentence_may_draw_on_several_cited_abstracts(check: Check) -> None:
    claim = "SBERT produces one vector per sentence, while reciprocal rank fusion ignores the scores."
    judgement = check(claim, {"fusion": FUSION, "sbert": SBERT})
    assert judgement.verdict in {"supported", "partly"}
    assert {"fusion", "sbert"} == {e.id for e in judgement.evidence}


@pytest.mark.parametrize("sentence", ["Here is a summary:", "The abstracts do not state this."])
def test_a_sentence_that_claims_nothing_is_unchecked(sentence: str, check: Check) -> None:
    assert Judgement("unchecked") == check(sentence, {"sbert": SBERT})


def test_without_any_text_a_claim_is_unsupported(check: Check) -> None:
    assert Judgement("unsupported") == check("SBERT is faster than BERT.", {})
    assert Judgement("unsupported") == check("SBERT is faster than BERT.", {"empty": ""})


@given(st.text(max_size=120), st.lists(st.text(max_size=160), max_size=3))
@settings(deadline=None, max_examples=60)
def test_any_text_gets_a_verdict_probabilities_and_exact_quotes(claim: str, texts: list[str]) -> None:
    sources = [Source(str(i), text, tuple(split(text)), None, i == 0) for i, text in enumerate(texts)]
    judgement = Verifier.load().check(claim, None, sources)
    for evidence in judgement.evidence:
        assert texts[int(evidence.id)][evidence.start : evidence.end] == evidence.quote
    for p in (judgement.p_supported, judgement.p_contradicted):
        assert p is None or 0 <= p <= 1


def test_the_committed_coefficients_are_for_the_signals_that_are_measured() -> None:
    data = load_coefficients()
    assert [list(VECTOR_SIGNALS + TEXT_SIGNALS), list(TEXT_SIGNALS)] == [
        data["with_vectors"]["signals"],
        data["text_only"]["signals"],
    ]
    assert len(TEXT_SIGNALS) == len(measure("A claim.", None, Sentences(("Some text.",), None)).values)


def test_the_committed_scores_hold_what_is_promised() -> None:
    areas = load_coefficients()["held_out"]["with_vectors"]["scifact_auc"]
    assert areas["SUPPORT against NOINFO"] >= 0.86
    assert areas["SUPPORT against all"] >= 0.78
