"""Which drafts are made, how many of each kind, and from which abstracts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING

from rag.catalogue import Catalogue
from rag.evaluate.drafts import absent, acronyms, facts, model, words
from rag.evaluate.drafts.draft import Draft
from rag.evaluate.drafts.topic import Topic, topic_of
from rag.ranking.lexical import document_frequency
from rag.types import Abstract

if TYPE_CHECKING:
    from rag.llm import LLM

PLAIN = {"number": 20, "definition": 12, "cloze": 10, "acronym": 10, "keywords": 16, "typo": 12, "missing": 12}
"""Drafts of a hundred by maker where no model helps; the rest are everyday questions."""
ASSISTED = {"fact": 20, "method": 12, "paraphrase": 14, "number": 4, "definition": 4, "acronym": 8, "keywords": 10}
ASSISTED |= {"typo": 10, "missing": 10}
"""The same with a model."""
EVERYDAY = 8
_SAMPLED = 20
"""Abstracts that are looked at for each draft wanted, at most; of a large shelf a random part is enough."""


@dataclass
class Made:
    """The drafts in order of kind, and how often a model's reply could not be used."""

    drafts: list[Draft] = field(default_factory=list)
    unusable: int = 0


@dataclass(frozen=True)
class Paper:
    """An abstract and what it is called in questions."""

    abstract: Abstract
    catalogue: Catalogue

    @cached_property
    def topic(self) -> Topic | None:
        """See `topic_of`."""
        return topic_of(self.abstract, partial(document_frequency, self.catalogue))


Maker = Callable[[Paper], Iterable[Draft | None]]


def make(catalogue: Catalogue, number: int, seed: int, llm: LLM | None = None) -> Made:
    """About `number` drafts (fewer where the shelf holds too little), each from another abstract as far as there are.

    Equal shelf, number and seed give equal drafts; with a model as far as it repeats itself. Raises LLMError.
    """
    rng = Random(seed)  # noqa: S311 - a choice, no secret
    ids = sorted(catalogue.ids())
    chosen = rng.sample(ids, min(len(ids), number * _SAMPLED))
    made = Made(absent.off_topic(catalogue, rng)[: round(number * EVERYDAY / 100)])
    makers = _makers(catalogue, rng, llm, made)
    need = _quotas(number - len(made.drafts), ASSISTED if llm else PLAIN)
    _work_off(catalogue, chosen, makers, need, made)
    missing = number - len(made.drafts)
    # What one kind cannot supply the others do, those without a model: it has had its share.
    _work_off(catalogue, chosen, makers, dict.fromkeys(PLAIN, missing), made, missing)
    order = {name: n for n, name in enumerate(("fact", "method", "paraphrase", "acronym", "keyword", "typo"))}
    made.drafts.sort(key=lambda draft: order.get(draft.kind, len(order)))
    return made


def _quotas(number: int, shares: Mapping[str, int]) -> dict[str, int]:
    """Whole numbers that sum to `number`, in proportion to the shares; the largest remainders are rounded up."""
    total = sum(shares.values())
    exact = {name: number * share / total for name, share in shares.items()}
    quotas = {name: int(value) for name, value in exact.items()}
    for name in sorted(exact, key=lambda name: quotas[name] - exact[name])[: number - sum(quotas.values())]:
        quotas[name] += 1
    return quotas


def _work_off(
    catalogue: Catalogue, ids: list[str], makers: Mapping[str, Maker], need: dict[str, int], made: Made,
    most: int | None = None,
) -> None:  # fmt: skip
    """Make what is needed, one draft of an abstract at a time, until nothing is or a whole round brings nothing."""
    known = {draft.key for draft in made.drafts}
    limit = len(made.drafts) + (sum(need.values()) if most is None else most)
    progress = True
    while progress and len(made.drafts) < limit:
        progress = False
        for paper in _papers(catalogue, ids):
            draft = _next(paper, makers, need, known) if len(made.drafts) < limit else None
            if draft is not None:
                known.add(draft.key)
                made.drafts.append(draft)
                progress = True


def _papers(catalogue: Catalogue, ids: list[str]) -> Iterator[Paper]:
    for start in range(0, len(ids), 100):
        abstracts = catalogue.many(ids[start : start + 100])
        yield from (Paper(abstracts[identity], catalogue) for identity in ids[start : start + 100])


def _next(paper: Paper, makers: Mapping[str, Maker], need: dict[str, int], known: set[tuple[str, ...]]) -> Draft | None:
    """The abstract's draft of the kind that lacks most, of those it can give and that are not there yet."""
    for name in sorted(need, key=lambda name: -need[name]):
        if need[name] > 0:
            for draft in makers[name](paper):
                if draft is not None and draft.key not in known:
                    need[name] -= 1
                    return draft
    return None


def _makers(catalogue: Catalogue, rng: Random, llm: LLM | None, made: Made) -> dict[str, Maker]:
    frequency = partial(document_frequency, catalogue)

    def definition(paper: Paper) -> list[Draft | None]:
        return [facts.definition(paper.abstract, paper.topic)] if paper.topic else []

    def missing(paper: Paper) -> list[Draft]:
        found = list(absent.missing_details(paper.abstract, paper.topic)) if paper.topic else []
        rng.shuffle(found)
        return found

    def typo(paper: Paper) -> list[Draft | None]:
        right = [*definition(paper), *facts.facts(paper.abstract, paper.topic)]
        return [words.misspelt(draft, rng) for draft in right if draft is not None]

    def assisted(kind: model.ModelKind, paper: Paper) -> list[Draft | None]:
        draft = model.drafted(llm, paper.abstract, kind) if llm else None
        made.unusable += draft is None
        return [draft]

    makers: dict[str, Maker] = {
        "number": lambda paper: facts.facts(paper.abstract, paper.topic),
        "definition": definition,
        "cloze": lambda paper: facts.clozes(paper.abstract),
        "acronym": lambda paper: acronyms.expansions(catalogue, paper.abstract),
        "keywords": lambda paper: [words.keywords(paper.abstract, frequency)],
        "typo": typo,
        "missing": missing,
    }
    return {**makers, **{kind: partial(assisted, kind) for kind in model.WISHES}}
