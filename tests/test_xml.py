"""XML formats: inline markup keeps its text, sections their labels, and what is broken costs one record."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.normalise import normalise
from ingest.parsing import trees
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected
from rag.types import Abstract

PUBMED = """<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://dtd.nlm.nih.gov/x.dtd">
<PubmedArticleSet>{}</PubmedArticleSet>"""
ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article>
<Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue><Title>Journal of Herons</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>{before}<Abstract>{abstract}</Abstract>
<AuthorList><Author><LastName>Lum</LastName><ForeName>Ada B</ForeName><Suffix>Jr</Suffix></Author>
<Author><CollectiveName>The Heron Group</CollectiveName></Author></AuthorList><Language>eng</Language>{article}
</Article>{citation}</MedlineCitation></PubmedArticle>"""


def pubmed(**parts: str) -> str:
    """A PubMed file of one article with these parts."""
    defaults = {"pmid": "7", "date": "<Year>2020</Year>", "title": "T.", "before": "", "article": "", "citation": ""}
    return PUBMED.format(ARTICLE.format(**{**defaults, "abstract": section("Text."), **parts}))


def section(inner: str, attributes: str = "") -> str:
    return f"<AbstractText{attributes}>{inner}</AbstractText>"


def nested(kind: str, value: str) -> str:
    return f'<ArticleIdList><ArticleId IdType="{kind}">{value}</ArticleId></ArticleIdList>'


def abstracts(data: str | bytes, *, titles: bool = False) -> list[Abstract | Rejected]:
    """What becomes of each record of a file."""
    source = Source("a.xml", data=data.encode() if isinstance(data, str) else data)
    return [normalise(each, titles=titles) if isinstance(each, RawRecord) else each for each in read(source)]


def only(data: str | bytes) -> Abstract:
    """The one abstract of a file."""
    [found] = abstracts(data)
    assert isinstance(found, Abstract), found
    return found


# PubMed


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("at 5 kg m<sup>−2</sup> of <i>E. coli</i> here", "at 5 kg m−2 of E. coli here"),
        ("10<sup>3</sup> cells and CO<sub>2</sub>", "10^3 cells and CO2"),
        ("p &lt; 0.05 &amp; n &gt; 3", "p < 0.05 & n > 3"),
        ("<![CDATA[a < b and <i>c</i>]]>", "a < b and c"),
        ("<b>Bold <i>and <u>deep</u></i></b>, then more.", "Bold and deep, then more."),
        (
            'so <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn>'
            "</mml:msup><mml:mo>=</mml:mo><mml:mfrac><mml:mn>1</mml:mn><mml:mn>4</mml:mn></mml:mfrac></mml:math> holds",
            "so x^2=1/4 holds",
        ),
        ("before <!-- a remark -->after", "before after"),
    ],
)
def test_inline_markup_keeps_its_text(inner: str, text: str) -> None:  # metapub#22, pymed#23
    assert only(pubmed(abstract=section(inner))).text == text


def test_sections_keep_their_labels() -> None:  # andybrandt/mcp-simple-pubmed PR#9
    inner = section("We ask.", ' Label="BACKGROUND" NlmCategory="BACKGROUND"') + section(
        "It is <i>so</i>.", ' Label="RESULTS:"'
    )
    inner += section("RESULTS: Again.", ' Label="Results"') + section("End.", ' Label="UNLABELLED"')
    assert only(pubmed(abstract=inner)).text == "BACKGROUND: We ask. RESULTS: It is so. RESULTS: Again. End."


def test_the_parts_of_an_article_are_kept() -> None:
    found = only(
        pubmed(
            title="Herons <i>wade</i> in CO(2).",
            before='<ELocationID EIdType="pii">X1</ELocationID>'
            '<ELocationID EIdType="doi" ValidYN="Y">10.1234/ab</ELocationID>',
            citation="<KeywordList><Keyword>birds</Keyword></KeywordList><MeshHeadingList><MeshHeading><DescriptorName>"
            "Wetlands</DescriptorName></MeshHeading></MeshHeadingList>",
        )
    )
    assert (found.id, found.title, found.year) == ("doi:10.1234/ab", "Herons wade in CO(2).", 2020)
    assert (found.authors, found.venue) == (("Ada B Lum Jr", "The Heron Group"), "Journal of Herons")
    assert (found.keywords, found.language, found.retracted) == (("birds", "Wetlands"), "eng", None)
    assert "pmid:7" in found.aliases
    assert found.sources == ("a.xml:3",)


def test_the_doi_of_a_reference_is_not_the_article_s() -> None:
    own, cited = nested("pubmed", "7"), nested("doi", "10.1234/no")
    data = (
        f"<PubmedData><ReferenceList><Reference>{cited}</Reference></ReferenceList>{own}</PubmedData></PubmedArticle>"
    )
    assert only(pubmed().replace("</PubmedArticle>", data)).id == "pmid:7"


