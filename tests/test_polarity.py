from __future__ import annotations

import pytest

from rag.text.names import mentioned, names
from rag.verification.alignment import directions, parity, sides
from rag.verification.reading import read


@pytest.mark.parametrize(
    ("claim", "evidence", "sign"),
    [
        ("The drug increases survival.", "Survival was increased by the drug.", 1),
        ("The drug increases survival.", "Survival was reduced by the drug.", -1),
        ("The drug does not reduce survival.", "The drug increased survival.", 1),
        ("Lack of FGF21 worsens plaque growth.", "FGF21 reduces plaque growth.", -1),
        ("Lack of FGF21 increases plaque growth.", "FGF21 deficiency led to more plaque growth.", 1),
        ("Walking is pleasant.", "Bananas grow in the sun.", 0),
    ],
)
def test_parity_is_the_product_of_raising_lowering_and_denying_words(claim: str, evidence: str, sign: int) -> None:
    assert sign == parity(read(claim), read(evidence))[0]


def test_a_direction_word_conflicts_with_its_opposite_in_the_same_context() -> None:
    claim, evidence = read("Fruit lowers the risk of diabetes."), read("Fruit was linked to a higher risk of diabetes.")
    found = directions(claim, [evidence])
    assert found.conflict > found.agree == 0


def test_a_negated_direction_word_agrees_with_its_opposite() -> None:
    assert directions(read("Noise does not increase error."), [read("Noise decreases error.")]).conflict == 0


def test_swapped_sides_of_a_comparison_are_seen() -> None:
    evidence = read("In our tests RRF outperforms Condorcet.")
    assert sides(read("Condorcet outperforms RRF"), evidence) == (-1.0, 1.0)
    assert sides(read("RRF outperforms Condorcet"), evidence) == (1.0, 0.0)


def test_names_are_told_by_their_shape_or_by_capitals_within_a_sentence() -> None:
    text = "Models such as GPT-4 and LLMs learn from Wikipedia. Training on CIFAR-10 uses RoPE."
    assert names(text) == ("GPT-4", "LLMs", "Wikipedia", "CIFAR-10", "RoPE")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("LLMs", "a large language model"),
        ("GPT-4", "we ask GPT4"),
        ("CIFAR-10", "on CIFAR 10"),
        ("RoPEs", "RoPE"),
    ],
)
def test_a_name_is_mentioned_in_another_spelling_or_spelled_out(name: str, text: str) -> None:
    lexicon = read(text).lexicon
    assert mentioned(name, lexicon.keys, lexicon.letters)


def test_another_name_is_not_mentioned() -> None:
    lexicon = read("we ask GPT-4 about ImageNet").lexicon
    assert not mentioned("GPT-3", lexicon.keys, lexicon.letters)
