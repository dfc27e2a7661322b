"""From a record as read to an Abstract, or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from ingest.merging.exact import exact_of, restored
from ingest.parsing.fields import Part, named, values
from ingest.records import RawRecord, Rejected
from ingest.text import identifiers, people
from ingest.text.clean import clean
from ingest.text.grouping import ungrouped
from rag.types import Abstract, sha12

T = TypeVar("T")

MAX_ABSTRACT_CHARS = 100_000
YEARS = range(1500, 2101)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d|2100)(?:(?!\d)|(?=(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)))")
NO_ABSTRACT = re.compile(
    r"[\W_]*|[\W_]*(?:"
    r"no abstract(?: (?:is )?(?:available|provided|found|supplied))?"
    r"|abstract (?:is )?not (?:available|provided|found)|abstract unavailable"
    r"|not available|n/a|n\.a|na|nan|none|null|nil"
    r")[\W_]*",
    re.IGNORECASE,
)
FLAGS_UP = frozenset({"true", "yes", "y", "1", "1.0", "retracted"})
FLAGS_DOWN = frozenset({"", "false", "no", "n", "0", "0.0", "none", "null", "nan"})
PLAIN = re.compile(r"[A-Za-z0-9 .,'-]*")
UNSTORABLE = re.compile("[\ud800-\udfff\x00]")
WEB_ADDRESS = re.compile(r"https?://[^\s\"<>]+", re.IGNORECASE)


def normalise(record: RawRecord, *, titles: bool = False) -> Abstract | Rejected:
    """The record's Abstract, its `sources` the one place it stands at.

    `id` is the DOI, else the arXiv id, else the PMID, else `sha-` and the hash of the text as read, its words joined
    by single spaces. `aliases` are the other identifiers, the file's own key (`file:KEY`) and, where `id` is not it,
    the `sha-` id. Without an abstract a record is rejected, or with `titles` its title stands in as text.
    An abstract over MAX_ABSTRACT_CHARS (about forty times a long one) is a mistake of its file and rejected.
    """
    fields, exact = record.fields, exact_of(record.fields)
    raw, title = exact.get("raw") or abstract_of(fields), line(fields, "title")
    if raw is None and titles:
        raw = next(map(text_of, values(fields, "title")), None)
    if raw is None:
        return Rejected(record.where, "no abstract")
    if len(raw) > MAX_ABSTRACT_CHARS:
        return Rejected(record.where, f"abstract of {len(raw):,} characters; the limit is {MAX_ABSTRACT_CHARS:,}")
    text = exact.get("text") or clean(ungrouped(raw) if record.braces_group and "raw" not in exact else raw)
    if not text.strip():
        return Rejected(record.where, "no abstract: nothing but markup")
    known = list(dict.fromkeys(identifiers_of(fields)))
    names = [*known, *keys_of(fields)]
    text_id = f"sha-{sha12(' '.join(raw.split()))}"
    own = known[0] if known else text_id
    read = Abstract(
        id=own,
        text=text,
        raw=raw,
        title=title,
        authors=tidied(first(people.names(value) for value in values(fields, "authors"))),
        year=first(year_of(value) for value in values(fields, "year")),
        venue=line(fields, "venue"),
        url=first(web_address(value) for value in values(fields, "url")) or identifiers.address(own),
        keywords=tidied(first(people.terms(value) for value in values(fields, "keywords"))),
        language=language_of(fields),
        retracted=first(map(retraction_of, values(fields, "retracted"))),
        aliases=tuple(name for name in dict.fromkeys([*names, text_id]) if name != own),
        sources=(record.where,),
    )
    return restored(read, exact)


def abstract_of(fields: Mapping[str, Any]) -> str | None:
    """The abstract as read: of the first field with such a name, and only of that one, even when it is empty."""
    raw = first(text_of(value) for value in islice(named(fields, "abstract"), 1))
    return None if raw is None or NO_ABSTRACT.fullmatch(raw) else raw


def identifiers_of(fields: Mapping[str, Any]) -> Iterator[str]:
    """Every `doi:`, `arxiv:` and `pmid:` of a record in the order in which they may become its id.

    Besides their own fields they are taken from web addresses and from the file's key, where that is clearly one.
    arXiv gives each paper a DOI as well (10.48550/arXiv.ID), so the one is known where the other is.
    """
    own = [str(value) for value in values(fields, "doi")]
    urls = [text_of(value) for value in (*values(fields, "url"), *values(fields, "doi"), *values(fields, "key"))]
    keys = [str(value) for value in values(fields, "key")]
    dois = [*map(identifiers.doi, own + keys), *map(identifiers.doi_in_url, urls)]
    arxivs = [
        *map(identifiers.arxiv_number, (text_of(value) for value in values(fields, "arxiv"))),
        *map(identifiers.arxiv, own + keys),
        *map(identifiers.arxiv_in_url, urls),
        *(identifiers.arxiv_of_doi(name) for name in dois if name),
    ]
    pmids = [
        *map(identifiers.pmid, (text_of(value) for value in values(fields, "pmid"))),
        *(identifiers.pmid(key) for key in keys if key.lower().startswith("pmid")),
        *map(identifiers.pmid_in_url, urls),
    ]
    for kind, found in (("doi", dois), ("arxiv", arxivs), ("pmid", pmids)):
        yield from (f"{kind}:{name}" for name in found if name)
    yield from (f"doi:{identifiers.ARXIV_DOI}{name}" for name in arxivs if name)


def keys_of(fields: Mapping[str, Any]) -> Iterator[str]:
    """The names that the file itself gives the record."""
    for value in values(fields, "key"):
        if isinstance(value, str | int | float):
            yield f"file:{storable(' '.join(str(value).split()))}"


def line(fields: Mapping[str, Any], part: Part) -> str | None:
    """A part as one clean line, or None where the record has none."""
    return first(clean(" ".join(text_of(value).split())) for value in values(fields, part))


def tidied(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Names or terms without markup and accents spelt in LaTeX, each once."""
    found = (text if PLAIN.fullmatch(text) else clean(storable(text)) for text in texts or ())
    return tuple(dict.fromkeys(filter(None, found)))


