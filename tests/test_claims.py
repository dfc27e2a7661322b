from __future__ import annotations

import pytest

from rag.verification.claims import makes_claim, prose


@pytest.mark.parametrize(
    "sentence",
    [
        "Here is a summary:",
        "The abstracts do not state this.",
        "The provided abstracts don't mention GPU hours.",
        "This is not stated in the abstracts.",
        "No information is given about that.",
        "Yes.",
        "They did not:",
        "Would you like to know more?",
        "I could not find an answer.",
        "",
    ],
)
def test_a_sentence_that_tells_nothing_about_papers_makes_no_claim(sentence: str) -> None:
    assert not makes_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "No: accuracy dropped by 3%.",
        "HNSW is faster.",
        "The paper shows that RRF outperforms Condorcet.",
        "These models do not generalise to longer sequences.",
        "Here, dropout of 0.5 reduces overfitting.",
        "It reaches 62.8%.",
    ],
)
def test_a_sentence_about_the_world_makes_one(sentence: str) -> None:
    assert makes_claim(sentence)


# web-researcher-mcp#522
def test_a_reference_list_is_no_prose() -> None:
    sentences = ("We edit genes in wheat.", "References: CRISPR cures sickle cell disease.", "Another title on CRISPR.")
    assert prose(sentences) == (0,)


def test_an_entry_without_a_heading_is_no_prose() -> None:
    sentences = (
        "We edit genes.",
        "[3] Smith, J. A., and Lee, K. (2019). CRISPR cures sickle cell disease. Nature 2019;12.",
    )
    assert prose(sentences) == (0,)


def test_years_and_names_in_prose_stay() -> None:
    sentences = ("Sepsis fell from 2009 to 2014 (P < 0.001).", "Smith et al. (2019) report a gain of 3%.")
    assert prose(sentences) == (0, 1)


@pytest.mark.parametrize(
    ("sentences", "kept"),
    [
        (("Systems write statements that carry references.", "Half of them are supported."), (0, 1)),
        (("Scores need several references: one is not enough.", "They hold on one test set."), (0, 1)),
        (("We edit genes.", "References", "CRISPR cures."), (0, 1, 2)),
        (("We edit genes. References. CRISPR cures.", "More."), ()),
        (("We edit genes.", "BIBLIOGRAPHY: CRISPR cures.", "More."), (0,)),
    ],
)
def test_a_heading_is_told_from_a_sentence_about_references(sentences: tuple[str, ...], kept: tuple[int, ...]) -> None:
    assert prose(sentences) == kept
