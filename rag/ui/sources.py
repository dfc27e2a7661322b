"""Cards of the abstracts an answer cites, with the sentences it rests on highlighted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

from rag.types import Abstract, Answer, AnswerHit, Citation, Evidence, Span
from rag.ui import excerpt, markdown
from rag.ui.markdown import Mark

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
    year = str(citation.year) if citation.year is not None else ""
    about = [people(citation.authors), venue, "" if year in (venue or "") else year]
    shown = [markdown.line(part) for part in about if part]
    if place:
        shown.append(f"{file_name(place)}{f' and {more} more' if more > 0 else ''}")
    return " · ".join(shown)


def about(abstract: Abstract) -> str:
    """Authors, venue, year and where it was read, as far as known, on one line; a retraction first."""
    year = str(abstract.year) if abstract.year is not None else ""
    known = [people(abstract.authors), abstract.venue, "" if year in (abstract.venue or "") else year]
    shown = [markdown.line(part) for part in known if part]
    shown += [file_name(abstract.sources[0])] if abstract.sources else []
    return " · ".join(["**Retracted**", *shown] if abstract.retracted else shown)


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


def whole(abstract: Abstract, evidence: Sequence[Span]) -> str:
    """The abstract as markdown with the evidence highlighted; of a text too long for a page, its parts."""
    if len(abstract.text) > excerpt.LONG:
        return parts(abstract, evidence)
    return markdown.literal(abstract.text, [Mark(*span, *_HIGHLIGHT) for span in evidence])


def parts(abstract: Abstract, evidence: Sequence[Span]) -> str:
    """The evidence highlighted, and what stands around it, as markdown."""
    shown = excerpt.excerpt(abstract.text, evidence)
    text = " … ".join(_part(abstract.text, span, evidence) for span in shown)
    before = "… " if shown[0].start else ""
    return before + text + (" …" if abstract.text[shown[-1].end :].strip() else "")


def is_shown_whole(abstract: Abstract, evidence: Sequence[Span]) -> bool:
    """Whether `parts` leaves nothing out, or there is too much to show."""
    shown = excerpt.excerpt(abstract.text, evidence)
    outside = abstract.text[: shown[0].start] + abstract.text[shown[0].end :]
    return len(abstract.text) > excerpt.LONG or (len(shown) == 1 and not outside.strip())


def _part(text: str, part: Span, evidence: Sequence[Span]) -> str:
    start, end = part
    inside = (span for span in evidence if span.start < end and start < span.end)
    marks = [Mark(max(span.start, start) - start, min(span.end, end) - start, *_HIGHLIGHT) for span in inside]
    return markdown.literal(text[start:end], marks)


def evidence_spans(answer: Answer, abstract: Abstract) -> list[Span]:
    """Where in the abstract the answer's sentences find their evidence; text that has changed since is not marked.

    What comes nearest to a sentence that is not supported is no evidence.
    """
    sentences = (sentence for sentence in answer.sentences if sentence.verdict != "unsupported")
    evidence = (evidence for sentence in sentences for evidence in sentence.evidence)
    return excerpt.merged(Span(e.start, e.end) for e in evidence if e.id == abstract.id and _still_there(e, abstract))


def _still_there(evidence: Evidence, abstract: Abstract) -> bool:
    return abstract.text[evidence.start : evidence.end] == evidence.quote


def closest(hits: Sequence[AnswerHit], abstracts: Mapping[str, Abstract], count: int = 5) -> str:
    """A list of the best hits' titles."""
    rows = []
    for hit in hits[:count]:
        abstract = abstracts.get(hit.id)
        label = abstract.label if abstract else hit.title or hit.id
        year = f" ({abstract.year})" if abstract and abstract.year is not None else ""
        rows.append(f"- {markdown.line(label + year)}")
    return "\n".join(rows)