def language_of(fields: Mapping[str, Any]) -> str | None:
    """The language's name or code in lower case; several are joined by ", "."""
    found = first(people.terms(value) for value in values(fields, "language"))
    return clean(storable(", ".join(found))).lower() or None if found else None


def retraction_of(value: Any) -> str | None:
    """A notice of retraction as clean text, "retracted" for a bare flag, None for a flag that denies it."""
    text = clean(text_of(value))
    if text.casefold() in FLAGS_DOWN:
        return None
    return "retracted" if text.casefold() in FLAGS_UP else text


def text_of(value: Any) -> str:
    """A value as text: members of a list joined by spaces, of an object its `text`, `value` or `name`."""
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(text_of, value)))
    if isinstance(value, Mapping):
        return text_of(first(value.get(key) for key in ("text", "value", "name")) or list(value.values()))
    return "" if value is None or value != value else storable(str(value))


def storable(text: str) -> str:
    """`text` with U+FFFD for half surrogate pairs, which UTF-8 cannot hold, and for NUL, which ends SQLite's texts."""
    return UNSTORABLE.sub("\ufffd", text)


def year_of(value: Any) -> int | None:
    """The year of a number, a date in any common spelling or a list of its parts; None outside 1500 to 2100."""
    if isinstance(value, Mapping):
        return first(year_of(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return first(year_of(inner) for inner in value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    match = None if isinstance(value, bool) else YEAR.search(str(value))
    return int(match[0]) if match and int(match[0]) in YEARS else None


def web_address(value: Any) -> str | None:
    """The first http(s) address in a value."""
    match = WEB_ADDRESS.search(text_of(value))
    return match[0].rstrip(";,") if match else None


def first(found: Iterable[T | None]) -> T | None:
    """The first that is not empty."""
    return next((each for each in found if each), None)
