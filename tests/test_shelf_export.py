"""The shelf as one file: written as BibTeX, RIS, CSV or JSON Lines and read back, it is the same shelf."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.pipeline import ingest
from ingest.readers import read
from ingest.records import RawRecord
from ingest.text.clean import clean
from ingest.writers import FORMATS, written
from ingest.writers.command import save
from rag.catalogue import Catalogue
from rag.config import Settings
from rag.errors import SettingsError
from rag.types import Abstract, sha12
from tests.hashing import HashingEmbedder

NASTY = [
    "{",
    "}",
    "\\",
    "%",
    "$x_{i}$",
    '"',
    "'",
    "\n",
    "\r\n",
    ";",
    ",",
    "|",
    " and ",
    "#",
    "~",
    "&amp;",
    "<i>a</i>",
    "=",
]
NASTY += [
    "@article{x, title={y}}",
    "\nER  - \n",
    "\nTY  - JOUR\n",
    "AB  - ",
    "\ufeff",
    "\x07",
    "\u2028",
    "é",
    "漢字",
    "😀",
]
NASTY += ["\\textbackslash{}", "{DNA}", "  ", "\\{", "--", "``", "10.1000/x", "No abstract available", "[]", "['a']"]
PIECE = st.one_of(st.sampled_from(NASTY), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12))
TEXT = st.lists(PIECE, min_size=1, max_size=8).map("".join).filter(str.strip)
LINE = TEXT.map(lambda text: " ".join(text.split())).filter(bool)
MAYBE = st.none() | LINE
ID = st.one_of(
    st.from_regex(r"doi:10\.\d{4}/[a-z0-9().]{1,8}[a-z]", fullmatch=True),
    st.from_regex(r"arxiv:2[0-3]0[1-9]\.\d{5}", fullmatch=True),
    st.from_regex(r"pmid:[1-9]\d{5}", fullmatch=True),
    LINE.map(lambda text: f"sha-{sha12(text)}"),
)
ABSTRACT = st.builds(
    Abstract,
    id=ID,
    text=LINE,
    raw=TEXT,
    title=MAYBE,
    authors=st.lists(LINE, max_size=4, unique=True).map(tuple),
    year=st.none() | st.integers(1500, 2100),
    venue=MAYBE,
    url=st.none() | st.from_regex(r"https://example\.org/[a-z%_~#]{1,9}", fullmatch=True),
    keywords=st.lists(LINE, max_size=3, unique=True).map(tuple),
    language=MAYBE,
    retracted=MAYBE,
    aliases=st.lists(ID | LINE.map(lambda text: f"file:{text}"), max_size=3, unique=True).map(tuple),
)
SHELF = st.lists(ABSTRACT, min_size=1, max_size=5, unique_by=lambda each: each.id)


def same(abstract: Abstract) -> Abstract:
    """An abstract as it is compared: wherever it stands, its aliases in any order, without its own id among them."""
    aliases = tuple(sorted(set(abstract.aliases) - {abstract.id}))
    return replace(abstract, sources=(), aliases=aliases)


def read_back(text: str, name: str, known: list[Abstract]) -> list[Abstract]:
    """The abstracts of a file, without the keys that its format needs and the shelf did not have."""
    found = [normalise(each) for each in read(Source(name, data=text.encode())) if isinstance(each, RawRecord)]
    abstracts = [each for each in found if isinstance(each, Abstract)]
    assert len(abstracts) == len(known)
    return [
        replace(
            each, aliases=tuple(name for name in each.aliases if not name.startswith("file:") or name in old.aliases)
        )
        for each, old in zip(abstracts, known, strict=True)
    ]


@pytest.mark.parametrize("to", FORMATS)
@given(shelf=SHELF)
@settings(max_examples=15, deadline=None)
def test_a_shelf_of_random_abstracts_reads_back_the_same(to: str, shelf: list[Abstract]) -> None:
    text = "".join(written(shelf, to))
    assert [same(each) for each in read_back(text, f"shelf.{to}", shelf)] == [same(each) for each in shelf]


@pytest.mark.parametrize("to", FORMATS)
def test_an_ordinary_abstract_needs_no_second_copy_of_its_parts(to: str) -> None:
    raw = "Windows of sentences help. They cost little."
    abstract = Abstract(
        "doi:10.1000/x", raw, raw, "On windows", ("Doe, Jane", "Roe, Richard"), 2021, "Search", "https://doi.org/10.1000/x",
        ("windows", "indexes"), aliases=("file:Doe2021", f"sha-{sha12(raw)}"),
    )  # fmt: skip
    text = "".join(written([abstract], to))
    assert "%7B" not in text
    assert '"raw"' not in text
    assert [same(each) for each in read_back(text, f"shelf.{to}", [abstract])] == [same(abstract)]


def test_other_programs_find_latex_in_bibtex() -> None:
    raw = "5% of A_1 & {x} cost $x_{1}^2$."
    text = "".join(written([Abstract("pmid:1", clean(raw), raw, "The {T}itle")], "bib"))
    assert r"abstract = {5\% of A\_1 \& \textbraceleft{}x\textbraceright{} cost $x_{1}^2$.}" in text


@pytest.mark.parametrize("to", FORMATS)
def test_the_exported_shelf_is_the_same_when_it_is_ingested(tmp_path: Path, to: str) -> None:
    first, second = Settings(home=tmp_path / "a"), Settings(home=tmp_path / "b")
    (tmp_path / "a.csv").write_text('title,abstract,doi\nA,"One 5% text: {x}.",10.1000/x\n,Two \\textbf{texts}.,\n')
    ingest([str(tmp_path / "a.csv")], first, HashingEmbedder())
    catalogue = Catalogue(first.home)
    assert save(catalogue, to, tmp_path / f"shelf.{to}") == 2
    again = ingest([str(tmp_path / f"shelf.{to}")], first, HashingEmbedder())
    assert (again.read, again.new, again.rejected, again.merged) == (2, 0, 0, 0)
    ingest([str(tmp_path / f"shelf.{to}")], second, HashingEmbedder())
    other = Catalogue(second.home)
    assert other.ids() == catalogue.ids()
    texts = [[shelf.many(shelf.ids())[each].text for each in shelf.ids()] for shelf in (catalogue, other)]
    catalogue.close()
    other.close()
    assert texts[0] == texts[1]


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(SettingsError, match="xml is no format"):
        "".join(written([], "xml"))
