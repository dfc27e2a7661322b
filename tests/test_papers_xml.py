"""JATS, arXiv, OAI-PMH, DBLP and the ACL Anthology, by their public schemas."""

from __future__ import annotations

import pytest

from ingest.records import Rejected
from rag.types import Abstract
from tests.test_xml import abstracts, only

JATS = """<?xml version="1.0"?>
<pmc-articleset><article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML"
 xml:lang="en" article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Heron Journal</journal-title></journal-title-group></journal-meta>
<article-meta><article-id pub-id-type="pmid">77</article-id><article-id pub-id-type="pmc">123</article-id>
<article-id pub-id-type="doi">10.1234/heron</article-id>
<title-group><article-title>Herons <italic>wade</italic></article-title>
<subtitle>A study</subtitle></title-group>
<contrib-group>
<contrib contrib-type="author"><name><surname>Lum</surname><given-names>Ada</given-names></name></contrib>
<contrib contrib-type="editor"><name><surname>No</surname></name></contrib>
<contrib contrib-type="author"><collab>The Heron Group</collab></contrib></contrib-group>
<pub-date pub-type="ppub"><year>2022</year></pub-date><pub-date pub-type="epub"><year>2021</year></pub-date>
{related}
<abstract abstract-type="graphical"><p>A picture.</p></abstract>
<abstract><title>Abstract</title><sec><title>Aims</title><p>To see 10<sup>3</sup> herons: <inline-formula><alternatives>
<tex-math>\\documentclass{{x}}\\begin{{document}}$$x^2$$\\end{{document}}</tex-math><mml:math><mml:msup><mml:mi>x</mml:mi>
<mml:mn>2</mml:mn></mml:msup></mml:math></alternatives></inline-formula>.</p></sec>
<sec><title>Results.</title><p>We saw <bold>them</bold>.</p><p>Twice.</p></sec></abstract>
<trans-abstract xml:lang="fr"><p>Les hérons.</p></trans-abstract>
<kwd-group><kwd>birds</kwd><kwd>rivers</kwd></kwd-group></article-meta></front>
<body><sec><title>Intro</title><p>Body text.</p></sec></body></article></pmc-articleset>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">{}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2101.00001v3</id><published>2021-01-01T00:00:00Z</published>
<title>Herons\n  wade</title><summary>  Herons wade\nslowly.  </summary><author><name>Ada Lum</name></author>
<arxiv:comment>12 pages</arxiv:comment><arxiv:doi>10.1234/heron</arxiv:doi><category term="q-bio.PE"/></entry>"""
OAI = """<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{}</OAI-PMH>"""
OAI_ARXIV = """<ListRecords><record><header><identifier>oai:arXiv.org:0704.0001</identifier></header><metadata>
<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>0704.0001</id><created>2007-04-02</created><updated>2008-11-26</updated>
<authors><author><keyname>Lum</keyname><forenames>Ada</forenames></author></authors><title>Herons wade</title>
<categories>q-bio.PE stat.AP</categories><comments>Withdrawn by the author</comments>
<abstract>  Herons wade\n slowly. </abstract></arXiv></metadata></record>
<record><header status="deleted"><identifier>oai:arXiv.org:0704.0002</identifier></header></record></ListRecords>"""
OAI_DC = """<ListRecords><record><header/><metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Herons wade</dc:title><dc:creator>Lum, Ada</dc:creator>
<dc:description>Comment: 12 pages</dc:description><dc:description>Herons wade slowly in rivers.</dc:description>
<dc:date>2021-05-01</dc:date><dc:date>2020-01-01</dc:date>
<dc:identifier>http://arxiv.org/abs/2101.00001</dc:identifier>
<dc:identifier>doi:10.1234/heron</dc:identifier><dc:language>en</dc:language>
</oai_dc:dc></metadata></record></ListRecords>"""
DBLP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp><article key="journals/h/Lum21" mdate="2021-01-01"><author>J&ouml;rg M&uuml;ller 0001</author>
<author>Ada Lum</author>
<title>Herons <i>wade</i> &amp; hunt: H<sub>2</sub>O.</title><year>2021</year><journal>Heron J.</journal>
<ee type="oa">https://doi.org/10.1234/HERON</ee></article>
<www key="homepages/m/Mueller"><author>J&ouml;rg M&uuml;ller 0001</author></www>
<inproceedings key="conf/h/X"><author>Wei Chen</author><title>No. 2.</title><booktitle>HERON</booktitle>
</inproceedings></dblp>"""
ACL = """<?xml version='1.0' encoding='UTF-8'?><collection id="{}"><volume id="1">
<meta><booktitle>Proceedings</booktitle>
<year>2018</year></meta><frontmatter><url>x</url></frontmatter>
<paper id="1"><title>Deep <fixed-case>H</fixed-case>erons</title>
<author><first>Ada</first><last>Lum</last></author>
<abstract>We use ar<fixed-case>X</fixed-case>iv and <tex-math>x^2</tex-math>.</abstract><url>P18-1001</url></paper>
<paper id="2"><title>Two</title><abstract>More herons.</abstract>
<retracted date="2020-01-01">Data was wrong.</retracted>
</paper></volume></collection>"""


def jats(related: str = "") -> str:
    return JATS.format(related=related)


def test_jats_keeps_sections_formulas_and_parts() -> None:
    found = only(jats())
    assert found.text == "Aims: To see 10^3 herons: x^2. Results. We saw them. Twice."
    assert (found.id, found.title) == ("doi:10.1234/heron", "Herons wade: A study")
    assert (found.authors, found.year) == (("Ada Lum", "The Heron Group"), 2021)
    assert (found.venue, found.keywords) == ("Heron Journal", ("birds", "rivers"))
    assert (found.language, found.retracted) == ("en", None)
    assert {"pmid:77", "file:123"} <= set(found.aliases)


def test_jats_of_one_article_and_with_a_namespace_is_read() -> None:
    article = jats().partition("<pmc-articleset>")[2].partition("</pmc-articleset>")[0]
    assert only(article).text == only(jats()).text
    wrapped = f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><record><metadata>{article}</metadata></record></OAI-PMH>'
    assert (
        only(wrapped.replace("<article ", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ')).year == 2021
    )


def test_a_retraction_that_an_article_names_is_kept() -> None:
    related = '<related-article related-article-type="retraction-forward" xlink:href="10.1234/sorry"/>'
    assert only(jats(related)).retracted == "Retraction: 10.1234/sorry"


def test_an_entry_of_the_arxiv_api_is_read() -> None:
    found = only(ATOM.format(ENTRY))
    assert (found.id, found.title, found.text) == ("doi:10.1234/heron", "Herons wade", "Herons wade slowly.")
    assert (found.authors, found.year, found.retracted) == (("Ada Lum",), 2021, None)
    assert "arxiv:2101.00001" in found.aliases
    assert only(ATOM.format(ENTRY.replace("12 pages", "This paper has been withdrawn"))).retracted is not None


def test_an_error_of_the_arxiv_api_is_no_paper() -> None:
    error = "<entry><id>http://arxiv.org/api/errors#bad</id><title>Error</title><summary>incorrect id</summary></entry>"
    [rejected] = abstracts(ATOM.format(error))
    assert rejected == Rejected("a.xml:1", "is an error answer of arXiv, not a paper: incorrect id", records=0)


def test_an_empty_feed_holds_no_records() -> None:
    [rejected] = abstracts(ATOM.format("<title>arXiv Query</title>"))
    assert rejected == Rejected("a.xml", "holds no records (read as arXiv Atom)", records=0)


def test_arxiv_s_own_metadata_is_read_and_a_deleted_record_is_rejected() -> None:
    found, deleted = abstracts(OAI.format(OAI_ARXIV))
    assert isinstance(found, Abstract)
    assert (found.id, found.authors, found.year) == ("arxiv:0704.0001", ("Ada Lum",), 2007)
    assert (found.text, found.retracted) == ("Herons wade slowly.", "Withdrawn by the author")
    assert isinstance(deleted, Rejected)


def test_dublin_core_is_read() -> None:
    found = only(OAI.format(OAI_DC))
    assert (found.id, found.title, found.text) == ("doi:10.1234/heron", "Herons wade", "Herons wade slowly in rivers.")
    assert (found.authors, found.year, found.language) == (("Lum, Ada",), 2020, "en")


def test_an_error_of_oai_pmh_holds_no_records() -> None:
    [rejected] = abstracts(OAI.format('<error code="noRecordsMatch">Nothing.</error>'))
    assert isinstance(rejected, Rejected)
    assert (rejected.records, "noRecordsMatch" in rejected.reason) == (0, True)


def test_dblp_s_letters_need_no_dtd() -> None:
    found = abstracts(DBLP)
    assert [each.reason for each in found if isinstance(each, Rejected)] == ["no abstract"] * 2
    one, two = abstracts(DBLP, titles=True)
    assert isinstance(one, Abstract)
    assert (one.id, one.title) == ("doi:10.1234/heron", "Herons wade & hunt: H2O")
    assert (one.authors, one.venue, one.year) == (("Jörg Müller 0001", "Ada Lum"), "Heron J.", 2021)
    assert isinstance(two, Abstract)
    assert "file:conf/h/X" in two.aliases


@pytest.mark.parametrize(
    ("collection", "key"), [("P18", "P18-1001"), ("2020.sdp", "2020.sdp-1.1"), ("W18", "W18-0101")]
)
def test_an_anthology_s_papers_have_whole_words_and_their_volume_s_year(collection: str, key: str) -> None:
    one, two = abstracts(ACL.format(collection))
    assert isinstance(one, Abstract)
    assert (one.title, one.text) == ("Deep Herons", "We use arXiv and x^2.")
    assert f"file:{key}" in one.aliases
    assert isinstance(two, Abstract)
    assert (two.year, two.venue, two.retracted) == (2018, "Proceedings", "Data was wrong.")


def test_xml_of_another_kind_is_one_line() -> None:
    [rejected] = abstracts("<?xml version='1.0'?><invoice><total>3</total></invoice>")
    assert isinstance(rejected, Rejected)
    assert "its root is <invoice>" in rejected.reason
