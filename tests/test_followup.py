from __future__ import annotations

import pytest

from rag.followup import standalone
from rag.types import Turn

DROPOUT = (
    Turn("user", "Does dropout in the first phase of training help small networks?"),
    Turn("assistant", "Yes. Early dropout lowers the final loss of ViT-T on ImageNet [1]."),
)
COLBERT = (
    Turn("user", "How does ColBERT match queries and passages?"),
    Turn("assistant", "It keeps a vector for each token and sums the maxima, which is called MaxSim [1]."),
)


@pytest.mark.parametrize(
    ("history", "question", "carried"),
    [
        (COLBERT, "and how fast is it?", "ColBERT"),
        (COLBERT, "How much space does it take?", "ColBERT"),
        (COLBERT, "what about long documents?", "ColBERT"),
        (COLBERT, "why?", "ColBERT"),
        (COLBERT, "How fast?", "ColBERT"),
        (COLBERT, "Is there something like that for images?", "ColBERT"),
        (COLBERT, "Was it compared with BM25?", "ColBERT"),
        (COLBERT, "what are its limits?", "ColBERT"),
        (COLBERT, "And on MS MARCO?", "ColBERT"),
        (COLBERT, "which datasets did they use?", "ColBERT"),
        (COLBERT, "Tell me more", "ColBERT"),
        (COLBERT, "so does the same hold for multilingual collections", "ColBERT"),
        (DROPOUT, "Did they find a way to cut that down?", "dropout"),
        (DROPOUT, "and at what stage should this be stopped?", "dropout"),
        (DROPOUT, "How do those compare with bigger networks?", "dropout"),
        (DROPOUT, "Does that also work late in training?", "dropout"),
        (DROPOUT, "but is the effect large", "dropout"),
        (DROPOUT, "What else helps?", "dropout"),
    ],
)
def test_a_follow_up_takes_over_the_topic(history: tuple[Turn, ...], question: str, carried: str) -> None:
    made = standalone(question, history)
    assert made.startswith(question)
    assert carried in made.removeprefix(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is FRIDAY?",
        "And what is GAP?",
        "How large is the WILDS benchmark?",
        "Which remedies for position bias need no training?",
        "How does RemFX undo a recording that has several effects applied to it?",
        "What is BOFT and how does it relate to OFT?",
        "Why do sparsity recipes lose accuracy with Adam, and how does STEP get around that?",
        "Is it better to route tasks to separate parameters or to share them?",
        "Do heatmaps that explain decisions get more trustworthy?",
        "what can i use instead of buttermilk in pancakes?",
        "koopman generalization bound full-rank weight matrices",
        "What can be worked out about a reader from their eye movements over a text?",
    ],
)
def test_a_change_of_topic_is_left_alone(question: str) -> None:
    assert standalone(question, DROPOUT) == question


@pytest.mark.parametrize(
    ("before", "question", "made"),
    [
        ("Does coffee raise blood pressure?", "and tea?", "Does tea raise blood pressure?"),
        (
            "Why does coffee raise blood pressure?",
            "And what about green tea?",
            "Why does green tea raise blood pressure?",
        ),
        ("Does early dropout reduce the error?", "how about late dropout", "Does late dropout reduce the error?"),
        ("How fast is ColBERT?", "And BM25?", "How fast is BM25?"),
        ("How fast is ColBERT on MS MARCO?", "and on TREC?", "How fast is ColBERT on TREC?"),
        ("Does sleep improve memory in adults?", "And in children?", "Does sleep improve memory in children?"),
    ],
)
def test_what_alone_is_named_takes_the_place_of_its_counterpart(before: str, question: str, made: str) -> None:
    assert standalone(question, (Turn("user", before), Turn("assistant", "Yes [1]."))) == made


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("How well does ColBERT do against SPLADE?", "and BM25?"),
        ("How does a retriever match queries and passages?", "what about long documents?"),
        ("Does coffee raise blood pressure?", "And the other one?"),
        ("Does coffee raise blood pressure?", "and why?"),
        ("Is it sold in towns or in cities?", "and in villages?"),
    ],
)
def test_where_the_counterpart_is_not_plain_the_topic_is_kept(before: str, question: str) -> None:
    assert standalone(question, (Turn("user", before), Turn("assistant", "Yes [1]."))).startswith(question)


def test_without_history_nothing_is_added() -> None:
    assert standalone("and how fast is it?", ()) == "and how fast is it?"


def test_a_chain_of_follow_ups_keeps_its_topic() -> None:
    history = (*COLBERT, Turn("user", "and how fast is it?"), Turn("assistant", "58 ms for a query [1]."))
    assert "ColBERT" in standalone("and in batches?", history)


def test_names_of_the_reply_are_taken_over_but_never_its_markers() -> None:
    made = standalone("and how fast is it?", COLBERT)
    assert "MaxSim" in made
    assert "[" not in made


def test_only_a_few_words_are_taken_over() -> None:
    history = (Turn("user", " ".join(f"topic{n}" for n in range(100))), Turn("assistant", "No."))
    assert len(standalone("and why is that?", history).split()) < 20
