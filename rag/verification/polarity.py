"""Which way a sentence points: negations, directions (more or less, better or worse, ...) and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.text.words import Word, stem

NEGATION_REACH = 5
"""A negation turns the direction words at most this many words after it, within its clause."""

# Axis: words of one direction | words of the opposite one. A word may stand on several axes.
AXES = {
    "amount": (
        "increase rise grow growth gain higher high more larger large greater great elevate raise enhance upregulate "
        "boost amplify augment expand accelerate exceed widen strengthen promote induce activate stimulate encourage "
        "facilitate raised risen rose grew enlarge heighten intensify multiply potentiate overexpress accumulate "
        "longer faster stronger extra abundant induction activation additional upregulation drive trigger increased",
        "decrease reduce lower low fewer less smaller small decline drop fall shrink diminish downregulate suppress "
        "inhibit attenuate weaken impair limit slow block prevent cut fell fallen narrow shorten deplete loss lose "
        "abolish minimize mitigate restrict dampen repress hinder reduction inhibition suppression slower shorter "
        "weaker scarce downregulation eliminate curb halve deficient depletion deactivate inactivate antagonize",
    ),
    "value": (
        "improve improvement better superior outperform beat surpass exceed best benefit effective succeed success win "
        "excel efficacious advantage favorable gain protect protective help boost enhance strong robust useful "
        "beneficial ahead accurate improved outperforms",
        "worsen worse inferior underperform degrade deteriorate fail worst harm hurt ineffective trail behind lag "
        "failure damage detrimental disadvantage unfavorable weak useless harmful poor poorly impair brittle fragile "
        "inaccurate degradation struggle disrupt collapse suffer",
    ),
    "need": (
        "require need necessary essential critical crucial depend dependent important key indispensable vital "
        "requirement dependence necessitate",
        "independent dispensable unnecessary trivial negligible irrelevant redundant unimportant independently "
        "insignificant minor optional",
    ),
    "likeness": (
        "same similar equal comparable identical equivalent alike match similarly unchanged indistinguishable",
        "different differ unlike distinct dissimilar unequal differently difference vary diverge divergent",
    ),
    "link": (
        "associate associated correlate correlation linked related contribute cause relationship association",
        "uncorrelated unrelated unassociated decorrelated",
    ),
    "sign": ("positive positively agonist", "negative negatively inverse inversely antagonist"),
    "presence": (
        "present with include presence contain exist possess available including containing",
        "absent without exclude absence lack missing omit unavailable excluding lacking free devoid",
    ),
    "order": (
        "before early earlier first precede prior initial upstream",
        "after late later last follow final downstream",
    ),
    "level": ("above upper top", "below lower bottom under"),
    "count": (
        "many most majority all always often frequently every",
        "few fewest least minority none never rarely seldom",
    ),
    "strength": ("strong strongly stronger", "weak weakly weaker"),
    "ease": ("easy easier easily simple simpler", "hard harder difficult complex complicated challenging"),
    "size": ("large larger big bigger largest", "small smaller little tiny smallest"),
    "length": ("long longer longest", "short shorter shortest"),
    "height": ("high higher highest maximum maximize maximal", "low lower lowest minimum minimize minimal"),
    "speed": ("fast faster quick rapid rapidly quickly fastest", "slow slower slowly gradual slowest"),
    "cost": ("cheap cheaper inexpensive efficient", "expensive costly costlier inefficient"),
    "depth": ("deep deeper", "shallow shallower"),
    "density": ("dense denser", "sparse sparser"),
    "scope": ("global globally general broad", "local locally specific narrow"),
    "age": ("old older elderly", "young younger"),
    "start": ("start begin initiate open onset", "stop end cease terminate close offset"),
    "allow": ("allow enable permit facilitate support", "forbid prevent prohibit preclude block oppose"),
    "accept": (
        "accept confirm agree true correct consistent",
        "reject refute disagree false incorrect inconsistent contradict",
    ),
    "stability": ("stable stabilize maintain preserve retain keep", "unstable destabilize destroy disrupt lose forget"),
    "sensitivity": (
        "sensitive susceptible vulnerable sensitivity",
        "resistant insensitive immune resistance invulnerable",
    ),
    "survival": ("survive survival alive live", "die death dead mortality"),
    "add": ("add addition insert attach bind", "remove removal delete detach discard subtract"),
    "join": ("combine merge join together", "separate split divide apart"),
    "safety": ("safe safer safety", "unsafe dangerous toxic toxicity"),
    "linearity": ("linear linearly", "nonlinear nonlinearly"),
    "supervision": ("supervised labeled", "unsupervised unlabeled"),
    "ability": ("able capable possible can", "unable incapable impossible cannot"),
    "certainty": ("certain confident likely", "uncertain unlikely doubtful"),
    "healthy": ("healthy normal", "diseased abnormal sick"),
    "internal": ("internal inside inner within", "external outside outer"),
    "forward": ("forward ascend", "backward reverse descend"),
    "gainloss": ("gain acquire", "loss lose"),
    "rich": ("rich abundant plentiful", "poor scarce limited"),
    "public": ("public open", "private closed proprietary"),
    "central": ("central", "peripheral"),
    "male": ("male men man boy", "female women woman girl"),
    "pro": ("proinflammatory oncogene pathogenic", "antiinflammatory suppressor benign"),
}
# What a word does to the effect that a sentence states: raises it or lowers it, whatever the axis. A lowered cause
# counts like a lowered effect, so that "deficiency of X worsens Y" and "X does not worsen Y" come out alike.
RAISING = (
    "increase rise grow gain higher high more larger greater elevate raise enhance upregulate boost amplify expand "
    "accelerate exceed widen strengthen promote induce activate stimulate encourage facilitate augment exacerbate "
    "longer faster drive trigger overexpress overexpression improve better superior outperform surpass beneficial "
    "effective positive positively cause lead contribute support enable maintain associated linked essential require "
    "necessary susceptible sensitive vulnerable common overestimate"
)
LOWERING = (
    "decrease reduce lower low fewer less smaller decline drop fall shrink diminish downregulate suppress inhibit "
    "attenuate weaken impair limit slow block prevent loss lose abolish minimize mitigate restrict dampen repress "
    "hinder halt delay shorter slower deplete depletion eliminate curb halve protect protective worsen worse inferior "
    "underperform degrade deteriorate fail ineffective negative negatively inverse inversely harm damage lack absence "
    "absent deficient deficiency knockdown knockout ablation ablate silence silencing null without inhibitor "
    "antagonist antagonize blockade deletion disrupt resistant resistance independent dispensable rare underestimate "
    "incapable unable little poor trivial"
)
NEGATIONS = frozenset("not no never without neither nor cannot none nothing hardly rarely".split())
NEGATING_STEMS = ("fail", "lack", "unable", "absence", "absent", "prevent")
NEGATIVE_PREFIXES = ("un", "in", "non", "dis", "im", "ir", "anti", "de", "mis", "il")
SHORTEST_STEM = 4
COMPARISON_WORDS = (
    "than outperform outperforms beat beats surpass surpasses exceed exceeds exceeding ahead over versus vs "
    "underperform underperforms trail trails behind superior inferior better worse"
)
CLAUSE_END = frozenset(",;:.!?()")


@dataclass(frozen=True, slots=True)
class Direction:
    """A word that points somewhere on an axis; `sign` is +1 or -1 after the negations that reach it."""

    axis: str
    sign: int
    position: int
    negated: bool


@lru_cache(maxsize=1)
def directions_of_stems() -> dict[str, tuple[tuple[str, int], ...]]:
    """Stem -> its (axis, sign) pairs."""
    table: dict[str, dict[str, int]] = {}
    for axis, sides in AXES.items():
        for sign, side in zip((1, -1), sides, strict=True):
            for word in side.split():
                table.setdefault(stem(word), {}).setdefault(axis, sign)
    return {key: tuple(axes.items()) for key, axes in table.items()}


@lru_cache(maxsize=1)
def effects_of_stems() -> dict[str, int]:
    """Stem -> +1 for a word that raises the stated effect, -1 for one that lowers it."""
    return {stem(w): 1 for w in RAISING.split()} | {stem(w): -1 for w in LOWERING.split()}


@lru_cache(maxsize=1)
def _negating_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in NEGATING_STEMS)


@lru_cache(maxsize=1)
def comparison_stems() -> frozenset[str]:
    """Stems of the words that set one thing against another."""
    return frozenset(stem(word) for word in COMPARISON_WORDS.split())


def is_negation(word: Word) -> bool:
    """`not`, `never`, `without`, `doesn't`, `fails`, `lacks`, ..."""
    return word.lower in NEGATIONS or word.lower.endswith(("n't", "n’t")) or word.stem in _negating_stems()


def effects(sequence: Sequence[Word]) -> tuple[int, ...]:
    """For each word +1 (raises), -1 (lowers or denies) or 0; their product is the direction of the whole."""
    table = effects_of_stems()
    return tuple(table.get(w.stem, -1 if is_negation(w) else 0) for w in sequence)


def negations(sequence: Sequence[Word]) -> list[int]:
    """Positions of the negating words; `not only` and `not necessarily` deny nothing."""
    found = []
    for i, word in enumerate(sequence):
        following = sequence[i + 1].lower if i + 1 < len(sequence) else ""
        if is_negation(word) and following not in {"only", "just", "merely", "necessarily"}:
            found.append(i)
    return found


def directions(text: str, sequence: Sequence[Word]) -> list[Direction]:
    """Every direction word of a sentence, once per axis it stands on."""
    table = directions_of_stems()
    turned = _turned(text, sequence)
    return [
        Direction(axis, -sign if turned[i] else sign, i, turned[i])
        for i, word in enumerate(sequence)
        for axis, sign in table.get(word.stem, ())
    ]


@lru_cache(maxsize=1 << 14)
def opposites_by_prefix(word: str) -> frozenset[str]:
    """The stem with a negative prefix put on, or taken off where at least four letters remain."""
    if len(word) < SHORTEST_STEM:
        return frozenset()
    off = {word.removeprefix(p) for p in NEGATIVE_PREFIXES if word.startswith(p)}
    return frozenset(p + word for p in NEGATIVE_PREFIXES) | {rest for rest in off if len(rest) >= SHORTEST_STEM}


def _turned(text: str, sequence: Sequence[Word]) -> list[bool]:
    """For each word whether an odd number of negations reaches it."""
    turned = [False] * len(sequence)
    for i in negations(sequence):
        for j in range(i + 1, min(i + 1 + NEGATION_REACH, len(sequence))):
            between = text[sequence[j - 1].start + len(sequence[j - 1].text) : sequence[j].start]
            if any(c in CLAUSE_END for c in between):
                break
            turned[j] = not turned[j]
    return turned
