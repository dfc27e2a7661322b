"""What services answer with, by their public schemas: papers are found in it, and errors are no papers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.normalise import normalise
from ingest.parsing.document import Document
from ingest.parsing.json_values import Value, by_value
from ingest.parsing.json_window import Limits
from ingest.parsing.source import Source
from ingest.readers import format_of, read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

WORK: dict[str, Any] = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1234/heron",
    "title": "Herons <i>wade</i>",
    "publication_year": 2021,
    "language": "en",
    "is_retracted": True,
    "ids": {"openalex": "https://openalex.org/W1", "pmid": "https://pubmed.ncbi.nlm.nih.gov/77"},
    "authorships": [{"author": {"display_name": "Ada Lum"}}, {"author": {"display_name": "Wei Chen"}}],
    "primary_location": {"landing_page_url": "https://herons.org/1", "source": {"display_name": "Heron Journal"}},
    "keywords": [{"display_name": "Birds", "score": 0.5}],
    "abstract_inverted_index": {"Herons": [0, 3], "wade": [1], "slowly.": [2], "hunt.": [4]},
}
CROSSREF: dict[str, Any] = {
    "DOI": "10.1234/HERON",
    "type": "journal-article",
    "title": ["Herons <i>wade</i>"],
    "subtitle": ["A study"],
    "container-title": ["Heron Journal"],
    "author": [{"given": "Ada", "family": "Lum"}, {"name": "The Heron Group"}],
    "issued": {"date-parts": [[2021, 5]]},
    "language": "en",
    "URL": "https://doi.org/10.1234/heron",
    "reference": [{"DOI": "10.1234/cited", "key": "1"}],
    "abstract": "<jats:title>Abstract</jats:title><jats:sec><jats:title>Aims</jats:title>"
    "<jats:p>To see 10<jats:sup>3</jats:sup> herons &amp; more.</jats:p></jats:sec>"
    "<jats:sec><jats:title>Results:</jats:title><jats:p>We saw them.</jats:p></jats:sec>",
}
S2: dict[str, Any] = {
    "paperId": "a" * 40,
    "externalIds": {"DOI": "10.1234/heron", "ArXiv": "2101.00001", "PubMed": "77", "CorpusId": 5},
    "title": "Herons wade",
    "abstract": "Herons wade slowly.",
    "year": 2021,
    "venue": "",
    "journal": {"name": "Heron Journal", "pages": "1-2"},
    "authors": [{"authorId": "1", "name": "Ada Lum"}],
    "fieldsOfStudy": ["Biology"],
    "references": [{"paperId": "b" * 40, "title": "Other", "abstract": "Not this one."}],
}
ARXIV: dict[str, Any] = {
    "id": "0704.0001",
    "submitter": "Ada Lum",
    "authors": "Ada Lum and Wei Chen",
    "title": "Herons\n  wade",
    "comments": "This paper has been withdrawn by the authors",
    "journal-ref": "Heron J. 7 (2008)",
    "doi": None,
    "categories": "q-bio.PE stat.AP",
    "abstract": "  Herons wade slowly.\n",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "update_date": "2008-11-26",
    "authors_parsed": [["Lum", "Ada", ""], ["Chen", "Wei", "Jr"]],
}
HF: dict[str, Any] = {
    "paper": {
        "id": "2602.23229",
        "title": "Herons wade",
        "summary": "Herons wade slowly.",
        "ai_summary": "A model says so.",
        "authors": [{"name": "Ada Lum", "hidden": False}],
        "publishedAt": "2026-02-26T17:08:18.000Z",
        "upvotes": 3,
    },
    "title": "Herons wade",
    "summary": "Herons wade slowly.",
    "submittedBy": {"name": "Somebody"},
}


def results(data: Any, name: str = "a.json") -> list[Abstract | Rejected]:
    """What becomes of each record of a file with this JSON (or text) in it."""
    text = data if isinstance(data, str) else json.dumps(data)
    found = read(Source(name, data=text.encode()))
    return [normalise(each) if isinstance(each, RawRecord) else each for each in found]


def only(data: Any) -> Abstract:
    [found] = results(data)
    assert isinstance(found, Abstract), found
    return found


def format_name(data: Any) -> str:
    found = format_of(Document.of(Source("a", data=json.dumps(data).encode())))
    assert not isinstance(found, Rejected)
    return found.name


def test_openalex_words_stand_in_their_order() -> None:
    found = only(WORK)
    assert found.text == "Herons wade slowly. Herons hunt."
    assert (found.id, found.title, found.year) == ("doi:10.1234/heron", "Herons wade", 2021)
    assert (found.authors, found.venue) == (("Ada Lum", "Wei Chen"), "Heron Journal")
    assert (found.keywords, found.language, found.retracted) == (("Birds",), "en", "retracted")
    assert {"pmid:77", "file:https://openalex.org/W1"} <= set(found.aliases)
    assert found.url == "https://herons.org/1"


@pytest.mark.parametrize("index", [{}, None, {"a": None}, {"a": ["x"]}, {"a": [10**12]}, [], 3])
def test_an_index_that_holds_no_words_is_no_abstract(index: Any) -> None:
    assert [isinstance(each, Rejected) for each in results({**WORK, "abstract_inverted_index": index})] == [True]


@pytest.mark.parametrize("record", [WORK, CROSSREF, S2, ARXIV, HF])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda record: record,
        lambda record: [record],
        lambda record: {"meta": {"count": 1}, "results": [record]},
        lambda record: {"status": "ok", "message": {"items": [record]}},
        lambda record: {"total": 1, "offset": 0, "data": [record]},
    ],
)
def test_a_paper_is_found_in_what_wraps_it(record: dict[str, Any], wrap: Any) -> None:
    found = only(wrap(record))
    assert found.text.startswith(("Herons wade slowly.", "Aims: To see"))
    assert found.authors[0] == "Ada Lum"


@pytest.mark.parametrize("record", [WORK, CROSSREF, S2, ARXIV, HF])
def test_lists_lines_and_objects_one_after_another_are_read(record: dict[str, Any]) -> None:
    for text in (
        json.dumps([record] * 3),
        json.dumps([record] * 3, indent=1),
        "\n".join([json.dumps(record)] * 3),
        "\n".join([json.dumps(record, indent=2)] * 3),
    ):
        assert [isinstance(each, Abstract) for each in results(text, "a")] == [True] * 3


def test_each_service_s_papers_are_told_from_the_others() -> None:
    names = [format_name(each) for each in (WORK, CROSSREF, S2, ARXIV, HF)]
    assert names == ["OpenAlex", "Crossref", "Semantic Scholar", "arXiv snapshot", "Hugging Face papers"]


def test_crossref_s_jats_keeps_sections_and_loses_markup() -> None:
    found = only({"status": "ok", "message-type": "work", "message": CROSSREF})
    assert found.text == "Aims: To see 10^3 herons & more. Results: We saw them."
    assert (found.title, found.id) == ("Herons wade: A study", "doi:10.1234/heron")
    assert (found.authors, found.year, found.venue) == (("Ada Lum", "The Heron Group"), 2021, "Heron Journal")


def test_crossref_s_escaped_and_broken_markup_is_read() -> None:
    assert only(
        {**CROSSREF, "abstract": "<jats:p>&lt;p&gt;We saw &lt;i&gt;E. coli&lt;/i&gt;.&lt;/p&gt;</jats:p>"}
    ).text == ("We saw E. coli.")
    assert only({**CROSSREF, "abstract": "<jats:p>We saw n < 3 & more.</jats:p>"}).text == "We saw n < 3 & more."


def test_crossref_s_retractions_are_kept() -> None:
    notice = {"updated-by": [{"type": "retraction", "label": "Retraction", "DOI": "10.1234/sorry"}]}
    assert only({**CROSSREF, **notice}).retracted == "Retraction: 10.1234/sorry"
    assert only({**CROSSREF, "title": ["RETRACTED: Herons"]}).retracted == "retracted"
    assert only({**CROSSREF, "update-to": [{"type": "retraction", "DOI": "10.1234/other"}]}).retracted is None


def test_semantic_scholar_s_nulls_are_rejected_and_references_are_no_records() -> None:
    found = results([None, S2, {**S2, "paperId": "c" * 40, "externalIds": None, "abstract": None}])
    assert [type(each) for each in found] == [Rejected, Abstract, Rejected]
    assert {"arxiv:2101.00001", "pmid:77"} <= set(only(S2).aliases)
    assert only(S2).venue == "Heron Journal"


def test_semantic_scholar_s_data_sets_are_read() -> None:
    line = {"corpusid": 5, "openaccessinfo": {"externalids": {"DOI": "10.1234/HERON"}}, "abstract": "Herons wade."}
    [found] = results(json.dumps(line) + "\n", "abstracts.jsonl")
    assert isinstance(found, Abstract)
    assert found.id == "doi:10.1234/heron"


def test_an_arxiv_paper_has_the_year_of_its_first_version_and_its_withdrawal() -> None:
    found = only(ARXIV)
    assert (found.id, found.year, found.authors) == ("arxiv:0704.0001", 2007, ("Ada Lum", "Wei Chen Jr"))
    assert found.retracted == "This paper has been withdrawn by the authors"
    assert found.keywords == ("q-bio.PE", "stat.AP")


def test_a_daily_paper_s_abstract_is_not_what_a_model_says() -> None:
    found = only([HF])
    assert (found.id, found.text, found.year) == ("arxiv:2602.23229", "Herons wade slowly.", 2026)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": "Paper with id 0 not found"}, "Paper with id 0 not found"),
        ({"message": "Too Many Requests", "code": "429"}, "Too Many Requests"),
        ({"error": "Invalid query", "message": "x is not valid"}, "Invalid query"),
        ({"detail": "Not found."}, "Not found."),
    ],
)
def test_an_error_answer_holds_no_records(answer: dict[str, str], said: str) -> None:
    [rejected] = results(answer)
    assert rejected == Rejected("a.json:1", f"is an error answer, not papers: {said}", records=0)


@pytest.mark.parametrize("answer", [{"total": 0, "data": []}, {"message": {"items": []}, "status": "ok"}])
def test_an_empty_answer_holds_no_records(answer: dict[str, Any]) -> None:
    [rejected] = results(answer)
    assert isinstance(rejected, Rejected)
    assert rejected.records == 0


def test_several_papers_on_one_line_have_numbers() -> None:
    found = results({"results": [WORK, {**WORK, "id": "https://openalex.org/W2", "abstract_inverted_index": None}]})
    assert [each.sources[0] if isinstance(each, Abstract) else each.where for each in found] == [
        "a.json:1 (record 1)",
        "a.json:1 (record 2)",
    ]


def test_papers_keyed_by_their_pmid_know_it() -> None:
    qa = {
        "QUESTION": "Do herons wade?",
        "CONTEXTS": ["We ask.", "They do."],
        "LABELS": ["AIM", "RESULT"],
        "YEAR": "2011",
    }
    found = only({"21645374": qa})
    assert (found.id, found.title, found.text) == ("pmid:21645374", "Do herons wade?", "AIM: We ask. RESULT: They do.")
    generic = only({"PMC77": {"title": "T", "abstract": "Herons wade."}})
    assert "file:PMC77" in generic.aliases


def test_json_of_any_sensible_keys_is_read() -> None:
    assert only({"data": {"items": [{"attributes": {"Title": "T", "Abstract Note": "Herons wade."}}]}}).title == "T"
    assert only({"abstracts": [{"abstract": "Herons wade."}]}).text == "Herons wade."


def test_compressed_json_lines_are_read() -> None:
    data = gzip.compress("\n".join(json.dumps({**S2, "paperId": f"{n:040}"}) for n in range(50)).encode())
    assert len(list(read(Source("part-01.jsonl.gz", data=data)))) == 50


# Values of any size


def values(data: Any, window: int, longest: int = 5000) -> list[Value]:
    """The values of a text, read in windows of this size."""
    document = Document.of(Source("a.json", data=(data if isinstance(data, str) else json.dumps(data)).encode()))
    found = list(by_value(document, Limits(window, longest)))
    assert not any(isinstance(each, Rejected) for each in found)
    return [each for each in found if isinstance(each, Value)]


def test_an_object_too_large_to_be_held_is_entered() -> None:
    works = [{**WORK, "id": f"https://openalex.org/W{n}"} for n in range(40)]
    assert [each.value for each in values({"meta": {"count": 40}, "results": works}, 1000)] == works
    assert [each.value for each in values({"status": "ok", "message": {"facets": {}, "items": works}}, 1000)] == works
    papers = {str(n): {"title": "T", "abstract": f"Paper {n}. " + "word " * 100} for n in range(60)}
    assert {str(each.key): each.value for each in values(papers, 1000)} == papers


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.text() | st.integers() | st.lists(st.floats(allow_nan=False))),
        max_size=5,
    ),
    st.integers(1, 70),
    st.sampled_from([None, 1]),
)
def test_values_are_the_same_in_every_window(records: list[dict[str, Any]], window: int, indent: int | None) -> None:
    text = json.dumps(records, indent=indent)
    assert [each.value for each in values(text, window)] == records
    assert [each.line for each in values(text, window)] == [each.line for each in values(text, 10_000)]


def test_a_list_cut_short_keeps_what_is_whole() -> None:
    text = json.dumps([WORK, {**WORK, "id": "https://openalex.org/W2"}])
    found = results(text[:-40])
    assert [isinstance(each, Abstract) for each in found] == [True, False]


def broken_in(texts: Sequence[str], before: str = "[\n", after: str = "\n]") -> tuple[list[str], list[str]]:
    """Titles of the records read from a list of objects as they stand in a file, and the places of those rejected."""
    data = (before + ",\n".join(texts) + after).encode()
    found = list(read(Source("a.json", data=data)))
    kept = [str(each.fields["title"]) for each in found if isinstance(each, RawRecord)]
    return kept, [each.where for each in found if isinstance(each, Rejected)]


def paper(number: int) -> str:
    held = {"references": [{"title": f"Cited {n}", "year": 1990 + n} for n in range(3)]}
    return json.dumps({"title": f"Paper {number}", "abstract": f"Herons wade {number} times.", **held})


@pytest.mark.parametrize(
    "damaged",
    [
        '{"title": "Lost" "abstract": "No comma."}',
        '{"title": "Lost", "abstract": "An "unescaped" quote", "references": [{"title": "Cited", "year": 1990}]}',
        '{"title": "Lost", "abstract": "Not closed", "references": [{"title": "Cited", "year": 1990}]',
        '{"title": "Lost", "abstract": "Cut',
        '{"title": NaN-, "abstract": "No value."}',
        '{"title": "Lost", "references": [{"title": "Cited", "abstract": }, {"title": "Cited", "year": 1}]}',
    ],
)
@pytest.mark.parametrize(("before", "after"), [("[\n", "\n]"), ('{"count": 5, "results": [\n', "\n]}")])
@pytest.mark.parametrize("place", [1, 3])
def test_a_broken_record_in_a_list_costs_itself(damaged: str, before: str, after: str, place: int) -> None:
    texts = [paper(number) for number in range(5)]
    texts[place] = damaged
    kept, rejected = broken_in(texts, before, after)

    assert kept == [f"Paper {number}" for number in range(5) if number != place]
    assert rejected == [f"a.json:{place + 2}"]


def test_several_broken_records_in_a_list_are_told_one_by_one() -> None:
    texts = [paper(number) for number in range(6)]
    for place in (2, 3, 5):
        texts[place] = texts[place].replace('", "abstract', '" "abstract')

    assert broken_in(texts) == (["Paper 0", "Paper 1", "Paper 4"], ["a.json:4", "a.json:5", "a.json:7"])


def test_a_broken_record_alone_gives_none_of_what_it_holds() -> None:
    assert broken_in([paper(1)[:-1] + ' "x" }'], "", "") == ([], ["a.json:1"])


HERONS, SOIL = "Herons wade in shallow water.", "Soil moisture governs drought."


@pytest.mark.parametrize(
    "table",
    [
        {"title": {"0": "Herons", "1": "Soil"}, "abstract": {"0": HERONS, "1": SOIL}},
        {"columns": ["title", "abstract"], "index": [0, 1], "data": [["Herons", HERONS], ["Soil", SOIL]]},
    ],
    ids=["columns", "split"],
)
def test_a_table_that_pandas_wrote_as_one_object_is_a_record_a_row(table: dict[str, Any]) -> None:
    found = list(read(Source("frame.json", data=json.dumps(table).encode())))

    assert [each.where for each in found] == ["frame.json:1 (record 1)", "frame.json:1 (record 2)"]
    assert [(r.fields["title"], r.fields["abstract"]) for r in found if isinstance(r, RawRecord)] == [
        ("Herons", HERONS),
        ("Soil", SOIL),
    ]
