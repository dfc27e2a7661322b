"""RIS: a tag a line."""

from __future__ import annotations

from collections.abc import Iterator

from ingest.merging.exact import encoded
from ingest.readers.ris import FORMAT
from ingest.writers import Writer
from ingest.writers.parts import identifier, key, line
from rag.types import Abstract


def write(abstract: Abstract, exact: dict[str, object]) -> str:
    """From TY to ER; a part that is not there has no tag."""
    tags = [(tag, text) for tag, value in _tags(abstract) if (text := line(value))]
    if exact:
        tags.append(("U5", encoded(exact)))
    return "".join(f"{tag}  - {text}\n" for tag, text in tags) + "ER  - \n\n"


def _tags(abstract: Abstract) -> Iterator[tuple[str, str | None]]:
    pmid, arxiv = identifier(abstract, "pmid"), identifier(abstract, "arxiv")
    yield "TY", "JOUR" if abstract.venue else "GEN"
    yield "TI", abstract.title
    yield from (("AU", name) for name in abstract.authors)
    yield "PY", str(abstract.year or "")
    yield "T2", abstract.venue
    yield "DO", identifier(abstract, "doi")
    yield "U1", f"{pmid}[pmid]" if pmid else None
    yield "UR", abstract.url
    yield "UR", f"https://arxiv.org/abs/{arxiv}" if arxiv else None
    yield from (("KW", term) for term in abstract.keywords)
    yield "LA", abstract.language
    yield "N1", abstract.retracted
    yield "ID", key(abstract)
    yield "AB", abstract.text


WRITER = Writer(write, FORMAT)
