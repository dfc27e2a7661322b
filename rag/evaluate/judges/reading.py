"""What a judge said, read strictly: what is not clearly a verdict is none.

LlamaIndex's evaluators do not tell: any text without the letters "yes" is a NO for them (an empty reply, a refusal) and
"I cannot say, yesterday ..." a YES; a score without a second line is an exception, and 7 or nan of 5 a score.
"""

from __future__ import annotations

import re

_VERDICT = re.compile(r"(?:answer|verdict)?\W*(yes|no)\b(?!\W*(?:/|or)\W*(?:yes|no)\b)", re.IGNORECASE)
_SCORE = re.compile(r"\W*(?:score\W*)?([1-5](?:\.\d+)?)(?:\s*/\s*5)?\W*", re.IGNORECASE)
WORST, BEST = 1.0, 5.0
"""The scale of a score."""


def yes_or_no(reply: str) -> bool | None:
    """The verdict a reply begins with; None where it begins with something else."""
    match = _VERDICT.match(reply.strip())
    return None if match is None else match[1].lower() == "yes"


def score_of(reply: str) -> tuple[float | None, str]:
    """The score in the first line, 1 to 5, and the reasons below it; None where that is no score."""
    first, _, reasons = reply.strip().partition("\n")
    match = _SCORE.fullmatch(first)
    value = float(match[1]) if match else None
    return (value if value is not None and WORST <= value <= BEST else None), reasons.strip()
