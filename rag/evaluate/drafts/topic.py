"""What a paper is called in questions: the name it gives its own thing, else its title."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rag.evaluate.drafts.phrases import may_be_noun
from rag.text.names import names
from rag.text.sentences import split
from rag.text.words import FUNCTION_WORDS
from rag.types import Abstract

_MADE = r"(?:introduc|propos|present|develop|design|releas|describ|devis|buil[dt]|construct|creat)\w*"
_KINDS = {
    "data": "dataset datasets benchmark benchmarks corpus corpora suite testbed collection".split(),
    "method": "method model framework algorithm approach architecture network system technique pipeline module "
    "mechanism strategy agent optimizer loss transformer layer training".split(),
}
_DESCRIPTION = re.compile(r"(?:,| is| -| –| —)? (?P<said>an? (?:\([^()]*\)|[^.,;:()]){6,140})(?=[.,;:])")
_PAUSE = re.compile(
    r" (?:that|which|for|to|where|by|designed|based|with|using|in|on|capable|consisting|comprising|and|whose)\b"
)
_DESCRIPTION_WORDS = range(4, 17)
"""Words of a description, its article among them: fewer say too little, more are no name for a thing."""
_CLAUSE = re.compile(r" (?:that|which|can|and|whether|how|is|are)\b")
_TELLING_WORDS = 3
_VAGUE = frozenset(
    "new novel simple effective efficient method approach framework model technique yet general first solution "
    "paradigm task way problem study analysis system".split()
)
_PROPOSAL = re.compile(
    rf"\b(?:[Ww]e|(?:this|the) (?:paper|work|study|article)) (?:then |therefore |thus |also )?"
    rf"(?P<verb>{_MADE}|stud(?:y|ies)|investigat\w+|analy[sz]e\w*|explor\w+|examin\w+|survey\w*) "
    rf"(?P<what>(?:an?|the|how|whether) (?:\([^()]*\)|[^.,;:()])+)",
)


@dataclass(frozen=True, slots=True)
class Topic:
    """`name` as asked about; `coined` tells whether it is the authors' own name, else it paraphrases the paper.

    `kind`: `data`, `method` or `other`; `description` is what the sentence at `quote` calls it ("a benchmark of ..").
    """

    name: str
    coined: bool
    kind: str = "other"
    description: str | None = None
    quote: str | None = None

    @property
    def work(self) -> str:
        """The paper as a question names it."""
        return f"the work on {self.name}" if self.coined else f"the {self.name}"


def topic_of(abstract: Abstract, frequency: Callable[[str], int]) -> Topic | None:
    """The abstract's topic: the name of its own, else its title, else what it says it proposes or studies.

    None where it has none of them. `frequency` gives the number of abstracts that hold a name: one that others mention
    is not this paper's own.
    """
    sentences = [abstract.text[a:b] for a, b in split(abstract.text)]
    for name in _own_names(abstract, sentences):
        if frequency(name) <= 1:
            return _described(name, sentences)
    if abstract.title:
        return Topic(f"paper “{abstract.title.rstrip('.')}”", coined=False)
    return next(filter(None, map(_proposed, sentences)), None)


def _proposed(sentence: str) -> Topic | None:
    match = _PROPOSAL.search(sentence)
    what = _shortened(match["what"]) if match else None
    if match is None or what is None or re.search(r"[$\\{}_^]", what):
        return None
    return Topic(f"work that {_third_person(match['verb'])} {what}", coined=False, kind=_kind(what))


def _third_person(verb: str) -> str:
    from lemminflect import getInflection, getLemma

    lemma = getLemma(verb.lower(), "VERB")[0]
    return str(getInflection(lemma, "VBZ")[0])


def _shortened(said: str) -> str | None:
    """A description cut where it pauses, so that it is neither too short nor too vague; None where it cannot be."""
    for end in [*(m.start() for m in _PAUSE.finditer(said)), len(said)]:
        cut = said[:end].strip()
        words = cut.split()
        telling = [w for w in words if w.lower() not in _VAGUE and w.lower() not in FUNCTION_WORDS]
        whole = end == len(said) or not _CLAUSE.search(cut)
        if whole and len(words) in _DESCRIPTION_WORDS and len(telling) >= _TELLING_WORDS and _ends_in_noun(words[-1]):
            return cut
    return None


def _ends_in_noun(word: str) -> bool:
    plain = re.fullmatch(r"[A-Za-z]{3,}|[A-Z]{2,}s?", word) is not None
    return plain and not word.endswith(("ed", "ly")) and word.lower() not in FUNCTION_WORDS and may_be_noun(word)


def _own_names(abstract: Abstract, sentences: list[str]) -> list[str]:
    """Names that the authors give: after "we introduce", "called", or before a colon in the title."""
    found: list[str] = []
    head = re.match(r"([\w-]{3,30}): ", abstract.title or "")
    if head and names(f"x {head[1]}"):
        found.append(head[1])
    for sentence in sentences:
        found += [name for name in names(sentence) if len(name) > 2 and _is_given(name, sentence)]
    return list(dict.fromkeys(found))


def _is_given(name: str, sentence: str) -> bool:
    quoted = re.escape(name)
    given = (
        rf"\b(?:called|named|dubbed|termed|coin) (?:the )?\W{{0,3}}{quoted}(?![\w-])",
        rf"\b{_MADE} (?:the |a |an |our )?{quoted}(?= ?[,(:.]| (?:a|an|for|to|that|which|is)\b)",
        rf"\b{_MADE} [^.,;:]{{4,110}}\({quoted}\)",
        rf"^{quoted}(?: \([^)]+\))?,? (?:is )?an? ",
    )
    return any(re.search(pattern, sentence) for pattern in given)


def _described(name: str, sentences: list[str]) -> Topic:
    for sentence in sentences:
        match = re.search(rf"(?<![\w-]){re.escape(name)}(?: \([^)]+\))?", sentence)
        said = _DESCRIPTION.match(sentence, match.end()) if match else None
        if match and said and (_is_given(name, sentence) or not match.start()):
            return Topic(name, True, _kind(said["said"]), _shortened(said["said"]), sentence)
    about = next((s for s in sentences if name in s), "")
    return Topic(name, True, _kind(about[: about.find(name)]))


def _kind(text: str) -> str:
    words = re.findall(r"[a-z]+", text.lower())[::-1]
    places = {kind: next((n for n, w in enumerate(words) if w in some), None) for kind, some in _KINDS.items()}
    known = [(place, kind) for kind, place in places.items() if place is not None]
    return min(known)[1] if known else "other"
