"""Questions whose answer one sentence states: a number, what a name is, a word left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rag.evaluate.drafts.draft import Draft
from rag.evaluate.drafts.phrases import counted_things
from rag.evaluate.drafts.topic import Topic
from rag.text.sentences import split
from rag.text.words import FUNCTION_WORDS
from rag.types import Abstract
from rag.verification.numbers import Quantity, quantities

_ABOUT = r"(?:(?:up to|about|around|over|nearly|almost|approximately|roughly|only|just|more than|less than|at least) )?"
_MEASURE = (
    r"(?P<measure>(?:(?:average|mean|overall|top-\d|zero-shot|test|validation|relative|absolute|classification|macro|"
    r"micro|median|accuracy|success|win|error|detection|recognition|attack|word|pass) )*"
    r"(?:accuracy|precision|recall|sensitivity|specificity|F1(?:[- ]score)?|AUC|AUROC|mAP|mIoU|BLEU|success rate|"
    r"win rate|error rate|false positive rate|correlation|agreement|compression ratio|hallucination rate|R2))"
)
_VALUE_OF = re.compile(rf"{_MEASURE} (?:of|reaches|reached|is|was) {_ABOUT}$")
_VALUE = re.compile(rf" (?:in |of )?{_MEASURE}(?![\w-])")
_WHERE = re.compile(r" (?:on|for|in) (?:the )?[A-Z][\w-]*(?: [A-Z\d][\w-]*){0,3}")
_CHANGES = {
    r"improv(?:es|ed|ing|e)": "improvement in",
    r"reduc(?:es|ed|ing|e)|decreas(?:es|ed|ing|e)|cut(?:s|ting)?|lower(?:s|ed|ing)?|shrink(?:s|ing)?": "reduction in",
    r"increas(?:es|ed|ing|e)|rais(?:es|ed|ing|e)|boost(?:s|ed|ing)?": "increase in",
    r"outperform(?:s|ed|ing)?|surpass(?:es|ed|ing)?|exceed(?:s|ed|ing)?": "margin over",
}
_CHANGE = re.compile(rf"\b(?P<verb>{'|'.join(_CHANGES)}) (?P<what>[a-z][\w-]*(?: [\w/-]+){{0,5}}) by {_ABOUT}$")
_LOOSE = re.compile(r"\b(?:and|or|by|to|which|that|from|while|its|their|our|this|these|those|it)\b")
_NO_BEGINNING = FUNCTION_WORDS - {"the", "a", "an"}
_FASTER = re.compile(r"(?:-fold)? (?:faster|speed-?up|acceleration)\b")
_CONTAINS = {
    "contain": r"contain(?:s|ing)", "comprise": r"compris(?:es|ing)", "include": r"includ(?:es|ing)",
    "cover": r"cover(?:s|ing)", "span": r"span(?:s|ning)", "consist of": r"consist(?:s|ing) of",
}  # fmt: skip
_RANGE = re.compile(r"\s?(?:[-–]|to |and )\s?\d")
_SMALLEST = 3
"""Counts below it answer themselves: "two settings"."""
_MOST_NUMBERS = 3
_BLANK = "____"
_LEANS = re.compile(r"(?:This|These|It|They|Its|Their|However|Both|Such)\b|.*(?: sim|=)", re.DOTALL)
"""Sentences that mean something only beside others, or are half a formula."""
_GLUED = re.compile(rf"\({_BLANK}\)|[\w~/-]{_BLANK}|{_BLANK}[\w-]")
_CLOZE_WORDS = range(9, 41)


def facts(abstract: Abstract, topic: Topic | None) -> Iterator[Draft]:
    """Of each sentence in order the first question that can be put well, unless another has the same question."""
    sentences = [abstract.text[a:b] for a, b in split(abstract.text)] if topic else []
    found = [
        _draft(abstract, question, fact, sentence, "number")
        for sentence in sentences
        if _is_plain(sentence)
        for question, fact in _questions(sentence, topic)
    ]
    asked = Counter(draft.question for draft in found)
    taken: set[str] = set()
    for draft in found:
        if asked[draft.question] == 1 and draft.answer not in taken:
            taken.add(draft.answer)
            yield draft


def clozes(abstract: Abstract) -> Iterator[Draft]:
    """Sentences with a number left out."""
    for sentence in (abstract.text[a:b] for a, b in split(abstract.text)):
        chosen = _countable(sentence)
        if chosen and _is_plain(sentence) and len(sentence.split()) in _CLOZE_WORDS and sentence[0].isupper():
            quantity = chosen[-1]
            gap = sentence[: quantity.start] + _BLANK + sentence[quantity.end :]
            if not _LEANS.match(sentence) and _GLUED.search(gap) is None:
                question = f"Which number belongs in the blank? “{gap}”"
                yield _draft(abstract, question, sentence[quantity.start : quantity.end], sentence, "cloze")


def definition(abstract: Abstract, topic: Topic) -> Draft | None:
    """What the paper's own name means, as its introducing sentence says."""
    if topic.description is None or topic.quote is None or not _is_plain(topic.quote):
        return None
    return _draft(abstract, f"What is {topic.name}?", topic.description, topic.quote, "definition")


