"""What kind of answer a question asks for, read from its wording, and the marks of such an answer in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass


def _any_of(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


_NUMBER_WORDS = _any_of(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million "
    "billion trillion half twice thrice double triple dozens hundreds thousands millions billions hour minute"
)
_MEASURES = _any_of(
    "percentage percent share fraction proportion rate ratio accuracy score number size lift uplift gain gains speedup "
    "range factor auc f1 bleu rouge wer margin"
)
_QUANTITY = re.compile(
    rf"\bhow {_any_of('many much often long large big small few fast accurate accurately well')}"
    rf"|\b(?:what|which) (?:\S+ ){{0,3}}?{_MEASURES}",
    re.IGNORECASE,
)
_OPENING = re.compile(r"\W*(?:(?:and|so|but|then|on|by|in|at|to|for|with|from|of|about)\s+)*", re.IGNORECASE)
_SURVEY = re.compile(
    _any_of(
        "compare comparison versus vs differ difference differences disagree competing exist remedies approaches "
        "explanations frameworks techniques strategies researchers findings evidence papers studies literature "
        "overview survey each"
    ),
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\bhow (?:do|does|did|can|is|are|to|should|would|could)\b|" + _any_of("method approach technique algorithm"),
    re.IGNORECASE,
)
_MEANING = re.compile(
    r"\W*(?:and |so )?(?:what(?:\s?['’]?s| is| are| does| do)|who is|define)\b|.*\bstands? for\b", re.IGNORECASE
)
_REASON = re.compile(r"\b(?:why|how come|what (?:causes|explains|is behind|makes))\b", re.IGNORECASE)
# Digits inside names (`V_0`, `GPT-4`, `Qwen3`) are no amounts.
_AMOUNT = re.compile(rf"(?<![\w.^-])\d|{_NUMBER_WORDS}", re.IGNORECASE)
_PROPOSAL = re.compile(
    r"\b(?:we|this (?:paper|work)|our (?:method|approach|framework|key|main))\b[^.]{0,60}?"
    r"\b(?:propose|introduce|present|develop|design|describe|devise|leverage|use|train|show how)",
    re.IGNORECASE,
)
_FINDING = re.compile(
    _any_of(
        r"find found shows? showed demonstrate[sd]? reveal(?:s|ed)? observe[sd]? results? conclude[sd]? prove[sd]? "
        r"outperform\w* surpass\w* achiev\w+ improv\w+ suggests? indicates? evidence discover\w*"
    ),
    re.IGNORECASE,
)
_CAUSE = re.compile(
    _any_of(
        r"because due caus\w+ stems? arises? leads? owing attribut\w+ reasons? since explain\w* isolat\w+ therefore "
        r"thus thereby why root"
    ),
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"(?:this|these|those|it|its|they|their|such|both|the former|the latter)\b"
    r"(?! (?:paper|work|study|article|thesis|survey|review|tutorial)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for; several may hold. `number_first`: a number, before anything else."""

    quantity: bool
    number_first: bool
    survey: bool
    method: bool
    meaning: bool
    reason: bool


def wanted(question: str) -> Wanted:
    """Read a question's wording."""
    quantity = _QUANTITY.search(question)
    return Wanted(
        quantity=quantity is not None,
        number_first=quantity is not None and _OPENING.fullmatch(question[: quantity.start()]) is not None,
        survey=_SURVEY.search(question) is not None,
        method=_METHOD.search(question) is not None,
        meaning=_MEANING.match(question) is not None,
        reason=_REASON.search(question) is not None,
    )


def has_amount(sentence: str) -> bool:
    """Whether a number is in it, in digits or in words."""
    return _AMOUNT.search(sentence) is not None


def is_proposal(sentence: str) -> bool:
    """Whether it says what the authors made or did."""
    return _PROPOSAL.search(sentence) is not None


def is_finding(sentence: str) -> bool:
    """Whether it says what came out."""
    return _FINDING.search(sentence) is not None


def is_cause(sentence: str) -> bool:
    """Whether it says why something is so."""
    return _CAUSE.search(sentence) is not None


def introduces(text: str, name: str) -> bool:
    """Whether a text gives a name its meaning: `out-of-context reasoning (OCR)`, `Kestrel is a`, `called Kestrel`."""
    name = re.escape(name)
    given = rf"\({name}s?[,;)]|\b(?:called|named|dubbed|termed) {name}\b|(?:^|[.!?] ){name} (?:is|are)\b"
    return re.search(given, text) is not None


def points_back(sentence: str) -> bool:
    """Whether its first words mean something in the sentence before, without which it is not understood."""
    return _POINTS_BACK.match(sentence) is not None
