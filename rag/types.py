"""The values that travel through Footnote. Frozen; what stores or finds them lives elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

Status = Literal["answered", "partial", "not_found", "error"]
Verdict = Literal["supported", "partly", "unsupported", "contradicted", "unchecked"]
Mode = Literal["quotes", "llm"]
Style = Literal["concise", "detailed", "quotes"]
Number = TypeVar("Number", int, float)

ANSWER_SCHEMA = 1
LABEL_WORDS = 12


class Span(NamedTuple):
    """Half-open range of code points, `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Abstract:
    """One paper's abstract. `text` is cleaned for people, `raw` is the text as read.

    `sources` are "file:line", first seen first; `aliases` are identifiers learnt besides `id`. `language` is as the
    source names it, in lower case. `retracted` is the notice's text, or "retracted" where the source only flags it;
    None where nothing is known of a retraction.
    """

    id: str
    text: str
    raw: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    keywords: tuple[str, ...] = ()
    language: str | None = None
    retracted: str | None = None
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The title, or the first words of the text where there is none."""
        if self.title:
            return self.title
        words = self.text.split()
        return " ".join(words[:LABEL_WORDS]) + ("…" if len(words) > LABEL_WORDS else "")

    @property
    def text_sha(self) -> str:
        """First 12 hex digits of the SHA-256 of the clean text."""
        return sha12(self.text)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an abstract that has a vector of its own: `Abstract.text[start:end]`."""

    abstract_id: str
    number: int
    start: int
    end: int

    @property
    def id(self) -> str:
        """The abstract's id, `#`, the passage's number."""
        return f"{self.abstract_id}#{self.number}"


@dataclass(frozen=True, slots=True)
class Ranks:
    """1-based position of an abstract in each ranking; None where it was not among the candidates."""

    dense: int | None
    lexical: int | None


@dataclass(frozen=True, slots=True)
class Hit:
    """An abstract found for a query. `score` is the fused score (higher is better, no fixed range);
    `similarity` the best cosine of its passages with the query; `passage` the span that matched best."""

    abstract: Abstract
    score: float
    ranks: Ranks
    passage: Span
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Which abstracts may be found. Empty fields do not restrict; several values of one field are alternatives."""

    year: str | None = None
    author: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    keyword: tuple[str, ...] = ()
    id: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.year or self.author or self.source or self.keyword or self.id)

    def to_dict(self) -> dict[str, Any]:
        """Only the fields that restrict, in JSON's types."""
        fields = {"year": self.year, "author": self.author, "source": self.source, "keyword": self.keyword}
        fields["id"] = self.id
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, with everything that determines the answer besides library and settings."""

    text: str
    id: str = ""
    history: tuple[Turn, ...] = ()
    filters: Filters = Filters()
    top_k: int | None = None
    input: Mapping[str, Any] = field(default_factory=dict)
    style: Style | None = None
    """How a language model is to write; `quotes`: it is asked nothing, not even to put a follow-up. None: a few
    sentences."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text that carries a sentence: `quote == Abstract.text[start:end]` of the abstract `id`."""

    id: str
    start: int
    end: int
    quote: str
    text_sha: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer, without markers; `citations` are numbers of the answer's list."""

    text: str
    citations: tuple[int, ...] = ()
    verdict: Verdict = "unchecked"
    p_supported: float | None = None
    evidence: tuple[Evidence, ...] = ()
    suggested: tuple[str, ...] = ()
    opposed: tuple[str, ...] = ()
    """Abstracts that were sent and say the opposite, and that the answer does not cite."""


@dataclass(frozen=True, slots=True)
class Citation:
    """An entry of the answer's list of sources; `number` is what the marker in the text shows."""

    number: int
    id: str
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    url: str | None
    source: str | None
    sources: tuple[str, ...]
    label: str
    """What stands for the paper on screen: its title, or the first words of its abstract."""

    @classmethod
    def of(cls, number: int, abstract: Abstract) -> Citation:
        """The entry for an abstract, its bibliographic fields as the source gave them."""
        return cls(
            number,
            abstract.id,
            abstract.title,
            abstract.authors,
            abstract.year,
            abstract.url,
            abstract.sources[0] if abstract.sources else None,
            abstract.sources,
            abstract.label,
        )


@dataclass(frozen=True, slots=True)
class AnswerHit:
    """A hit as an answer remembers it; `sent` tells whether the answer could draw on it.

    `score` is None for an abstract that the catalogue gave without a ranking.
    """

    id: str
    title: str | None
    score: float | None
    ranks: Ranks
    sent: bool

    @classmethod
    def of(cls, hit: Hit, *, sent: bool) -> AnswerHit:
        """What is kept of a hit."""
        return cls(hit.abstract.id, hit.abstract.title, hit.score, hit.ranks, sent)

    @classmethod
    def listed(cls, abstract: Abstract) -> AnswerHit:
        """An abstract that the catalogue gave, without a ranking."""
        return cls(abstract.id, abstract.title, None, Ranks(None, None), True)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them and their price; None where unknown."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Of both together; what one of them does not know, both do not."""
        return Usage(
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
            _sum(self.cost_usd, other.cost_usd),
        )


@dataclass(frozen=True, slots=True)
class Seconds:
    """Wall-clock time by stage; None for a stage that did not run."""

    total: float | None = None
    retrieve: float | None = None
    llm: float | None = None
    verify: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question: the same value in chat, command line, batch, evaluation and export."""

    id: str
    question: str
    standalone_question: str
    status: Status
    mode: Mode
    answer: str
    reason: str | None = None
    detail: str | None = None
    """What failed, in one line for people."""
    input: Mapping[str, Any] = field(default_factory=dict)
    filters: Filters = Filters()
    top_k: int | None = None
    model: str | None = None
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    hits: tuple[AnswerHit, ...] = ()
    left_out: tuple[str, ...] = ()
    dropped_citations: int = 0
    repaired: bool = False
    """Whether a second attempt took the place of an answer with unsupported sentences."""
    usage: Usage = Usage()
    seconds: Seconds = Seconds()
    settings: str = ""
    index: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The answer contract (schema 1), in JSON's types."""
        return {"schema": ANSWER_SCHEMA, **asdict(self), "filters": self.filters.to_dict(), "input": dict(self.input)}


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer's text as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Reset:
    """Everything streamed so far is withdrawn; what follows replaces it."""

    reason: str


NO_USAGE = Usage(0, 0, 0.0)
"""Of a request that was not made, or not accepted."""


def _sum(first: Number | None, second: Number | None) -> Number | None:
    return None if first is None or second is None else first + second


def sha12(text: str) -> str:
    """First 12 hex digits of the SHA-256 of the UTF-8 text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
