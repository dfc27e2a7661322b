"""What the catalogue counted, as an answer that lists and cites the first of it."""

from __future__ import annotations

from collections.abc import Sequence

from rag.citations import compose, escape_numbers
from rag.counting.request import Kind
from rag.counting.shelf import Counted
from rag.draft import Draft
from rag.text.sentences import split
from rag.text.terms import stems
from rag.types import Abstract, Evidence, Filters, Sentence

LISTED = 10
"""Abstracts that are named and cited."""
MAX_AUTHORS = 3


def reply(kind: Kind, counted: Counted, listed: Sequence[Abstract], total: int) -> Draft:
    """The answer of `kind`; `listed` are the first of `counted.ids`, `total` all abstracts of the shelf."""
    lead = _lead(kind, counted, total)
    if not counted.ids:
        return Draft("not_found", "nothing_relevant", "quotes", escape_numbers(lead), (Sentence(lead),))
    lines = [_line(abstract) for abstract in listed]
    more = len(counted.ids) - len(listed)
    text, _ = compose(
        [(lead, []), *(("- " + line, [a.id]) for line, a in zip(lines, listed, strict=True))], separator="\n"
    )
    sentences = [
        Sentence(escape_numbers(line), (n,), "supported", 1.0, _evidence(abstract, counted.words))
        for n, (line, abstract) in enumerate(zip(lines, listed, strict=True), 1)
    ]
    closing = [f"And {more:,} more."] if more else []
    return Draft(
        "answered",
        None,
        "quotes",
        "\n\n".join([text.replace("\n", "\n\n", 1), *closing]),
        (Sentence(escape_numbers(lead)), *sentences, *map(Sentence, closing)),
        tuple(listed),
        tuple(abstract.id for abstract in listed),
    )


def _lead(kind: Kind, counted: Counted, total: int) -> str:
    number = len(counted.ids)
    conditions = _conditions(counted.words, counted.filters)
    if conditions:
        lead = f"{number:,} of the {total:,} abstracts {'fits' if number == 1 else 'fit'}: {conditions}."
    else:
        lead = f"There {'is 1 abstract' if total == 1 else f'are {total:,} abstracts'} on this shelf."
    parts = [lead, _years(counted) if kind == "years" else "", _unknowns(counted)]
    if number > LISTED:
        parts.append(f"The {'newest' if any(counted.years) else 'first'} {LISTED}:")
    return " ".join(part for part in parts if part)


def _conditions(words: Sequence[str], filters: Filters) -> str:
    parts = ["words " + ", ".join(f"“{word}”" for word in words)] if words else []
    for name, value in filters.to_dict().items():
        shown = value if isinstance(value, str) else " or ".join(f"“{one}”" for one in value)
        parts.append(f"{name} {shown}")
    return "; ".join(parts)


def _years(counted: Counted) -> str:
    known = sorted((year for year in counted.years if year is not None), reverse=True)
    if not known:
        return "None of them says its year." if counted.ids else ""
    unknown = counted.years.get(None, 0)
    listed = ", ".join(f"{year} ({counted.years[year]:,})" for year in known)
    return f"By year: {listed}" + (f"; {unknown:,} without a year." if unknown else ".")


def _unknowns(counted: Counted) -> str:
    """Those that might belong to the count, had their source said more."""
    parts = []
    if counted.without_year:
        parts.append(f"{counted.without_year:,} more may fit, but their year is not known.")
    if counted.without_authors:
        parts.append(f"{counted.without_authors:,} more may fit, but their authors are not known.")
    return " ".join(parts)


def _line(abstract: Abstract) -> str:
    names = ", ".join(abstract.authors[:MAX_AUTHORS]) + (" et al." if len(abstract.authors) > MAX_AUTHORS else "")
    known = ", ".join(part for part in (names, str(abstract.year) if abstract.year is not None else "") if part)
    return abstract.label.rstrip(".") + (f" ({known})" if known else "")


def _evidence(abstract: Abstract, words: Sequence[str]) -> tuple[Evidence, ...]:
    """The sentence that holds the most of the words; none where no word was asked for, or only the title has them."""
    wanted = stems(" ".join(words))
    spans = split(abstract.text)
    if not wanted or not spans:
        return ()
    held = [len(wanted & stems(abstract.text[span.start : span.end])) for span in spans]
    best = spans[held.index(max(held))]
    quote = abstract.text[best.start : best.end]
    return (Evidence(abstract.id, best.start, best.end, quote, abstract.text_sha),) if max(held) else ()
