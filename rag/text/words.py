"""Words as the verifier compares them: stems, content words, compounds and acronyms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

FUNCTION_WORDS = frozenset(
    "a about above across after again against all almost along also although among an and another any are around as "
    "at be because been before being below between both but by can cannot could despite did do does doing done down "
    "during each either else even ever every few for from further had has have having he hence her here hers him his "
    "how however i if in indeed into is it its itself just may me might more moreover most much must my namely near "
    "nearly neither never no nor not now of off on once only onto or other others otherwise our ours out over own per "
    "perhaps quite rather s same shall she should since so some such t than that the their theirs them then there "
    "therefore these they this those though through thus to too toward towards under until up upon us very via was we "
    "were what when where whereas whether which while who whom whose why will with within without would yes yet you "
    "your".split()
)
# Words that abstracts and answers use to talk about papers: their presence says nothing about the claim.
REPORTING_WORDS = frozenset(
    "abstract abstracts according approach author authors claim claims conclude concludes demonstrate demonstrates "
    "described describe describes find finding findings finds found introduce introduces method methods paper "
    "papers present presents propose proposed proposes report reported reports result results say says show showed "
    "shown shows state stated states study studies suggest suggests work works".split()
)
ACRONYM_LENGTHS = range(2, 7)

WORD = re.compile(r"\d+(?:[.,'’]\d+)*(?:[^\W\d_]+\d*)*|[^\W\d_]+(?:['’][^\W\d_]+)?\d*[^\W_]*")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written, in lower case and as stem, and where it starts in its text."""

    text: str
    lower: str
    stem: str
    start: int

    @property
    def is_content(self) -> bool:
        """Whether it carries meaning of its own: no function word, no single small letter."""
        return self.lower not in FUNCTION_WORDS and (len(self.lower) > 1 or not self.text.islower())


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Snowball's English stem of the lower-case word, British spellings in -is- and -our folded to American ones."""
    lower = word.lower().replace("’", "'").removesuffix("'s")
    lower = re.sub(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)", "iz", lower)
    lower = re.sub(r"(?<=[a-z]{2})our(?=$|s$|ed$|ing$|al$)", "or", lower)
    return str(_stemmer().stemWord(lower))


@lru_cache(maxsize=256)  # the same abstracts answer many questions; those of an abstract take some 40 KB
def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order; the parts of a hyphenated compound are words of their own."""
    return tuple(Word(m.group(), m.group().lower(), stem(m.group()), m.start()) for m in WORD.finditer(text))


def compounds(sequence: Sequence[Word]) -> Iterator[str]:
    """Stems of neighbouring content words written as one: `fine tuning` and `fine-tuning` give that of `finetuning`."""
    for first, second in pairwise(sequence):
        if first.is_content and second.is_content:
            yield stem(first.lower + second.lower)


def letters(sequence: Sequence[Word]) -> str:
    """First letters of all words, lower case: an acronym's expansion is found as a substring."""
    return "".join(word.lower[0] for word in sequence)


def is_acronym(text: str) -> bool:
    """`LLM`, `LLMs`, `CoT`, `RoPE`: two to six letters, at least two of them capitals."""
    if text.islower():
        return False
    letters = text.removesuffix("s") if text[-1:] == "s" and text[:-1].isupper() else text
    return letters.isalpha() and len(letters) in ACRONYM_LENGTHS and sum(c.isupper() for c in letters) >= 2


def acronym_key(text: str) -> str:
    """Lower-case letters of an acronym without the plural s."""
    return (text[:-1] if text[-1:] == "s" and text[:-1].isupper() else text).lower()
