"""Questions the shelf has no answer to: a detail that a paper does not state, and what people ask elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

from rag.catalogue import Catalogue
from rag.evaluate.drafts.draft import Draft
from rag.evaluate.drafts.topic import Topic
from rag.ranking.lexical import document_frequency
from rag.text.terms import content_words
from rag.types import Abstract

EVERYDAY = Path(__file__).resolve().parents[2] / "data" / "everyday.txt"
"""Everyday questions, one a line: other ones than those a shelf's thresholds are measured with."""


class Detail(NamedTuple):
    """A question with `{}` for the topic, asked of topics of some `kinds`.

    It is asked where `needs` is in the abstract and nothing of `states` is.
    """

    question: str
    kinds: tuple[str, ...]
    states: str
    needs: str = ""


_METHOD, _DATA, _ANY = ("method",), ("data",), ("data", "method", "other")
_LEARNS = r"\b(?:train|learn|neural|transformer|fine-?tun|network)"
_PUBLIC = r"\b(?:code|data|releas|open|public)"
_CARD = r"\b[GT]PUs?\b|graphics|\b[AHV]100|nvidia"
_LICENCE = r"licen[cs]e|apache|\bMIT\b|creative commons|\bCC\b"
DETAILS = (
    Detail("How many GPU hours did it take to train {}?", _METHOD, rf"{_CARD}|\b(?:hours?|minutes|days?)\b", _LEARNS),
    Detail("Which learning rate was used to train {}?", _METHOD, r"learning[- ]rate", _LEARNS),
    Detail("What batch size was used to train {}?", _METHOD, r"\bbatch", _LEARNS),
    Detail("How many parameters does {} have?", _METHOD, r"parameter|\d ?[BM]\b|billion|million|\bsize", _LEARNS),
    Detail(
        "How much electricity did the training of {} use?", _METHOD, r"energy|electric|watt|kwh|carbon|power", _LEARNS
    ),
    Detail("How much memory does {} need?", _METHOD, r"memor|\b[GM]B\b|\bRAM\b|footprint"),
    Detail("Which graphics card was used for the experiments with {}?", _ANY, _CARD, _LEARNS),
    Detail(
        "Which optimiser was used in the experiments with {}?", _ANY, r"optimi[sz]er|\badam|\bsgd\b|descent", _LEARNS
    ),
    Detail("With how many random seeds was {} evaluated?", _ANY, r"\bseed|repeat|\bruns?\b", _LEARNS),
    Detail("How much were the annotators of {} paid per hour?", _DATA, r"\bpa(?:y|id)|wage|compensat|\bcosts?\b"),
    Detail("In which year did the collection of {} begin?", _DATA, r"\b(?:19|20)\d\d\b|\byears?\b"),
    Detail("Under which licence is {} released?", ("data", "method"), _LICENCE, _PUBLIC),
    Detail("Which agency funded the development of {}?", _ANY, r"fund|grant|sponsor|supported by"),
)


def missing_details(abstract: Abstract, topic: Topic) -> Iterator[Draft]:
    """Details that the abstract does not state of the thing it names; nothing is gold, no answer is right."""
    if not topic.coined:
        return
    for detail in DETAILS:
        asked = topic.kind in detail.kinds and re.search(detail.needs, abstract.text, re.IGNORECASE)
        if asked and not re.search(detail.states, abstract.text, re.IGNORECASE):
            yield Draft("unanswerable", detail.question.format(topic.name), "missing detail", abstract.id)


def off_topic(catalogue: Catalogue, rng: Random) -> list[Draft]:
    """Everyday questions of which no abstract holds two telling words, in random order."""
    questions = EVERYDAY.read_text(encoding="utf-8").split("\n")
    far = [question for question in questions if question and not _is_near(catalogue, question)]
    rng.shuffle(far)
    return [Draft("offtopic", question, "everyday") for question in far]


def _is_near(catalogue: Catalogue, question: str) -> bool:
    words = [word.lower() for word in content_words(question)]
    known = [word for word in words if document_frequency(catalogue, word)]
    return len(known) == len(words) or any(_together(catalogue, pair) for pair in combinations(known, 2))


def _together(catalogue: Catalogue, pair: tuple[str, str]) -> bool:
    query = "SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT 1"
    expression = " AND ".join('"' + word.replace('"', '""') + '"' for word in pair)
    return catalogue.connection.execute(query, (expression,)).fetchone() is not None
