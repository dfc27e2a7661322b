"""BibTeX: values as LaTeX prints them, formulas between dollars as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.merging.exact import FIELD, encoded
from ingest.readers.bibtex import FORMAT
from ingest.text.latex import MATHS
from ingest.writers import Writer
from ingest.writers.parts import identifier, key, line
from rag.types import Abstract

KEY = re.compile(r"[\w:.+/-]{1,80}", re.ASCII)
ESCAPES = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "%&#_$"},
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
_MATHS = re.compile(MATHS)


def write(abstract: Abstract, exact: dict[str, object]) -> str:
    """One entry; its key is the one that a file gave it, or made of its id."""
    own = key(abstract)
    name = own if own and KEY.fullmatch(own) else re.sub(r"[^\w.:-]+", "-", abstract.id, flags=re.ASCII)
    fields = [(part, value) for part, value in _fields(abstract) if value]
    if exact:
        fields.append((FIELD, encoded(exact)))
    kind = "article" if abstract.venue else "misc"
    return f"@{kind}{{{name},\n" + "".join(f"  {part} = {{{value}}},\n" for part, value in fields) + "}\n\n"


def _fields(abstract: Abstract) -> Iterator[tuple[str, str]]:
    arxiv = identifier(abstract, "arxiv")
    yield "title", f"{{{escaped(abstract.title)}}}" if abstract.title else ""
    yield "author", " and ".join(map(_name, abstract.authors))
    yield "year", str(abstract.year or "")
    yield "journal", escaped(abstract.venue)
    yield "doi", escaped(identifier(abstract, "doi"))
    yield "eprint", arxiv or ""
    yield "archiveprefix", "arXiv" if arxiv else ""
    yield "pmid", identifier(abstract, "pmid") or ""
    yield "url", escaped(abstract.url)
    yield "keywords", "; ".join(map(escaped, abstract.keywords))
    yield "language", escaped(abstract.language)
    yield "note", escaped(abstract.retracted)
    yield "abstract", escaped(abstract.text)


def escaped(text: str | None) -> str:
    """Text as LaTeX source on one line; a formula whose braces balance stays."""
    bare = line(text)
    pieces, at = [], 0
    for maths in _MATHS.finditer(bare):
        if _balanced(maths[0]):
            pieces += [bare[at : maths.start()].translate(ESCAPES), maths[0]]
            at = maths.end()
    return "".join([*pieces, bare[at:].translate(ESCAPES)])


def _name(name: str) -> str:
    """A name; in braces where a word or sign in it would part it."""
    text = escaped(name)
    return f"{{{text}}}" if re.search(r"\band\b|,.*,|^others$", text, re.IGNORECASE) else text


def _balanced(text: str) -> bool:
    depth = 0
    for sign in re.findall(r"[{}]", text):
        depth += 1 if sign == "{" else -1
        if depth < 0:
            return False
    return depth == 0


WRITER = Writer(write, FORMAT)
