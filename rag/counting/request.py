"""A question -> what it asks of the catalogue, where it asks about the shelf and not about what abstracts say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from rag.types import Filters

Kind = Literal["count", "list", "years"]

_PAPERS = r"(?:research )?(?:papers?|abstracts?|articles?|publications?|preprints?|records?|documents?|studies)"
_SHELF = r"(?:shelf|library|collection|corpus|index|database)"
_ABOUT = r"(?:about|on|regarding|concerning|with|mention(?:s|ing)?|discuss(?:es|ing)?|contain(?:s|ing)?)"
_POLITE = re.compile(
    r"^(?:please|(?:can|could|would) you(?: please)?|i (?:want|would like) (?:you )?to|tell me)\s+", re.I
)
_FORMS: tuple[tuple[Kind, str], ...] = (
    ("count", r"how many (?:of the |of these |different )?"),
    ("count", r"(?:what is |give )?(?:the )?(?:total )?number of (?:all )?"),
    ("count", r"count (?:the |all )*"),
    ("list", r"(?:list|show|give|name|display|enumerate)(?: me)? (?:all|every|the)(?: of)?(?: the)? "),
    ("list", r"who (?:wrote|are the authors of|is the author of) (?:the |these |all )*"),
    ("years", r"(?:from |in |of )?(?:which|what) years? (?:are|were|is|do|does|did) (?:the |these |all )*"),
)
_WHICH = re.compile(rf"(?:which|what) {_PAPERS}\b(?P<rest>.*)", re.I)
_YEAR = re.compile(
    r"(?:^|\s)(?:(?:that|which) )?(?:are |were |was )?(?:published |written |dated )?"
    r"(?P<when>in|from|of|since|after|before|until|up to|between)(?: the years?)? (?P<first>\d{4})"
    r"(?:\s*(?:-|–|to|and|until)\s*(?P<last>\d{4}))?$",
    re.I,
)
_AUTHOR = re.compile(
    r"(?:^|\s)(?:(?:that|which) )?(?:are |were )?(?:written |authored |published )?by (?P<name>[^,;]+)$", re.I
)
_FIRST_AUTHOR = re.compile(rf"^(?:written |authored )?by (?P<name>[^,;]+?) (?={_ABOUT}\s)", re.I)
_DID_WRITE = re.compile(r"^did (?P<name>[^,;]+?) (?:write|publish|author)$", re.I)
_KEYWORD = re.compile(r"(?:^|\s)(?:have |with |having )?(?:the )?keywords? (?P<word>.+)$", re.I)
_PRESENT = (
    rf"(?:are there|do (?:you|we|i) have|have (?:you|we|i) got|there are|exist|in total|published|written"
    rf"|(?:that |which )?(?:are )?(?:on|in) (?:the|this|my|your|our) {_SHELF})"
)
_PRESENCE = re.compile(rf"^{_PRESENT}(?=\s|$)|(?:^|(?<=\s)){_PRESENT}$", re.I)
_TOPIC = re.compile(rf"^(?:(?:that|which) )?(?:are |deal |dealing )?{_ABOUT}\s+(?P<topic>.+)$", re.I)
_STATEMENT = re.compile(
    r"\b(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|should|they|it|its)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: `topic` in the question's words, `filters` as it words them; both may be empty."""

    kind: Kind
    topic: str
    filters: Filters


def read_request(question: str) -> Request | None:
    """What a question asks of the catalogue; None where it asks for something that abstracts say.

    "How many papers mention IL-6?" counts papers. "How many papers did the survey review?" does not, nor does anything
    whose topic holds a verb of its own: a question that might be about what a paper found is left to retrieval.
    """
    asked = " ".join(question.split()).rstrip(" ?.!")
    asked = _POLITE.sub("", asked)
    for kind, beginning in _FORMS:
        if match := re.fullmatch(rf"{beginning}{_PAPERS}\b(?P<rest>.*)", asked, re.I):
            return _conditions(kind, match["rest"].strip(" ,"))
    if match := _WHICH.fullmatch(asked):
        found = _conditions("list", match["rest"].strip(" ,"))
        return found if found and found.filters and not found.topic else None
    return None


def _conditions(kind: Kind, rest: str) -> Request | None:
    filters, before = Filters(), None
    while rest != before:
        before = rest
        rest, filters = _less(_PRESENCE.sub("", rest).strip(" ,"), filters)
    if not rest or (kind == "years" and rest.lower() in ("cover", "span", "from")):
        return Request(kind, "", filters)
    match = _TOPIC.match(rest)
    if match is None or _STATEMENT.search(match["topic"]):
        return None
    return Request(kind, match["topic"].strip(" '\"“”"), filters)


def _less(rest: str, filters: Filters) -> tuple[str, Filters]:
    """The rest without one of its conditions, and that condition added to the filters."""
    if (match := _YEAR.search(rest)) and not filters.year:
        filters = replace(filters, year=_years(match["when"].lower(), int(match["first"]), match["last"]))
    elif (match := _FIRST_AUTHOR.match(rest) or _DID_WRITE.match(rest) or _AUTHOR.search(rest)) and not filters.author:
        if _STATEMENT.search(match["name"]):
            return rest, filters
        filters = replace(filters, author=(match["name"].strip(),))
    elif (match := _KEYWORD.search(rest)) and not filters.keyword:
        filters = replace(filters, keyword=(match["word"].strip(" '\"“”"),))
    else:
        return rest, filters
    return (rest[: match.start()] + rest[match.end() :]).strip(" ,"), filters


def _years(when: str, first: int, last: str | None) -> str:
    if last is not None:
        return f"{min(first, int(last))}-{max(first, int(last))}"
    ranges = {"since": f"{first}-", "after": f"{first + 1}-", "before": f"-{first - 1}", "until": f"-{first}"}
    return ranges.get(when, f"-{first}" if when == "up to" else str(first))