def _draft(abstract: Abstract, question: str, fact: str, sentence: str, how: str) -> Draft:
    return Draft("fact", question, how, abstract.id, (abstract.id,), sentence, (fact.strip(),), (sentence,))


def _is_plain(sentence: str) -> bool:
    """No formulas, code, lists or links, which no question should quote."""
    return re.search(r"[$\\{}<>|`_^~\[\]]|https?:|\*\*", sentence) is None


def _countable(sentence: str) -> list[Quantity]:
    return [q for q in quantities(sentence) if not q.worded and q.value > 0 and _is_alone(q, sentence)]


def _is_alone(quantity: Quantity, sentence: str) -> bool:
    """Neither a year, a model's size nor one end of a range."""
    text = sentence[quantity.start : quantity.end]
    around = re.search(r"[-–]$| to $", sentence[: quantity.start]) or _RANGE.match(sentence, quantity.end)
    return around is None and re.fullmatch(r"(?:19|20)\d\d|.*B", text) is None  # 7B models are models of a size


def _questions(sentence: str, topic: Topic | None) -> Iterator[tuple[str, str]]:
    """Questions, each with its fact. Sentences with many numbers are passed over: no question has a single answer."""
    chosen = _countable(sentence)
    if topic is None or len(chosen) > _MOST_NUMBERS:
        return
    for quantity in chosen:
        found = _of_measure(sentence, quantity, topic) or _of_change(sentence, quantity, topic)
        found = found or _of_count(sentence, quantity, topic)
        if found is not None:
            yield found


def _of_measure(sentence: str, quantity: Quantity, topic: Topic) -> tuple[str, str] | None:
    if quantity.kind == "times":
        if _FASTER.match(sentence[quantity.end :]):
            return f"What speed-up does {topic.work} report?", sentence[quantity.start : quantity.end] + " faster"
        return None
    match = _VALUE_OF.search(sentence[: quantity.start]) or _VALUE.match(sentence, quantity.end)
    if match is None:
        return None
    fact = f"{sentence[quantity.start : quantity.end]} {match['measure']}"
    where = _WHERE.match(sentence, match.end() if match.re is _VALUE else quantity.end)
    return f"What {match['measure']}{where[0] if where else ''} does {topic.work} report?", fact


def _of_change(sentence: str, quantity: Quantity, topic: Topic) -> tuple[str, str] | None:
    match = _CHANGE.search(sentence[: quantity.start])
    if match is None or _LOOSE.search(match["what"]) or match["what"].split()[0] in _NO_BEGINNING:
        return None
    change = next(noun for verbs, noun in _CHANGES.items() if re.fullmatch(verbs, match["verb"]))
    fact = sentence[quantity.start : quantity.end]
    return f"What {change} {match['what']} does {topic.work} report?", fact


def _of_count(sentence: str, quantity: Quantity, topic: Topic) -> tuple[str, str] | None:
    things = counted_things(sentence[quantity.end :])
    if quantity.kind != "plain" or quantity.value < _SMALLEST or quantity.value % 1 or things is None:
        return None
    fact = f"{sentence[quantity.start : quantity.end]} {things}"
    verb = _containing(sentence[: quantity.start], topic)
    if verb:
        return f"How many {things} does {topic.name} {verb}?", fact
    return f"How many {things} are reported in {topic.work}?", fact


def _containing(before: str, topic: Topic) -> str | None:
    """The verb of `NAME contains 12,000 questions`."""
    if not topic.coined:
        return None
    for verb, forms in _CONTAINS.items():
        if re.search(rf"(?<![\w-]){re.escape(topic.name)}(?:, an? [^.,;]*,)? {forms} {_ABOUT}$", before):
            return verb
    return None
