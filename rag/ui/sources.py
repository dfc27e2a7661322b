"""Cards of the abstracts an answer cites, with the sentences it rests on highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, urlsplit

from rag.types import Abstract, Answer, AnswerHit, Citation, Evidence, Span
from rag.ui import markdown
from rag.ui.markdown import Mark

LONG = 2400
"""Characters of an abstract from which only what surrounds the evidence is shown."""
SURROUNDINGS = 400
"""Characters kept on each side of a piece of evidence in a long abstract."""
NAMES = 4
"""Authors that are named; of more only the first is."""

_HIGHLIGHT = (":yellow-background[", "]")
_SAFE_IN_LINK = "/:?#[]@!$&'*+,;=%~-._"


def heading(citation: Citation, label: str) -> str:
    """Number and title, the title a link where the source gave a web address."""
    title = markdown.line(label)
    address = web_address(citation.url)
    return f"**[{title}](<{address}>)**" if address else f"**{title}**"


def details(citation: Citation, venue: str | None) -> str:
    """Authors, venue, year and where the abstract was read, as far as known, on one line."""
    place = citation.source
    more = len(citation.sources) - 1
    parts = [people(citation.authors), venue, str(citation.year) if citation.year is not None else None]
    shown = [markdown.line(part) for part in parts if part]
    if place:
        shown.append(f"{file_name(place)}{f' and {more} more' if more > 0 else ''}")
    return " · ".join(shown)


def file_name(place: str) -> str:
    """The last part of a "file:line" as markdown."""
    return markdown.line(re.split(r"[/\\]", place)[-1])


def people(authors: Sequence[str]) -> str:
    """Names as a reference list has them."""
    if len(authors) > NAMES:
        return f"{authors[0]} et al."
    return ", ".join(authors)


def web_address(url: str | None) -> str | None:
    """An http(s) address that can stand in a link; None for anything else."""
    try:
        parts = urlsplit((url or "").strip())
        known = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return None
    return quote(parts.geturl(), safe=_SAFE_IN_LINK).replace("[", "%5B").replace("]", "%5D") if known else None


def abstract_text(abstract: Abstract, spans: Iterable[Span]) -> str:
    """The abstract as markdown, `spans` highlighted; of a very long one what surrounds them."""
    wanted = merged(spans)
    if len(abstract.text) <= LONG:
        return markdown.literal(abstract.text, [Mark(*span, *_HIGHLIGHT) for span in wanted])
    return "\n\n".join(_window(abstract.text, window, wanted) for window in windows(abstract.text, wanted))


def evidence_spans(answer: Answer, abstract: Abstract) -> list[Span]:
    """Where in the abstract the answer's sentences find their evidence; text that has changed since is not marked."""
    return [
        Span(evidence.start, evidence.end)
        for sentence in answer.sentences
        for evidence in sentence.evidence
        if evidence.id == abstract.id and _still_there(evidence, abstract)
    ]


def _still_there(evidence: Evidence, abstract: Abstract) -> bool:
    return abstract.text[evidence.start : evidence.end] == evidence.quote


def merged(spans: Iterable[Span]) -> list[Span]:
    """In order, and joined where they overlap."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        elif span.start < span.end:
            joined.append(span)
    return joined


def windows(text: str, wanted: Sequence[Span]) -> list[Span]:
    """The parts of a long text to show: around each span, or its beginning."""
    around = [Span(max(0, s.start - SURROUNDINGS), min(len(text), s.end + SURROUNDINGS)) for s in wanted]
    return [_whole_words(text, span) for span in merged(around)] or [_whole_words(text, Span(0, 2 * SURROUNDINGS))]


def _whole_words(text: str, span: Span) -> Span:
    start, end = span
    limit = SURROUNDINGS // 2
    if start:
        start += next((n for n, sign in enumerate(text[start : start + limit]) if sign.isspace()), 0)
    if end < len(text):
        end -= next((n for n, sign in enumerate(reversed(text[end - limit : end])) if sign.isspace()), 0)
    return Span(start, end)


def _window(text: str, window: Span, wanted: Sequence[Span]) -> str:
    start, end = window
    marks = [
        Mark(max(span.start, start) - start, min(span.end, end) - start, *_HIGHLIGHT)
        for span in wanted
        if span.start < end and start < span.end
    ]
    before, after = "… " if start else "", " …" if end < len(text) else ""
    return before + markdown.literal(text[start:end].rstrip(), marks) + after


def closest(hits: Sequence[AnswerHit], abstracts: Mapping[str, Abstract], count: int = 5) -> str:
    """A list of the best hits' titles."""
    rows = []
    for hit in hits[:count]:
        abstract = abstracts.get(hit.id)
        label = abstract.label if abstract else hit.title or hit.id
        year = f" ({abstract.year})" if abstract and abstract.year is not None else ""
        rows.append(f"- {markdown.line(label + year)}")
    return "\n".join(rows)