@pytest.mark.parametrize(
    ("date", "year"),
    [("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998), ("<Year>2021</Year><Month>May</Month>", 2021), ("", None)],
)
def test_the_year_of_a_medline_date_is_its_first(date: str, year: int | None) -> None:
    assert only(pubmed(date=date)).year == year


def test_a_title_in_another_language_stands_in() -> None:
    article = "<VernacularTitle>Über Reiher</VernacularTitle>"
    assert only(pubmed(title="[Not Available].", article=article)).title == "Über Reiher"


def test_another_abstract_stands_in_english_first() -> None:
    other = '<OtherAbstract Type="Publisher" Language="{}"><AbstractText>{}</AbstractText></OtherAbstract>'
    citation = other.format("spa", "Resumen.") + other.format("eng", "Summary.")
    assert only(pubmed(abstract="", citation=citation)).text == "Summary."


def test_a_retraction_is_kept_with_its_notice() -> None:
    source = "<RefSource>Heart. 2021;7:1</RefSource>"
    note = f'<CommentsCorrections RefType="RetractionIn">{source}</CommentsCorrections>'
    note = f"<CommentsCorrectionsList>{note}</CommentsCorrectionsList>"
    kind = "<PublicationTypeList><PublicationType>Retracted Publication</PublicationType></PublicationTypeList>"
    assert only(pubmed(citation=note)).retracted == "Retraction in: Heart. 2021;7:1"
    assert only(pubmed(article=kind)).retracted == "retracted"


def test_a_book_chapter_is_read() -> None:
    found = only(
        PUBMED.format(
            "<PubmedBookArticle><BookDocument><PMID>9</PMID>"
            "<Book><BookTitle>Heron Book</BookTitle><PubDate><Year>2012</Year></PubDate></Book>"
            "<ArticleTitle>Heron nests</ArticleTitle>"
            "<AuthorList><Author><LastName>Lum</LastName></Author></AuthorList>"
            "<Abstract><AbstractText>Nests are high.</AbstractText></Abstract></BookDocument>"
            "</PubmedBookArticle>"
        )
    )
    assert (found.id, found.title, found.venue) == ("pmid:9", "Heron nests", "Heron Book")
    assert (found.year, found.authors, found.text) == (2012, ("Lum",), "Nests are high.")


def test_an_article_without_abstract_is_rejected_with_its_line() -> None:
    assert abstracts(pubmed(abstract="")) == [Rejected("a.xml:3", "no abstract")]


# What is broken


def articles(*inner: str) -> str:
    return "\n".join(
        ARTICLE.format(pmid=n, date="", title="T", before="", abstract=section(each), article="", citation="")
        for n, each in enumerate(inner, 1)
    )


def test_a_tag_that_does_not_close_costs_one_record() -> None:
    found = abstracts(PUBMED.format(articles("One.", "Two <i>.", "Three.", "Four.")))
    assert [each.text for each in found if isinstance(each, Abstract)] == ["One.", "Three.", "Four."]
    assert [each.where for each in found if isinstance(each, Rejected)] == ["a.xml:9"]


def test_a_file_that_ends_early_costs_its_last_record() -> None:
    whole = PUBMED.format(articles("One.", "Two.", "Three."))
    found = abstracts(whole[: whole.index("Three")])
    assert [isinstance(each, Abstract) for each in found] == [True, True, False]


@pytest.mark.parametrize("inner", ["One \x0b.", "One &nosuch; entity.", "One &uuml;ber.", "One & two."])
def test_a_stray_sign_costs_no_record(inner: str) -> None:
    assert len([each for each in abstracts(PUBMED.format(articles(inner, "Two."))) if isinstance(each, Abstract)]) == 2


def test_documents_one_after_another_are_all_read() -> None:
    found = abstracts("\n\n".join(PUBMED.format(articles(each)) for each in ("One.", "Two.", "Three.")))
    assert [each.text for each in found if isinstance(each, Abstract)] == ["One.", "Two.", "Three."]
    assert [each.sources[0] for each in found if isinstance(each, Abstract)] == ["a.xml:3", "a.xml:12", "a.xml:21"]


def test_entities_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    doctype = (
        f'<!DOCTYPE PubmedArticleSet [<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    )
    data = f"<?xml version='1.0'?>{doctype}<PubmedArticleSet>{articles('One &s; two &b; three.')}</PubmedArticleSet>"
    text = only(data).text
    assert "hidden" not in text
    assert "aaaa" not in text


def test_what_was_read_of_a_tree_is_forgotten() -> None:
    data = PUBMED.format(articles(*["Text."] * 300)).encode()
    for found in trees.records(Source("a.xml", data=data), ("PubmedArticle",)):
        assert isinstance(found, trees.Found)
        parent = found.element.getparent()
        assert parent is not None
        assert parent.index(found.element) <= 1
