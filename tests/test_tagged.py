"""Exports of tagged lines: RIS, MEDLINE, Web of Science, Refer, and the dialects of their exporters."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

RIS = """TY  - JOUR
AU  - Doe, Jane
AU  - Roe, Richard
TI  - On windows
T2  - Journal of Search
PY  - 2021/03//
DO  - 10.1000/xyz
KW  - retrieval
KW  - windows; indexes
LA  - English
AB  - Windows of sentences help
a dense index.

They cost little.
ER  -
"""
MEDLINE = """
PMID- 123456
TI  - On windows
      of sentences.
AB  - BACKGROUND: Indexes are large. RESULTS: Windows
      help.
FAU - Doe, Jane
AU  - Doe J
DP  - 2020 Oct
LID - 10.1000/xyz [doi]
LA  - ger
PT  - Retracted Publication
RIN - J Search. 2021 Jan;1(1):3. PMID: 999
OT  - *retrieval
JT  - Journal of search

PMID- 123457
TI  - No abstract here.
"""
WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Doe, J
   Roe, R
AF Doe, Jane
   Roe, Richard
TI On windows of
   sentences
SO JOURNAL OF SEARCH
DE retrieval; windows
ID INDEXES
AB Windows help
   a dense index.
PY 2020
DI 10.1000/xyz
UT WOS:000514379300001
ER

PT J
TI Another
AB Another abstract.
ER

EF
"""
REFER = """%0 Journal Article
%T On windows
%A Doe, Jane
%D 2020
%K retrieval
windows
%X Windows help
a dense index.

%0 Book
%T Another
%X Another abstract.
"""


def found(data: str, name: str = "export.txt") -> list[RawRecord | Rejected]:
    """What a file of this name holds."""
    return list(read(Source(name, data=data.encode())))


def kept(data: str, name: str = "export.txt") -> list[Abstract]:
    """Its abstracts."""
    results = [normalise(each) for each in found(data, name) if isinstance(each, RawRecord)]
    return [each for each in results if isinstance(each, Abstract)]


def test_ris_keeps_all_parts_of_a_record() -> None:
    [abstract] = kept(RIS)
    assert abstract.text == "Windows of sentences help a dense index. They cost little."
    assert (abstract.id, abstract.title, abstract.year) == ("doi:10.1000/xyz", "On windows", 2021)
    assert (abstract.authors, abstract.venue) == (("Doe, Jane", "Roe, Richard"), "Journal of Search")
    assert abstract.keywords == ("retrieval", "windows", "indexes")
    assert abstract.sources == ("export.txt:1",)


@pytest.mark.parametrize(
    "text",
    [
        RIS.replace("\n", "\r\n"),
        "\ufeff" + RIS,
        RIS.replace("  - ", " - "),
        RIS.replace("  - ", "  -"),
        RIS.replace("  - ", "\t- "),
        RIS.replace("AB  - ", "N2  - "),
        RIS.replace("ER  -\n", ""),
        RIS.replace("ER  -", "ER  - "),
        "Provider: Some Press\nDatabase: Search\nContent: text/plain\n\n" + RIS,
        "1. \n" + RIS + "NL  - J Search\n\nLink to the full text: https://example.org\n\n\n2. \n",
        RIS.replace("AB  - Windows", "  AB  - Windows"),
    ],
)
def test_ris_dialects_hold_the_same_abstract(text: str) -> None:
    [abstract] = kept(text)
    assert abstract.text == "Windows of sentences help a dense index. They cost little."
    assert len(found(text)) == 1


def test_a_ris_record_without_its_end_or_its_type_is_not_lost() -> None:
    lost_end = RIS.replace("ER  -\n", "")
    lost_type = RIS.replace("TY  - JOUR\n", "")
    assert len(kept(lost_end + RIS)) == 2
    assert len(kept(RIS + lost_type)) == 2


def test_a_ris_abstract_line_that_looks_like_a_tag_stays_text() -> None:
    [abstract] = kept(RIS.replace("a dense index.", "IL - 6 and\nT2 - weighted images."))
    assert "IL - 6 and T2 - weighted images." in abstract.text


def test_medline_keeps_labels_languages_and_retractions() -> None:
    first, second = found(MEDLINE)
    assert isinstance(first, RawRecord)
    assert first.fields["language"] == "ger"
    assert first.fields["retracted"] == "J Search. 2021 Jan;1(1):3. PMID: 999"
    [abstract] = kept(MEDLINE)
    assert abstract.text == "BACKGROUND: Indexes are large. RESULTS: Windows help."
    assert (abstract.title, abstract.authors) == ("On windows of sentences.", ("Doe, Jane",))
    assert (abstract.id, abstract.aliases[0], abstract.keywords) == ("doi:10.1000/xyz", "pmid:123456", ("retrieval",))
    assert isinstance(second, RawRecord)
    assert normalise(second) == Rejected("export.txt:17", "no abstract")


def test_web_of_science_keeps_full_names_and_both_kinds_of_keywords() -> None:
    abstract, other = kept(WOS)
    assert (abstract.title, abstract.text) == ("On windows of sentences", "Windows help a dense index.")
    assert abstract.authors == ("Doe, Jane", "Roe, Richard")
    assert abstract.keywords == ("retrieval", "windows", "INDEXES")
    assert abstract.aliases[0] == "file:WOS:000514379300001"
    assert (other.text, other.sources) == ("Another abstract.", ("export.txt:20",))


def test_refer_is_read_with_and_without_types() -> None:
    for text in (REFER, REFER.replace("%0 Journal Article\n", "").replace("%0 Book\n", "")):
        abstract, other = kept(text)
        assert (abstract.title, abstract.text) == ("On windows", "Windows help a dense index.")
        assert abstract.keywords == ("retrieval", "windows")
        assert other.text == "Another abstract."


@pytest.mark.parametrize(("folder", "records", "abstracts"), [("ris", 308, 284), ("nbib", 6, 6), ("wos", 17, 17)])
def test_real_exports_hold_what_they_truly_hold(shared_data: Path, folder: str, records: int, abstracts: int) -> None:
    files = sorted((shared_data / "inputs" / folder).iterdir())
    results = [each for file in files for each in read(Source(file.name, file))]
    kept = [normalise(each) for each in results if isinstance(each, RawRecord)]
    assert (len(results), sum(isinstance(each, Abstract) for each in kept)) == (records, abstracts)
