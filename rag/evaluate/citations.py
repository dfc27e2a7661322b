"""What citations are worth: against gold, by the answer's own verdicts, and by the definitions of ALCE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.evaluate.case import Case
from rag.evaluate.judge import SupportJudge
from rag.evaluate.score import Sheet
from rag.types import Abstract
from rag.verification.claims import makes_claim

ALCE = ("alce_recall", "alce_precision")
UNREADABLE = "the judge gave no verdict"
UNCHECKED = "the answer was not checked"
UNKNOWN_TEXT = "a cited abstract is not on the shelf"
WRITTEN = ("answered", "partial")

Answer = Mapping[str, Any]


def score_gold_citations(case: Case, answer: Answer, sheet: Sheet) -> None:
    """Shares of gold abstracts that are cited, and of cited abstracts that are gold; whether a wrong one is cited."""
    gold, cited = set(case.gold), {cite["id"] for cite in answer.get("citations") or []}
    if case.wrong:
        sheet.put("wrong_cited", not cited.isdisjoint(case.wrong))
    if not gold:
        return
    sheet.put_share("gold_cited", len(gold & cited), len(gold))
    if cited:
        sheet.put_share("citation_precision", len(gold & cited), len(cited))


def score_verdicts(answer: Answer, sheet: Sheet) -> None:
    """Share of sentences that the answer's own check calls supported."""
    verdicts = [sentence.get("verdict") for sentence in answer.get("sentences") or []]
    written = answer["status"] in WRITTEN
    if written:
        sheet.put("sentences", len(verdicts))
    if written and verdicts and set(verdicts) == {"unchecked"}:
        sheet.miss(UNCHECKED, "supported")
    elif verdicts:
        sheet.put_share("supported", sum(verdict == "supported" for verdict in verdicts), len(verdicts))


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence that states something, and the abstracts it cites, in order."""

    text: str
    cited: tuple[Abstract, ...]

    def without(self, position: int) -> tuple[Abstract, ...]:
        """The other abstracts."""
        return self.cited[:position] + self.cited[position + 1 :]


def claims_of(answer: Answer, shelf: Mapping[str, Abstract]) -> list[Claim]:
    """The sentences that claim something, however short; one without a citation inherits none.

    Raises KeyError for a citation whose abstract is not on the shelf.
    """
    by_number = {cite["number"]: cite["id"] for cite in answer.get("citations") or []}
    return [
        Claim(sentence["text"], tuple(shelf[by_number[n]] for n in sentence.get("citations") or []))
        for sentence in answer.get("sentences") or []
        if makes_claim(sentence["text"])
    ]


def score_support(answer: Answer, shelf: Mapping[str, Abstract], judge: SupportJudge, sheet: Sheet) -> None:
    """Citation recall and precision of an answer (Gao et al., "Enabling Large Language Models to Generate Text with
    Citations", EMNLP 2023, section 3).

    Recall: the share of claims that their cited abstracts together support; a claim that cites nothing is not.
    Precision: the share of citations that count. One counts when its claim is supported, and the abstract supports
    the claim alone or the others do not support it without; an answer that cites nothing has precision 0.
    """
    if answer["status"] not in WRITTEN:
        return
    try:
        claims = claims_of(answer, shelf)
    except KeyError:
        sheet.miss(UNKNOWN_TEXT, *ALCE)
        return
    if not claims:
        return
    whole = _judged(judge, [(claim.text, claim.cited) for claim in claims])
    if None in whole:
        sheet.miss(UNREADABLE, *ALCE)
        return
    sheet.put_share("alce_recall", sum(map(bool, whole)), len(claims))
    counted = _counted(judge, [claim for claim, supported in zip(claims, whole, strict=True) if supported])
    cited = sum(len(claim.cited) for claim in claims)
    if counted is None:
        sheet.miss(UNREADABLE, "alce_precision")
    elif cited:
        sheet.put_share("alce_precision", counted, cited)
    else:
        sheet.put("alce_precision", 0.0)


def _counted(judge: SupportJudge, supported: Sequence[Claim]) -> int | None:
    """How many citations of supported claims count; None where the judge cannot tell."""
    # The only citation of a supported claim supports it alone.
    several = [(claim, n) for claim in supported if len(claim.cited) > 1 for n in range(len(claim.cited))]
    alone = _judged(judge, [(claim.text, claim.cited[n : n + 1]) for claim, n in several])
    doubtful = [place for place, supports in zip(several, alone, strict=True) if supports is False]
    others = _judged(judge, [(claim.text, claim.without(n)) for claim, n in doubtful])
    if None in alone or None in others:
        return None
    return sum(len(claim.cited) == 1 for claim in supported) + sum(map(bool, alone)) + others.count(False)


def _judged(judge: SupportJudge, asked: Sequence[tuple[str, Sequence[Abstract]]]) -> list[bool | None]:
    """Verdicts; what cites nothing is not supported, and no judge is asked about it."""
    verdicts: Iterator[bool | None] = iter(judge.supports([pair for pair in asked if pair[1]]))
    return [next(verdicts) if cited else False for _, cited in asked]
