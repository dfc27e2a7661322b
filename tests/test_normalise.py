"""From raw fields to one abstract: identity, names, dates, and what is refused."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.normalise import MAX_ABSTRACT_CHARS, normalise
from ingest.records import RawRecord, Rejected
from ingest.text import identifiers, people
from rag.types import Abstract

TEXT = "We study retrieval. It works."


def abstract(**fields: Any) -> Abstract:
    """The abstract of a record with these fields and an ordinary text."""
    made = normalise(RawRecord({"abstract": TEXT, **fields}, "a.jsonl:1"))
    assert isinstance(made, Abstract)
    return made


def names(**fields: Any) -> list[str]:
    """Its id and aliases, without the hash of the text."""
    made = abstract(**fields)
    return [name for name in (made.id, *made.aliases) if not name.startswith("sha-")]


# Language and retraction


@pytest.mark.parametrize(
    ("given", "kept"), [("en", "en"), (" English ", "english"), (["eng", "fre"], "eng, fre"), ("", None), (None, None)]
)
def test_the_language_is_kept_as_it_is_named(given: Any, kept: str | None) -> None:
    assert abstract(language=given).language == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        *[(True, "retracted"), ("yes", "retracted"), ("Retracted", "retracted"), (1, "retracted")],
        *[(False, None), ("False", None), (0, None), ("", None), (None, None)],
        ("Retraction in: <i>Heart</i> 2021;7:1", "Retraction in: Heart 2021;7:1"),
    ],
)
def test_a_retraction_is_its_notice_or_a_flag(given: Any, kept: str | None) -> None:
    assert abstract(is_retracted=given).retracted == kept


# Identity


def test_without_identifiers_the_id_is_the_hash_of_the_words_as_read() -> None:
    raw = "  We show\n a \\% of   \\textsc{r}etrieval. "
    expected = hashlib.sha256(b"We show a \\% of \\textsc{r}etrieval.").hexdigest()[:12]
    made = abstract(abstract=raw)
    assert (made.id, made.raw, made.aliases) == (f"sha-{expected}", raw, ())


def test_the_hash_of_the_text_is_an_alias_of_every_other_id() -> None:
    assert abstract(doi="10.1234/x").aliases == (abstract().id,)


def test_doi_comes_before_arxiv_before_pmid() -> None:
    assert names(pmid=7, arxiv_id="2310.10631v2", DOI="10.1234/X", id="k") == [
        *("doi:10.1234/x", "arxiv:2310.10631", "pmid:7", "doi:10.48550/arxiv.2310.10631", "file:k"),
    ]
    assert names(pmid=7, arxiv="2310.10631")[0] == "arxiv:2310.10631"
    assert names(pmid=7) == ["pmid:7"]


def test_an_arxiv_doi_and_an_arxiv_id_know_each_other() -> None:
    assert names(doi="10.48550/arXiv.2310.10631") == ["doi:10.48550/arxiv.2310.10631", "arxiv:2310.10631"]
    assert names(arxiv="2310.10631") == ["arxiv:2310.10631", "doi:10.48550/arxiv.2310.10631"]


@pytest.mark.parametrize(
    "written",
    [
        "10.1145/3292500.3330701",
        "https://doi.org/10.1145/3292500.3330701",
        "http://dx.doi.org/10.1145/3292500.3330701",
        "doi:10.1145/3292500.3330701",
        "DOI: 10.1145/3292500.3330701.",
        "https://doi.org/10.1145%2F3292500.3330701",
        " 10.1145/3292500.3330701, ",
        "doi:https://doi.org/10.1145/3292500.3330701",
    ],
)
def test_a_doi_has_one_spelling(written: str) -> None:
    assert identifiers.doi(written) == "10.1145/3292500.3330701"


def test_a_doi_keeps_the_brackets_that_are_its_own() -> None:
    old = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
    assert identifiers.doi(old.upper()) == old
    assert identifiers.doi("10.1016/S0140-6736(20)30183-5).") == "10.1016/s0140-6736(20)30183-5"


@pytest.mark.parametrize(
    "text", ["10.1", "", "none", "11.1234/x", "https://example.org/10.1234/x", "10.1234/", "10.1234/."]
)
def test_what_is_no_doi_is_none(text: str) -> None:
    assert identifiers.doi(text) is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2310.10631", "2310.10631"),
        ("2310.10631v3", "2310.10631"),
        ("arXiv:2310.10631v1 [cs.CL]", "2310.10631"),
        ("0704.0001", "0704.0001"),
        ("cs/0112017", "cs/0112017"),
        ("cs/0112017v2", "cs/0112017"),
        ("math.GT/0309136", "math/0309136"),
        ("astro-ph/0601001v1", "astro-ph/0601001"),
        ("2399.10631", None),
        ("2310.1063", None),
        ("0704.00010", None),
        ("12345", None),
        ("some/1234567x", None),
    ],
)
def test_an_arxiv_id_has_one_spelling(written: str, expected: str | None) -> None:
    assert identifiers.arxiv(written) == expected


def test_zeros_that_a_number_lost_are_put_back_in_an_arxiv_field() -> None:
    assert names(arxiv_id=2310.1) == names(arxiv_id="2310.10000")
    assert names(arxiv_id=704.001)[0] == "arxiv:0704.0010"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://arxiv.org/abs/2310.10631v2", "arxiv:2310.10631"),
        ("http://arxiv.org/pdf/2310.10631.pdf", "arxiv:2310.10631"),
        ("https://arxiv.org/pdf/cs/0112017v1.pdf?x=1", "arxiv:cs/0112017"),
        ("https://doi.org/10.1234/AbC", "doi:10.1234/abc"),
        ("https://pubmed.ncbi.nlm.nih.gov/12345/", "pmid:12345"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/12345", "pmid:12345"),
    ],
)
def test_identifiers_are_taken_from_addresses(url: str, expected: str) -> None:
    assert names(link=url)[0] == expected


def test_other_addresses_give_no_identifier() -> None:
    assert names(url="https://example.org/papers/2310.10631") == []


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("2310.10631", "arxiv:2310.10631"),
        ("10.1234/x", "doi:10.1234/x"),
        ("https://doi.org/10.1234/x", "doi:10.1234/x"),
        ("PMID:77", "pmid:77"),
        ("smith2020", "file:smith2020"),
        ("77", "file:77"),
        (77, "file:77"),
    ],
)
def test_a_key_that_is_clearly_an_identifier_is_one(key: object, expected: str) -> None:
    assert names(_id=key)[0 if not expected.startswith("file:") else -1] == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [(0, None), ("0", None), ("0077", "77"), (77.0, "77"), ("PMID: 77", "77"), ("PMC77", None), ("", None)],
)
def test_a_pmid_is_a_positive_number(written: str | float, expected: str | None) -> None:
    assert identifiers.pmid(written) == expected


# What is refused


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        " \n\t",
        "No abstract available",
        "[No abstract available]",
        "no abstract",
        "N/A",
        "nan",
        "-",
        None,
        [],
        "None",
    ],
)
def test_nothing_is_no_abstract(nothing: object) -> None:
    record = RawRecord({"title": "A title", "abstract": nothing}, "a.csv:2")
    assert normalise(record) == Rejected("a.csv:2", "no abstract")


def test_a_title_stands_in_where_that_is_asked() -> None:
    made = normalise(RawRecord({"title": "A title", "abstract": ""}, "a.csv:2"), titles=True)
    assert isinstance(made, Abstract)
    assert (made.text, made.title) == ("A title", "A title")
    assert isinstance(normalise(RawRecord({"abstract": ""}, "a.csv:2"), titles=True), Rejected)


def test_an_abstract_of_3_mb_is_refused_with_its_size() -> None:
    rejected = normalise(RawRecord({"abstract": "x" * 3_000_000}, "a.csv:2"))
    assert rejected == Rejected("a.csv:2", "abstract of 3,000,000 characters; the limit is 100,000")
    assert isinstance(normalise(RawRecord({"abstract": "word " * (MAX_ABSTRACT_CHARS // 5)}, "a:1")), Abstract)


def test_the_first_named_abstract_counts_even_when_it_is_empty() -> None:
    assert abstract(description="A blurb.").raw == TEXT
    assert isinstance(normalise(RawRecord({"Description": "A blurb.", "Abstract": ""}, "a:1")), Rejected)


@settings(deadline=None, max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(
            ["title", "abstract", "authors", "year", "doi", "arxiv", "pmid", "url", "journal", "tags", "id"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.characters(categories=["Cs"]),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=4,
        ),
    )
)
def test_any_fields_are_an_abstract_that_can_be_stored_or_are_rejected(fields: dict[str, Any]) -> None:
    made = normalise(RawRecord(fields, "a.jsonl:1"))
    if isinstance(made, Abstract):
        parts = [
            made.id,
            made.text,
            made.raw,
            made.title,
            made.venue,
            made.url,
            *made.authors,
            *made.keywords,
            *made.aliases,
        ]
        assert all("\0" not in part for part in parts if part and part.encode())


# Parts


def test_names_are_found_whatever_their_case_and_signs() -> None:
    made = abstract(
        **{"Title ": "T", "AUTHOR/S": "A B; C D", "Publication_Year": "2020", "Journal-Title": "J", "Tags": "x, y"}
    )
    assert (made.title, made.authors, made.year, made.venue, made.keywords) == (
        "T",
        ("A B", "C D"),
        2020,
        "J",
        ("x", "y"),
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["Ada Lovelace", "Charles  Babbage"], ("Ada Lovelace", "Charles Babbage")),
        ("Ada Lovelace; Babbage, Charles", ("Ada Lovelace", "Babbage, Charles")),
        ("Ada Lovelace and Babbage, Charles", ("Ada Lovelace", "Babbage, Charles")),
        ("Ada Lovelace, Charles Babbage, and Mary Somerville", ("Ada Lovelace", "Charles Babbage", "Mary Somerville")),
        ("Ada Lovelace, Charles Babbage", ("Ada Lovelace", "Charles Babbage")),
        ("Lovelace, Ada", ("Lovelace, Ada",)),
        ("Lovelace, A., Babbage, C.", ("Lovelace, A.", "Babbage, C.")),
        ("Ada Lovelace|Charles Babbage", ("Ada Lovelace", "Charles Babbage")),
        ("['Lovelace, Ada', 'Babbage, Charles']", ("Lovelace, Ada", "Babbage, Charles")),
        ('["Lovelace, Ada"]', ("Lovelace, Ada",)),
        ([{"name": "Ada Lovelace"}, {"given": "Charles", "family": "Babbage"}], ("Ada Lovelace", "Charles Babbage")),
        ([{"firstName": "Ada", "lastName": "Lovelace"}], ("Ada Lovelace",)),
        ([{"author": {"display_name": "Ada Lovelace"}}], ("Ada Lovelace",)),
        ("Sandra", ("Sandra",)),
        ([None, "", "Ada Lovelace", "Ada Lovelace"], ("Ada Lovelace",)),
        (None, ()),
    ],
)
def test_authors_are_told_apart(written: object, expected: tuple[str, ...]) -> None:
    assert people.names(written) == expected


def test_three_thousand_authors_are_kept() -> None:
    # llama_index#12200
    authors = [f"Author {number}" for number in range(3000)]
    assert abstract(authors=authors).authors == tuple(authors)
    assert abstract(authors="; ".join(authors)).authors == tuple(authors)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (2021, 2021),
        (2021.0, 2021),
        ("2021", 2021),
        ("2021.0", 2021),
        ("2021-03", 2021),
        ("2021-03-05T10:00:00Z", 2021),
        ("20210305", 2021),
        ("4/3/2024", 2024),
        ("2014//", 2014),
        ("Feb 2020", 2020),
        ({"date-parts": [[2019, 4, 1]]}, 2019),
        (1609459200000, None),
        ("in press", None),
        (12, None),
        (3021, None),
        (True, None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_a_year_is_read_from_any_date(written: object, expected: int | None) -> None:
    assert abstract(date=written).year == expected


def test_the_year_comes_from_the_next_field_where_the_first_has_none() -> None:
    assert abstract(year="", published="2021-03").year == 2021


def test_only_web_addresses_are_addresses() -> None:
    assert abstract(url="javascript:alert(1)").url is None
    assert abstract(url="see https://example.org/a; https://example.org/b").url == "https://example.org/a"


def test_an_identifier_gives_an_address_where_the_file_gives_none() -> None:
    assert abstract(doi="10.1002/a<b>c").url == "https://doi.org/10.1002/a%3Cb%3Ec"
    assert abstract(arxiv="cs/0112017").url == "https://arxiv.org/abs/cs/0112017"


def test_an_abstract_in_sections_is_one_text() -> None:
    assert abstract(abstract=["Background.", {"label": "METHODS", "text": "Methods."}]).raw == "Background. Methods."


def test_text_keeps_its_letters_in_every_script() -> None:
    # private-gpt#1788
    for text in ("本文提出了一种新的方法。", "تقدم هذه الورقة طريقة جديدة.", "यह एक नई विधि है।", "Метод 🚀 работает."):
        assert abstract(abstract=text).text == text
