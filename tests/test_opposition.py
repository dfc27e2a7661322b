"""The opposite of a sentence in almost its own words is seen whatever the weighed signals say."""

from __future__ import annotations

import pytest

from rag.text.sentences import split
from rag.verification.opposition import opposes, other_counts
from rag.verification.reading import read
from rag.verify import Judgement, Source, Verifier

VERIFIER = Verifier.load()


def judged(claim: str, text: str) -> Judgement:
    return VERIFIER.check(claim, None, [Source("a", text, tuple(split(text)), None, cited=True)])


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Clouds disturb the radar.", "Clouds do not disturb the radar."),
        ("Clouds do not disturb the radar.", "Clouds disturb the radar."),
        ("I apologise, clouds disturb the radar.", "Clouds do not disturb the radar."),
        ("Blood pressure changed.", "Blood pressure did not change."),
        ("The blood pressure did change after the night.", "Blood pressure did not change after the night."),
        ("IL-6 fell by 31%.", "IL-6 rose by 31% and fell back after one night of rest."),
        ("Pruning increases the error on new domains.", "Pruning reduces the error on new domains."),
        (
            "Small models are better at sorting than large models.",
            "Small models are worse at sorting than large models.",
        ),
        ("Scratchpads always help length generalization.", "Scratchpads do not always help length generalization."),
        ("Weight norm is enough to explain grokking.", "The weight norm is not enough to explain grokking."),
    ],
)
def test_the_opposite_of_a_near_copy_is_contradicted(claim: str, text: str) -> None:
    judgement = judged(claim, text)
    assert judgement.verdict == "contradicted"
    assert judgement.p_contradicted is not None
    assert judgement.p_supported is not None
    assert judgement.p_contradicted > judgement.p_supported


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Clouds do not disturb the radar.", "Clouds do not disturb the radar."),
        ("The radar is not disturbed by clouds.", "Clouds do not disturb the radar."),
        ("IL-6 rose by 31%.", "IL-6 rose by 31% and fell back after one night of rest."),
        ("IL-6 fell back after a night of rest.", "IL-6 rose by 31% and fell back after one night of rest."),
        ("Heron fails to beat the baseline.", "Heron does not beat the baseline."),
        ("Plover needs no labels.", "Plover needs 12,000 summaries and no labels."),
        ("It is not only faster but also smaller.", "It is faster and also smaller."),
    ],
)
def test_what_agrees_is_not_taken_for_its_opposite(claim: str, text: str) -> None:
    assert not opposes(read(claim), [read(text)])


@pytest.mark.parametrize(
    ("claim", "text", "missing"),
    [
        ("Training takes five hours on one GPU.", "Training takes two hours on one GPU.", ("five",)),
        ("We test it on nine translation tasks.", "We test it on seven translation tasks.", ("nine",)),
        ("Training takes 2 hours on one GPU.", "Training takes two hours on one GPU.", ()),
        ("The two methods, pruning and distillation, agree.", "Pruning and distillation agree over 7 tasks.", ()),
    ],
)
def test_another_number_of_the_same_thing_is_missed(claim: str, text: str, missing: tuple[str, ...]) -> None:
    assert judged(claim, text).missing == missing
    assert tuple(claim[q.start : q.end] for q in other_counts(read(claim), [read(text)])) == missing


@pytest.mark.parametrize(
    "sentence",
    [
        "The dataset contains 1.95M images of 110 artists.",
        "Qwen 2.5 1.5B's score on MMLU rises from 60 to 89.",
        "Claude-3.7-Sonnet and Gemini-2.5-Flash are reasoning models.",
        "We propose Yo'LLaVA, which learns a subject from a handful of images.",
        "Qwen3-0.6B keeps 1,200 tokens (e.g., in RULER).",
    ],
)
def test_a_sentence_lacks_nothing_that_it_says_itself(sentence: str) -> None:
    judgement = judged(sentence, sentence)
    assert (judgement.verdict, judgement.missing) == ("supported", ())
