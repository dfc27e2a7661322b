"""Which sentences of an answer claim something, and which sentences of an abstract may carry a claim."""

from __future__ import annotations

import re
from functools import lru_cache

from rag.text.words import words
from rag.verification.numbers import quantities

FEWEST_WORDS = 2
"""A sentence with fewer content words, and no number, claims nothing that could be looked up: "Yes."."""

_ABOUT_THE_ANSWER = re.compile(
    r"""^\W*(?:
      (?:here|below|the\ following)\b[^.]{0,60}\b(?:summar\w+|overview|answer|list|points?|findings|is|are)\b
        [^.]{0,40}:?$
    | (?:sure|certainly|of\ course|hello|thanks?|sorry|let\ me\ know|please|feel\ free|if\ you
        |i\ (?:hope|can|cannot|can't|could|couldn't|do|don't|am)|i'm)\b
    | (?:in\ (?:summary|short|conclusion)|to\ summari[sz]e|overall)\W*$
    | (?:(?:the|these|those|none\ of\ the|no|my|your|this|given|provided|available|retrieved)\s+)*
      (?:abstracts?|sources?|documents?|papers?|passages?|texts?|context|collection|evidence|information|excerpts?)
      (?:\s+(?:provided|given|here|above|available|sent|retrieved|i\ was\ given))?\s+
      (?:(?:do|does|did)(?:\ not|n't)\ (?:state|mention|say|report|contain|give|provide|cover|address|answer
          |discuss|specify|describe|include|name|indicate)\b
        |(?:say|give|contain|mention|state|provide|report|cover)s?\ (?:no|nothing)\b)
    | (?:this|that|it)\s+is\s+not\s+(?:stated|mentioned|covered|reported|given|addressed|in\ the)\b
    | (?:not\ (?:stated|covered|answered|mentioned|found|given)|nothing\ (?:relevant|in\ the|was\ found))\b
    | no\ (?:information|details?|abstracts?|sources?|answer)\b[^.]{0,40}\b(?:is|are|was|were|found|given|available
        |provided|states?|mentions?|covers?|says?|reports?|describes?|addresses?)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# "..., which carry references." ends a sentence; a heading begins one, in capitals.
_HEADING = re.compile(
    r"(?:^|[.;!?]\s+)(?:References?|REFERENCES|Bibliography|BIBLIOGRAPHY|Works [Cc]ited|Literature [Cc]ited"
    r"|Reference [Ll]ist)\s*(?::|\.(?=\s|$))|\s(?:References|REFERENCES|Bibliography|BIBLIOGRAPHY):"
)
_ENTRY_MARKS = (
    re.compile(r"\b(?:19|20)\d\d\s*[;:]\s*\d+"),
    re.compile(r"\((?:19|20)\d\d[a-z]?\)\s*[.,:]"),
    re.compile(r"\b[A-Z][\w'’-]+,? (?:[A-Z]\.[ -]?){1,3}(?:,|&|and\b|\()"),
    re.compile(r"\b(?:doi:|https?://doi\.org/|arXiv:\d|pp\.\s*\d|vol\.\s*\d)", re.I),
    re.compile(r"\b\d+\s*\(\d+\)\s*:\s*[a-z]?\d+"),
    re.compile(r"^\s*\[?\d{1,3}[\].]\s+[A-Z]"),
)
ENTRY_MARKS_NEEDED = 2


def makes_claim(sentence: str) -> bool:
    """False for headings, questions, courtesies and for saying that something is not stated."""
    text = sentence.strip().strip("*_# ")
    if text.endswith((":", "?")) or _ABOUT_THE_ANSWER.search(text):
        return False
    return bool(quantities(text)) or sum(w.is_content for w in words(text)) >= FEWEST_WORDS


@lru_cache(maxsize=1024)
def prose(sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Positions of the sentences that state something: no reference list, nor anything after its heading."""
    kept = []
    for i, sentence in enumerate(sentences):
        if _HEADING.search(sentence):
            break
        if sum(bool(mark.search(sentence)) for mark in _ENTRY_MARKS) < ENTRY_MARKS_NEEDED:
            kept.append(i)
    return tuple(kept)
