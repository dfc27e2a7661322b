"""BibTeX as exporters and people write it: every entry, each with its fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from ingest.text.grouping import ungrouped
from rag.types import Abstract

ENTRY = r"""@string{ jos = "Journal of " # {Search} }
@article{Doe2021,
  author = {Doe, Jane and M{\"u}ller, J{\"o}rg and {The {DNA} and RNA Group} and others},
  title = {On {DNA} windows: {$x^{2}$} and \emph{more}},
  journal = jos # " and Storage",
  year = 2021, month = mar,
  doi = {10.1000/xyz\_1},
  keywords = {retrieval, windows},
  language = {english},
  abstract = {We show that {DNA} windows, 5\% of the text, help \textbf{dense} indexes; na{\"\i}ve users win.},
}
"""
TEXT = "We show that DNA windows, 5% of the text, help dense indexes; naïve users win."


def found(data: str | bytes, name: str = "library.bib") -> list[RawRecord | Rejected]:
    """What a file of this name holds."""
    return list(read(Source(name, data=data.encode() if isinstance(data, str) else data)))


def kept(data: str | bytes, name: str = "library.bib") -> list[Abstract]:
    """Its abstracts."""
    results = [normalise(each) for each in found(data, name) if isinstance(each, RawRecord)]
    return [each for each in results if isinstance(each, Abstract)]


def test_an_entry_keeps_all_its_parts_and_loses_its_latex() -> None:  # bibtexparser#278
    [abstract] = kept(ENTRY)
    assert abstract.text == TEXT
    assert abstract.title == "On DNA windows: $x^{2}$ and more"
    assert abstract.authors == ("Doe, Jane", "Müller, Jörg", "The DNA and RNA Group")
    assert (abstract.venue, abstract.year) == ("Journal of Search and Storage", 2021)
    assert (abstract.id, abstract.aliases[0]) == ("doi:10.1000/xyz_1", "file:Doe2021")
    assert (abstract.keywords, abstract.sources) == (("retrieval", "windows"), ("library.bib:2",))
    assert r"5\% of the text, help \textbf{dense}" in abstract.raw


@pytest.mark.parametrize(
    "text",
    [
        ENTRY.replace("\n", "\r\n"),
        ENTRY.replace("@article{Doe2021,", "@article{,"),
        ENTRY.replace("@article{Doe2021,", "@article{"),
        ENTRY.replace("@article{Doe2021,", "@ARTICLE ( Doe2021,").replace("win.},\n}", "win.}\n)"),
        ENTRY.replace("{We show", '"We show').replace("win.}", 'win."'),
        ENTRY.replace("win.},\n}", "win.}\n}"),
        ENTRY.replace("win.},\n}", "win.}}"),
        ENTRY.replace("{retrieval, windows},", "{retrieval, windows}"),
        ENTRY.replace("  year", "  % a remark, with {\n  year"),
        "%%% BibTeX-file{\n%%%   author = {A}}\n" + ENTRY,
        '@comment{jabref-meta: a:b;}\n@preamble{"\\newcommand{\\x}[1]{#1}"}\n' + ENTRY,
        "@comment{\n@article{old,\n  title = {Old},\n  abstract = {Old words.}\n}\n}\n" + ENTRY,
        "Some words before.\n\n" + ENTRY + "\nSome words behind.\n",
        ENTRY.replace("language = {english}", "language = {an open { brace}"),
        ENTRY.replace("language = {english}", "language = {a closing } brace}"),
        ENTRY.replace("language = {english}", r"language = {an escaped \{ brace}"),
        ENTRY.replace("language = {english}", 'language = "a "quoted" word"'),
    ],
)
def test_dialects_and_mistakes_hold_the_same_abstract(text: str) -> None:
    [abstract] = kept(text)
    assert abstract.text == TEXT
    assert len(found(text)) == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_any_encoding_is_read(encoding: str) -> None:
    text = ENTRY.replace(r"na{\"\i}ve", "naïve").replace(r"J{\"o}rg", "Jörg") * 2
    assert [abstract.text for abstract in kept(text.encode(encoding))] == [TEXT, TEXT]


def test_a_declared_encoding_decides_where_bytes_do_not() -> None:
    [abstract] = kept(("% Encoding: ISO8859_5\n" + ENTRY.replace("windows,", "Окна,")).encode("iso8859_5"))
    assert "Окна," in abstract.text


def test_entries_that_share_a_key_are_different_records() -> None:
    two = ENTRY + ENTRY.replace("We show", "They show").replace("xyz", "abc")
    assert [abstract.text[:4] for abstract in kept(two)] == ["We s", "They"]


def test_entries_on_one_line_are_all_read() -> None:
    line = "@article{a, abstract={One.}} @article{b, abstract={Two.}}@misc{c, abstract = {Three.}}"
    assert [abstract.text for abstract in kept(line)] == ["One.", "Two.", "Three."]


def test_an_entry_whose_brace_never_closes_costs_no_other() -> None:
    broken = ENTRY.replace("win.},\n}", "win.\n")
    assert [abstract.text for abstract in kept(broken + ENTRY.replace("We show", "They show"))] == [
        TEXT,
        TEXT.replace("We show", "They show"),
    ]


def test_what_holds_no_field_is_rejected_with_its_line() -> None:
    text = ENTRY + "@misc{empty}\n"
    [rejected] = [each for each in found(text) if isinstance(each, Rejected)]
    assert rejected == Rejected("library.bib:12", "an entry without fields")


def test_preprints_are_known_by_their_number() -> None:
    scholar = "@article{a, journal={arXiv preprint arXiv:1706.03762}, abstract={One.}}"
    zotero = "@misc{a, eprint={1706.03762}, archiveprefix={arXiv}, abstract={One.}}"
    dblp = "@article{a, journal={CoRR}, volume={abs/1706.03762}, abstract={One.}}"
    assert {kept(text)[0].id for text in (scholar, zotero, dblp)} == {"arxiv:1706.03762"}


def test_braces_of_commands_accents_and_maths_stay() -> None:
    assert ungrouped(r"{A} {\'e} \'{e} \emph{b {C}} $x_{i}$ {\em d} \{e\} f} {g") == (
        r"A {\'e} \'{e} \emph{b C} $x_{i}$ {\em d} \{e\} f g"
    )


@pytest.mark.parametrize(
    ("file", "records", "abstracts"),
    [
        ("acml19_pmlr.bib", 80, 79),
        ("citavi.bib", 58, 9),
        ("mendeley_idiocy.bib", 512, 313),
        ("quietly_discarded_873.bib", 988, 14),
        ("scopus_example.bib", 3, 3),
        ("tugboat_cut.bib", 1615, 0),
        ("utf16be_bom.bib", 1, 0),
        ("xampl.bib", 36, 0),
    ],
)
def test_real_exports_hold_what_they_truly_hold(shared_data: Path, file: str, records: int, abstracts: int) -> None:
    data = (shared_data / "inputs" / "bib" / file).read_bytes()
    assert (len(found(data)), len(kept(data))) == (records, abstracts)
