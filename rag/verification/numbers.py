"""Quantities in prose: what they are worth, and whether one states another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["plain", "percent", "times"]
Bound = Literal["about", "above", "below"]

HEDGE_TOLERANCE = 0.05
BOUND_TOLERANCE = 0.10

UNITS = {
    w: n
    for n, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS = {w: 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)}
SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
    "k": 1e3,
    "m": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "t": 1e12,
}
FRACTIONS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1}
MULTIPLES = {
    "twice": 2.0,
    "double": 2.0,
    "doubles": 2.0,
    "doubled": 2.0,
    "doubling": 2.0,
    "triple": 3.0,
    "triples": 3.0,
    "tripled": 3.0,
    "tripling": 3.0,
    "quadruple": 4.0,
    "quadrupled": 4.0,
    "halve": 0.5,
    "halves": 0.5,
    "halved": 0.5,
    "halving": 0.5,
}
BOUNDS: dict[str, Bound] = {
    **dict.fromkeys(
        (
            "about",
            "around",
            "roughly",
            "approximately",
            "nearly",
            "almost",
            "some",
            "circa",
            "ca",
            "~",
            "sim",
            "≈",
            "∼",
            "close to",
            "just",
        ),
        "about",
    ),
    **dict.fromkeys(
        (
            "over",
            "above",
            "more than",
            "at least",
            "exceeding",
            "exceeds",
            "exceed",
            ">",
            "≥",
            "greater than",
            "higher than",
            "upwards of",
            "minimum of",
            "geq",
            "ge",
        ),
        "above",
    ),
    **dict.fromkeys(
        (
            "under",
            "below",
            "less than",
            "at most",
            "fewer than",
            "up to",
            "<",
            "≤",
            "lower than",
            "as few as",
            "maximum of",
            "leq",
            "le",
            "within",
            "only",
        ),
        "below",
    ),
}
_NUMBER_WORD = "|".join([*UNITS, *TENS])
_BOUND = re.compile(
    "(?:"
    + "|".join(sorted((re.escape(b) if not b.isalpha() else rf"\b{b}" for b in BOUNDS), key=len, reverse=True))
    + ")"
    r"\s*(?:(?:an?|the|\$)\s*)?[$€£]?$",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(rf"\d|\b(?:{_NUMBER_WORD}|{'|'.join(MULTIPLES)}|{'|'.join(FRACTIONS)}|dozen)", re.IGNORECASE)
_DIGITS = r"\d{1,3}(?:[,'’\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.·]\d+)?|\.\d+"
_QUANTITY = re.compile(
    rf"""
    (?: (?:(?<![\w.,])(?<![^\W\d_]-)|(?<=\bsim)|(?<=leq)|(?<=geq)|(?<=approx)|(?<=\dtimes)) (?P<digits>{_DIGITS})
        (?:\s*[×x]\s*10\s*\^?\s*\{{?(?P<power>[-−]?\d+)\}}?|e(?P<exponent>[-+]?\d+)\b)?
      | \b(?: (?P<words>(?:(?:{"|".join(TENS)})[-\s](?:{"|".join(list(UNITS)[1:10])})|{_NUMBER_WORD})(?=\b))
          | (?P<multiple>{"|".join(MULTIPLES)})\b
          | (?:(?P<numerator>one|a|two|three)[-\s])?(?P<fraction>{"|".join(FRACTIONS)})s?\b
          | (?P<dozen>dozen)s?\b ) )
    (?P<scale>[-\s]?(?:hundred|thousand|million|billion|trillion)\b|(?:k|K|M|B|bn|T)(?!\w))?
    (?P<unit>\s*\\?%|[-\s]*(?:percent|per\s+cent|percentage)\b(?:[-\s]*points?)?|\s+(?:pp|points?)\b
      |\s*(?:×|x\b|X\b)|[-\s]*(?:fold|times)\b)?""",
    re.VERBOSE,
)
_NOT_A_NUMBER = re.compile(r"[^\W\d_]")
_RANGE = re.compile(r"\s*(?:-|–|—|to|and|or|,|/)\s*$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: `value` (percent as 0-100), its kind, and `step`, the place value of its last digit.

    `worded` numbers (three, half) count less than digits; a `bound` says about, above or below.
    """

    value: float
    kind: Kind
    step: float
    start: int
    end: int
    worded: bool = False
    bound: Bound | None = None


def quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in order. Digits inside names (GPT-4, IL-6, 3D) are not quantities."""
    if not _MAY_HOLD.search(text):
        return ()
    found = [q for m in _QUANTITY.finditer(text) if (q := _quantity(m, text)) is not None]
    return tuple(_with_unit_of_range(found, text))


def states(evidence: Quantity, claim: Quantity) -> bool:
    """Whether the evidence's number says the claim's: equal, or equal once rounded as the claim rounds."""
    return any(_close(value, claim) or _bounded(value, claim) for value in _readings(evidence, claim.kind))


def stated(claim: Quantity, evidence: Iterable[Quantity]) -> bool:
    """Whether any of the evidence's numbers states the claim's."""
    return any(states(e, claim) for e in evidence)


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    end = match.end()
    unit = (match["unit"] or "").strip(" \\-").lower()
    if match["digits"] and not unit and end < len(text) and _NOT_A_NUMBER.match(text[end]):
        return None
    value, step = _value_and_step(match)
    kind: Kind = "plain"
    if match["multiple"] or unit in {"×", "x", "times", "fold"}:
        kind = "times"
    elif match["fraction"] or unit.startswith(("%", "per", "pp", "point")):
        kind = "percent"
    return Quantity(value, kind, step, match.start(), end, not match["digits"], _bound_before(text, match.start()))


def _bound_before(text: str, start: int) -> Bound | None:
    match = _BOUND.search(text[max(0, start - 24) : start])
    if match is None:
        return None
    words = match.group().lower().split()
    return next((BOUNDS[b] for b in (" ".join(words[:2]), words[0], words[0].rstrip("$€£")) if b in BOUNDS), None)


def _value_and_step(match: re.Match[str]) -> tuple[float, float]:
    if match["multiple"]:
        return MULTIPLES[match["multiple"]], 1.0
    if match["fraction"]:
        return 100 * FRACTIONS[match["fraction"]] * UNITS.get(match["numerator"] or "", 1), 1.0
    if match["dozen"]:
        return 12.0, 1.0
    if match["words"]:
        value, step = float(sum({**UNITS, **TENS}[w] for w in re.split(r"[-\s]", match["words"]))), 1.0
    else:
        number = Decimal(re.sub(r"[,'’\u202f]", "", match["digits"]).replace("·", "."))
        exponent = number.as_tuple().exponent
        value, step = float(number), 10.0 ** int(exponent)
    factor = SCALES[match["scale"].strip(" -").lower()] if match["scale"] else 1.0
    power = match["power"] or match["exponent"]
    if power:
        factor *= 10.0 ** max(-300, min(300, int(power.replace("−", "-"))))
    return value * factor, step * factor


def _with_unit_of_range(found: list[Quantity], text: str) -> Iterable[Quantity]:
    """`3-15%` and `11 to 14%` are percentages at both ends."""
    for this, after in zip(found, found[1:] + found[-1:], strict=True):
        if this.kind == "plain" != after.kind and _RANGE.match(text[this.end : after.start]):
            yield Quantity(this.value, after.kind, this.step, this.start, this.end, this.worded, this.bound)
        else:
            yield this


def _readings(evidence: Quantity, kind: Kind) -> list[float]:
    """The evidence's value as a claim of that kind may express it."""
    if evidence.kind == kind:
        return [evidence.value]
    if kind == "percent":
        return [evidence.value, 100 * evidence.value] if evidence.kind == "plain" else [100 * evidence.value]
    if evidence.kind == "percent":
        return [evidence.value, evidence.value / 100]
    return [evidence.value]


def _close(value: float, claim: Quantity) -> bool:
    if abs(value - claim.value) <= 1e-9 * max(1.0, abs(claim.value)):
        return True
    if claim.bound and abs(value - claim.value) <= HEDGE_TOLERANCE * abs(value):
        return True
    return abs(value - claim.value) <= 0.5000001 * _rounding_step(claim)


def _rounding_step(claim: Quantity) -> float:
    """Place value of the last digit that counts: the zeros of 56,000 may be rounded ones, those of 30 may not."""
    step = claim.step
    while claim.value >= 100 * step and claim.value % (10 * step) == 0:
        step *= 10
    return step


def _bounded(value: float, claim: Quantity) -> bool:
    if claim.bound == "above":
        return claim.value <= value <= claim.value * (1 + BOUND_TOLERANCE)
    if claim.bound == "below":
        return claim.value * (1 - BOUND_TOLERANCE) <= value <= claim.value
    return False
