"""Whatever a file holds, it is read or rejected."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

NAMES = (
    "PubmedArticleSet PubmedArticle MedlineCitation Article Abstract AbstractText AuthorList Author article front "
    "article-meta abstract sec title feed entry id summary OAI-PMH record metadata dc header collection volume paper "
    "meta dblp inproceedings math msup mfrac alternatives"
).split()
TAGS = [f"<{name}>" for name in NAMES] + [f"</{name}>" for name in NAMES]
MARKUP = st.lists(
    st.sampled_from([*TAGS, "&amp;", "&x;", "&", "<", "]]>", "<![CDATA[", "<!--", "text", "\n", "\0", "é"])
)
KEYS = (
    "id paperId DOI title abstract message message-type items results data paper summary upvotes categories "
    "authors_parsed versions abstract_inverted_index authorships QUESTION CONTEXTS LABELS externalIds author issued "
    "error"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("https://openalex.org/W1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)


def results(data: str) -> list[Abstract | Rejected]:
    found = read(Source("a", data=data.encode("utf-8", "replace")))
    return [normalise(each) if isinstance(each, RawRecord) else each for each in found]


@settings(deadline=None, max_examples=120)
@given(st.sampled_from(["<PubmedArticleSet>", "<article><article-meta>", "<OAI-PMH>", "<collection><volume>"]), MARKUP)
def test_any_markup_is_read_or_rejected(root: str, markup: list[str]) -> None:
    assert results(root + "".join(markup)) != []


@settings(deadline=None, max_examples=120)
@given(st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1), st.sampled_from([None, 1]))
def test_any_json_is_read_or_rejected(value: dict[str, object], indent: int | None) -> None:
    assert results(json.dumps(value, indent=indent)) != []
    assert results(json.dumps([value, value], indent=indent)) != []


def test_cord_19_s_table_is_read() -> None:
    names = "cord_uid,sha,source_x,title,doi,pmcid,pubmed_id,license,abstract,publish_time,authors,journal,arxiv_id,url"
    row = ["ug7v899j", "d1aafb", "PMC", "Herons wade", "10.1186/1471-2334-1-6", "PMC35282", "11472636", "no-cc"]
    row += ["Herons wade slowly.", "2001-07-04", "Lum, Ada; Chen, Wei", "BMC Birds", "", "https://herons.org/1"]
    out = io.StringIO()
    csv.writer(out).writerows([names.split(","), row])
    [found] = results(out.getvalue())
    assert isinstance(found, Abstract)
    assert (found.id, found.year, found.venue) == ("doi:10.1186/1471-2334-1-6", 2001, "BMC Birds")
    assert found.authors == ("Lum, Ada", "Chen, Wei")
    assert {"pmid:11472636", "file:ug7v899j"} <= set(found.aliases)
