"""Small edits that turn a true sentence into one its source does not carry."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from rag.text.names import names
from rag.verification.numbers import quantities, stated

# Pairs of opposite word forms; every form is replaced by its partner, in both directions.
OPPOSITES = """
increase decrease|increases decreases|increased decreased|increasing decreasing|rise fall|rises falls|rose fell
higher lower|more fewer|larger smaller|greater lesser|faster slower|longer shorter|better worse|best worst
improve worsen|improves worsens|improved worsened|improving worsening|improvement deterioration
outperforms underperforms|outperform underperform|outperformed underperformed|outperforming underperforming
gain loss|gains losses|strong weak|stronger weaker|strongly weakly|high low|large small|positive negative
positively negatively|above below|before after|early late|earlier later|first last|always never|many few
most least|easy hard|easier harder|simple complex|cheap expensive|cheaper costlier|fast slow|deep shallow
dense sparse|local global|supervised unsupervised|with without|similar different|same opposite
effective ineffective|efficient inefficient|robust fragile|stable unstable|able unable|possible impossible
necessary unnecessary|dependent independent|reduce increase|reduces increases|reduced increased
reducing increasing|reduction increase|promotes inhibits|promote inhibit|promoted inhibited|activates suppresses
activate suppress|enhances impairs|enhance impair|enhanced impaired|induces prevents|upregulates downregulates
upregulated downregulated|accelerates slows|succeeds fails|succeed fail|beats trails|beat trail|surpasses trails
exceeds undercuts|ahead behind|superior inferior|sensitive resistant|present absent|linear nonlinear|long short
wide narrow|minimum maximum|minimal maximal|minimizes maximizes|helps hurts|help hurt|enables prevents
enable prevent|raises lowers|raise lower|raised lowered|grows shrinks|grow shrink|widens narrows
strengthens weakens|drop rise|drops rises|dropped rose|declines climbs|decline climb|requires avoids
causes prevents|rarely often|consistent inconsistent|internal external
"""
AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|does|do|did|has|have|will|may|should)\b(?!\s+(?:not|n't))")
DENIAL = re.compile(r"\b(is|are|was|were|can|could|does|do|did|has|have|will|may|should) not\b|\bcannot\b")
COMPARATIVE = re.compile(
    r"\b(?:than|outperforms?|beats?|surpass(?:es)?|exceeds?|over|ahead of|superior to|better|worse|higher|lower|faster|"
    r"against|versus)\b"
)

Edit = Callable[[str, random.Random], str | None]


def seeded(seed: int) -> random.Random:
    """A generator that gives the same edits at every run."""
    return random.Random(seed)  # noqa: S311 - reproducible, nothing secret


def _opposites() -> dict[str, str]:
    table: dict[str, str] = {}
    for pair in OPPOSITES.replace("\n", "|").strip("|").split("|"):
        first, second = pair.split()
        table.setdefault(first, second)
        table.setdefault(second, first)
    return table


def flip_direction(text: str, rng: random.Random) -> str | None:
    """One direction word replaced by its opposite; None when the text has none."""
    table = _opposites()
    found = [m for m in re.finditer(r"[A-Za-z]+", text) if m.group().lower() in table]
    if not found:
        return None
    match = rng.choice(found)
    new = table[match.group().lower()]
    new = new.capitalize() if match.group()[0].isupper() else new
    return text[: match.start()] + new + text[match.end() :]


def change_number(text: str, rng: random.Random) -> str | None:
    """One number written in digits replaced by another of like size; None when the text has none."""
    found = [q for q in quantities(text) if not q.worded]
    spans = [(m.start(), m.end()) for q in found if (m := re.search(r"\d[\d.,']*\d|\d", text[q.start : q.end]))]
    choices = [(q, q.start + a, q.start + b) for q, (a, b) in zip(found, spans, strict=True)]
    if not choices:
        return None
    _, start, end = rng.choice(choices)
    for _ in range(20):
        new = _other_number(text[start:end], rng)
        edited = text[:start] + new + text[end:]
        changed = [q for q in quantities(edited) if not stated(q, found)]
        if changed:
            return edited
    return None


def _other_number(number: str, rng: random.Random) -> str:
    """The same number of digits and the same shape, at least one of the first two digits different."""
    digits = [i for i, c in enumerate(number) if c.isdigit()]
    chosen = set(rng.sample(digits[:2], rng.randint(1, min(2, len(digits)))))
    return "".join(rng.choice([d for d in "123456789" if d != c]) if i in chosen else c for i, c in enumerate(number))


def negate(text: str, rng: random.Random) -> str | None:
    """`not` put in or taken out; None where neither has a safe place."""
    denial = DENIAL.search(text)
    if denial:
        kept = denial.group(1) or "can"
        return text[: denial.start()] + kept + text[denial.end() :]
    found = list(AUXILIARY.finditer(text))
    if found:
        match = rng.choice(found)
        return text[: match.end()] + " not" + text[match.end() :]
    return None


def swap_names(text: str, rng: random.Random) -> str | None:
    """The two things a comparison sets against each other exchanged; None without a comparison of two names."""
    comparison = COMPARATIVE.search(text)
    if not comparison:
        return None
    before = names(text[: comparison.start()])
    after = [n for n in names("x " + text[comparison.end() :]) if n not in before]
    if not before or not after:
        return None
    first, second = rng.choice(before), after[0]
    mark = "\0"
    return text.replace(first, mark).replace(second, first).replace(mark, second)


def replace_name(text: str, rng: random.Random, others: Sequence[str]) -> str | None:
    """One name replaced by another paper's; None when the text names nothing."""
    found = names(text)
    others = [other for other in others if other.lower() not in text.lower()]
    if not found or not others:
        return None
    return text.replace(rng.choice(found), rng.choice(others))


EDITS: dict[str, Edit] = {
    "number": change_number,
    "direction": flip_direction,
    "negation": negate,
    "swap": swap_names,
}
"""Edits after which the source says the opposite, or another number."""
