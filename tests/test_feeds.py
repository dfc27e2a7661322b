from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from ingest import feeds
from ingest.command import ensure_read
from ingest.pipeline import Options, ingest
from ingest.records import RawRecord, Rejected
from ingest.report import Report
from ingest.web.access import Access
from ingest.web.client import Client, retry_after
from ingest.web.errors import FeedError
from ingest.web.reading import read as read_feed
from rag.catalogue import Catalogue
from rag.config import load_settings
from rag.errors import InputError
from tests import services
from tests.hashing import HashingEmbedder
from tests.shelf import settings_at
from tests.web import Answer, Asked, Reply, Site, as_json, in_turn, served

HTML = Reply(b"<!DOCTYPE html><html><title>Just a moment...</title></html>", 200, {"Content-Type": "text/html"})
KEY = "k3y-that-must-stay-secret"
KEYS = dict.fromkeys(("openalex", "pubmed", "semanticscholar", "zotero"), KEY)
REFUSED = "http://127.0.0.1:9"
"""Nobody listens there."""


def access(site: Site | None = None, waits: list[float] | None = None, **values: object) -> Access:
    """All services at one site; waits are noted, not waited."""
    url = site.url if site else REFUSED
    noted = waits if waits is not None else []
    return Access(bases=dict.fromkeys(feeds.services(), url), sleep=noted.append, **values)  # type: ignore[arg-type]


def read(
    name: str, site: Site | None = None, waits: list[float] | None = None, **values: object
) -> list[RawRecord | Rejected]:
    limit = values.pop("limit", None)
    home = values.pop("home", None)
    return list(read_feed(name, access(site, waits, **values), limit=limit, home=home))  # type: ignore[arg-type]


def fill(home: Path, site: Site, *names: str, **options: object) -> Report:
    given = Options(access=access(site, keys=KEYS), **options)  # type: ignore[arg-type]
    return ingest(names, settings_at(home), HashingEmbedder(), given)


def places(found: list[RawRecord | Rejected]) -> list[str]:
    return [record.where for record in found]


FEEDS: dict[str, Answer] = {
    "arxiv:all:sleep": services.arxiv(230),
    "pubmed:sleep": services.pubmed(430),
    "hf-papers:2026-01-05": services.hf_papers(230),
    "hf-papers:sleep": services.hf_papers(100),
    "zotero:groups/7": services.zotero(230),
    "openalex:sleep": services.openalex(230),
    "semanticscholar:sleep": services.semantic_scholar(230),
    "doi:10.1000/CASE.1": services.crossref,
}
"""A query to each service, over so many papers that it takes several pages where there are pages."""


@pytest.mark.parametrize("name", ["hf-papers:2026-01-05", "zotero:groups/7"])
def test_a_feed_brings_every_paper_and_again_brings_nothing_new(name: str, tmp_path: Path) -> None:
    with served(FEEDS[name]) as site:
        first = fill(tmp_path, site, name, limit=110)
        second = fill(tmp_path, site, name, limit=110)

    assert (first.read, first.new, first.rejected) == (110, 110, 0)
    assert (second.read, second.same, second.embedded) == (110, 110, 0)


@pytest.mark.parametrize("name", ["hf-papers:2026-01-05", "zotero:groups/7"])
def test_a_record_stands_at_the_feed_and_its_own_id(name: str, tmp_path: Path) -> None:
    with served(FEEDS[name]) as site:
        fill(tmp_path, site, name, limit=1)
    catalogue = Catalogue(tmp_path)
    (identity,) = catalogue.ids()
    abstract = catalogue.get(identity)
    catalogue.close()

    assert abstract is not None
    assert (abstract.sources, abstract.text) == ((f"{name}#{identity}",), services.words(0))
    assert (abstract.title, abstract.authors) == ("Paper 0", ("Ada Lum",))


@pytest.mark.parametrize("name", sorted(FEEDS))
def test_limit_is_how_many_records_a_feed_gives(name: str) -> None:
    with served(FEEDS[name]) as site:
        assert len(read(name, site, limit=1)) == 1
        assert len(site.asked) == (2 if name.startswith("pubmed") else 1)


EMPTY = {
    "arxiv": services.atom("<opensearch:totalResults>0</opensearch:totalResults>"),
    "pubmed": as_json({"esearchresult": {"count": "0", "idlist": []}}),
    "openalex": as_json({"meta": {"next_cursor": None}, "results": []}),
    "semanticscholar": as_json({"total": 0, "data": []}),
    "hf-papers": as_json([]),
    "zotero": as_json([]),
}


@pytest.mark.parametrize("name", sorted(set(FEEDS) - {"doi:10.1000/CASE.1"}))
def test_an_empty_page_is_asked_for_again_before_it_is_believed(name: str) -> None:  # arxiv.py#158, #43
    empty = EMPTY[name.partition(":")[0]]
    with served(in_turn(empty, FEEDS[name])) as site:
        assert len(read(name, site, limit=3)) == 3
    with served(in_turn(empty)) as site:
        (nothing,) = read(name, site)
        assert isinstance(nothing, Rejected)
        assert "has nothing for it" in nothing.reason
        assert len(site.asked) == 3


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(b"slow down", 429, {"Retry-After": "7"}),
        Reply(b"", 503),
        Reply(b'{"message": "try later"}', 500),
        HTML,
        Reply(b'[{"paper": {"id": "2601.00001"', cut=12),
        Reply(b'[{"paper": {"id": "2601.00001"'),
    ],
    ids=["429", "503", "500", "a web page", "a broken transfer", "half of a document"],
)
@pytest.mark.parametrize("name", sorted(FEEDS))
def test_what_passes_is_waited_for(name: str, trouble: Reply) -> None:  # arxiv.py#203
    waits: list[float] = []
    with served(in_turn(trouble, FEEDS[name])) as site:
        found = read(name, site, waits, limit=1)

    assert not any(isinstance(record, Rejected) for record in found)
    assert (7.0 in waits) == (trouble.status == 429)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (Reply(b"slow down", 429), "asks for fewer requests (HTTP 429): slow down"),
        (Reply(b"", 502), "has trouble (HTTP 502)"),
        (HTML, "sent a web page instead of data"),
        (Reply(b"[" + b" " * 99, cut=50), "broke off its answer"),
        (as_json({"message": "unknown field"}, 400), "did not accept the query (HTTP 400: unknown field)"),
        (as_json({"error": "who are you"}, 403), "refused access (HTTP 403: who are you)"),
    ],
    ids=["429", "502", "a web page", "a broken transfer", "400", "403"],
)
def test_what_does_not_pass_is_one_line_behind_what_came(trouble: Reply, said: str) -> None:
    good = services.zotero(230)
    with served(in_turn(good, trouble)) as site:
        *papers, problem = read("zotero:groups/7", site)

    assert len(papers) == 100
    assert isinstance(problem, Rejected)
    assert problem.where == "zotero:groups/7"
    assert problem.reason.startswith("stopped after 100 records: Zotero ")
    assert said in problem.reason
    assert "\n" not in problem.reason


def test_an_empty_page_in_the_middle_is_never_taken_for_the_end() -> None:  # arxiv.py#158, #43
    full, empty = services.arxiv(230), services.atom("<opensearch:totalResults>230</opensearch:totalResults>")
    with served(in_turn(full, empty, empty, full)) as site:
        assert len(read("arxiv:all:sleep", site)) == 230
    with served(in_turn(full, empty)) as site:
        *papers, problem = read("arxiv:all:sleep", site)

    assert len(papers) == 100
    assert isinstance(problem, Rejected)
    assert "an empty page at 100 of 230 papers again and again" in problem.reason


def test_a_page_shorter_than_asked_for_loses_nothing() -> None:
    with served(services.arxiv(95, most=30)) as site:
        found = read("arxiv:all:sleep", site)

    assert len(set(places(found))) == 95


@pytest.mark.parametrize("status", [200, 400])
def test_an_error_of_arxiv_is_said_and_is_no_paper(status: int) -> None:
    with served(in_turn(services.atom(services.ARXIV_ERROR, status))) as site:
        (problem,) = read("arxiv:id_list", site)

    assert isinstance(problem, Rejected)
    assert "incorrect id format for abc" in problem.reason


@pytest.mark.parametrize(("name", "reach"), [("arxiv:all:sleep", 30_000), ("pubmed:sleep", 9_999)])
def test_the_end_of_what_a_service_gives_is_told(name: str, reach: int, tmp_path: Path) -> None:
    last = reach - 1
    after = f"{last}:40000:1:MCID" if name.startswith("pubmed") else str(last)
    service = feeds.services()[name.partition(":")[0]]
    answer = services.pubmed(40_000) if name.startswith("pubmed") else services.arxiv(40_000)
    with served(answer) as site, Client(service, access(site)) as client:
        found = service.pages(client, "sleep", after, None)
        assert next(found).after is not None
        with pytest.raises(FeedError, match=f"only the first {reach:,} of 40,000"):
            next(found)


def test_an_error_of_pubmed_is_said() -> None:
    wrong = as_json({"esearchresult": {"ERROR": "Invalid db name specified: pubmd"}})
    expired = Reply(b"<eFetchResult><ERROR>Cannot retrieve history data</ERROR></eFetchResult>", 400)
    with served(in_turn(wrong)) as site:
        (refused,) = read("pubmed:sleep", site)
    with served(in_turn(services.pubmed(430), services.pubmed(430), expired)) as site:
        *articles, broken = read("pubmed:sleep", site)

    assert isinstance(refused, Rejected)
    assert "Invalid db name" in refused.reason
    assert len(articles) == 200
    assert isinstance(broken, Rejected)
    assert "Cannot retrieve history data" in broken.reason


def test_pubmed_is_told_the_key_and_whom_to_write_to_in_the_body(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), served(FEEDS["pubmed:sleep"]) as site:
        read("pubmed:sleep", site, keys=KEYS, contact="ada@example.org", limit=1)

    assert {"api_key": KEY, "email": "ada@example.org", "tool": "footnote"}.items() <= site.asked[1].form.items()
    assert [asked.query for asked in site.asked] == [{}, {}]
    assert KEY not in caplog.text


def test_a_wait_longer_than_people_have_ends_the_feed(tmp_path: Path) -> None:
    waits: list[float] = []
    with served(in_turn(Reply(b"", 429, {"Retry-After": "86400"}))) as site:
        (problem,) = read("openalex:sleep", site, waits)

    assert isinstance(problem, Rejected)
    assert "wait 86,400 seconds; then run the same command again" in problem.reason
    assert max(waits, default=0) < 1


def test_without_a_network_there_is_one_line() -> None:
    (problem,) = read("openalex:sleep")

    assert isinstance(problem, Rejected)
    assert problem.reason.startswith("OpenAlex cannot be reached at 127.0.0.1: ")
    assert "Is there a network?" in problem.reason


def test_retry_after_is_a_number_or_a_date() -> None:
    assert retry_after("120") == 120
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert (retry_after("soon"), retry_after(None), retry_after("-1")) == (None, None, None)


def test_requests_keep_the_services_pace_and_its_wish_for_rest() -> None:
    waits: list[float] = []
    page = services.zotero(230)
    with served(lambda asked: Reply(page(asked).body, 200, {"Total-Results": "230", "Backoff": "9"})) as site:
        read("zotero:groups/7", site, waits)

    assert len(waits) == 2
    assert all(8 < wait <= 9 for wait in waits)


# --- going on after an interruption ---


def stopped_after(name: str, site: Site, home: Path, records: int) -> None:
    """A run that is taken down in the middle: its generator is never finished."""
    found: Iterator[object] = read_feed(name, access(site), home=home)
    assert len(list(islice(found, records))) == records


@pytest.mark.parametrize("name", sorted(set(FEEDS) - {"doi:10.1000/CASE.1", "hf-papers:sleep"}))
def test_an_interrupted_feed_goes_on_behind_the_last_page_it_had(name: str, tmp_path: Path) -> None:
    with served(FEEDS[name]) as site:
        whole = read(name, site)
        pages = len(site.asked)
        site.asked.clear()
        stopped_after(name, site, tmp_path, len(whole) - 50)
        resumed = read(name, site, home=tmp_path)

        assert places(resumed) == places(whole)
        assert len(site.asked) == pages
    assert [*(tmp_path / "feeds").iterdir()] == []


def test_a_feed_that_broke_off_goes_on_when_it_is_run_again(tmp_path: Path) -> None:
    with served(in_turn(services.zotero(230), Reply(b"", 503))) as site:
        broken = fill(tmp_path, site, "zotero:groups/7")
    with served(services.zotero(120)) as site:
        whole = fill(tmp_path, site, "zotero:groups/7")

    assert (broken.new, broken.rejected) == (100, 1)
    with pytest.raises(InputError, match="zotero:groups/7 stopped after 100 records") as told:
        ensure_read(broken)  # what came is on the shelf, and a script sees that not all did
    assert "\n" not in str(told.value)
    ensure_read(whole)
    assert (whole.same, whole.new, whole.rejected) == (100, 20, 0)
    assert [asked.query["start"] for asked in site.asked] == ["100"]


def test_a_place_that_the_service_has_forgotten_is_not_asked_for_again(tmp_path: Path) -> None:
    with served(FEEDS["openalex:sleep"]) as site:
        stopped_after("openalex:sleep", site, tmp_path, 150)
    with served(in_turn(as_json({"message": "cursor is invalid"}, 400))) as site:
        *_, problem = read("openalex:sleep", site, home=tmp_path)
    assert isinstance(problem, Rejected)
    assert "cursor is invalid" in problem.reason
    with served(FEEDS["openalex:sleep"]) as site:
        assert len(read("openalex:sleep", site, home=tmp_path)) == 230


def test_a_damaged_page_is_fetched_again(tmp_path: Path) -> None:
    with served(FEEDS["zotero:groups/7"]) as site:
        stopped_after("zotero:groups/7", site, tmp_path, 150)
        (kept,) = (tmp_path / "feeds").glob("*/00000001.page")
        kept.write_bytes(b"")
        assert len(read("zotero:groups/7", site, home=tmp_path)) == 230


def test_a_dry_run_leaves_no_pages(tmp_path: Path) -> None:
    with served(FEEDS["zotero:groups/7"]) as site:
        report = fill(tmp_path / "home", site, "zotero:groups/7", dry_run=True, limit=9)

    assert report.new == 9
    assert not (tmp_path / "home").exists()


# --- keys, and where requests go ---


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [
        ("openalex:sleep", "authorization", f"Bearer {KEY}"),
        ("semanticscholar:sleep", "x-api-key", KEY),
        ("zotero:groups/7", "zotero-api-key", KEY),
    ],
)
def test_a_key_goes_to_its_own_service_in_a_header_and_into_no_address(
    name: str, header: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), served(FEEDS[name]) as site:
        read(name, site, keys=KEYS, limit=1)

    assert site.asked[0].headers[header] == value
    assert KEY not in f"{site.asked[0].path}{site.asked[0].query}"
    assert KEY not in caplog.text


@pytest.mark.parametrize("name", ["hf-papers:sleep", "doi:10.1000/CASE.1"])
def test_a_service_without_a_key_is_sent_none(name: str) -> None:
    with served(FEEDS[name]) as site:
        read(name, site, keys=KEYS)

    assert KEY not in str(site.asked)


def test_the_local_zotero_is_sent_no_key() -> None:
    with served(FEEDS["zotero:groups/7"]) as site:
        assert len(read("zotero:local", site, keys=KEYS, limit=1)) == 1

    assert (site.asked[0].path, KEY in str(site.asked)) == ("/users/0/items/top", False)


def test_a_redirect_to_another_host_is_not_followed_and_gets_no_key() -> None:
    with served(FEEDS["openalex:sleep"]) as other:
        there = other.url.replace("127.0.0.1", "localhost") + "/works"
        with served(in_turn(Reply(b"", 302, {"Location": there}))) as site:
            (problem,) = read("openalex:sleep", site, keys=KEYS)

    assert isinstance(problem, Rejected)
    assert "redirects to another address, http://localhost" in problem.reason
    assert other.asked == []


def test_a_redirect_on_the_same_host_is_followed_but_not_in_a_circle() -> None:
    def moved(asked: Asked) -> Reply:
        if asked.path == "/works":
            return Reply(b"", 301, {"Location": "/v2/works?cursor=*&per_page=1"})
        return FEEDS["openalex:sleep"](asked)

    with served(moved) as site:
        assert len(read("openalex:sleep", site, limit=1)) == 1
    with served(in_turn(Reply(b"", 302, {"Location": "/works"}))) as site:
        (problem,) = read("openalex:sleep", site)
        assert len(site.asked) == 5
    assert isinstance(problem, Rejected)
    assert "circle" in problem.reason


def test_a_key_that_a_service_repeats_is_not_shown() -> None:
    with served(in_turn(as_json({"error": f"key {KEY} is invalid"}, 403))) as site:
        (problem,) = read("openalex:sleep", site, keys=KEYS)

    assert isinstance(problem, Rejected)
    assert KEY not in problem.reason
    assert "OPENALEX_API_KEY" in problem.reason


def test_a_key_with_a_line_end_in_it_is_refused_unshown() -> None:
    (problem,) = read("openalex:sleep", keys={"openalex": f"{KEY}\nX: y"})

    assert isinstance(problem, Rejected)
    assert problem.reason.startswith("OPENALEX_API_KEY holds characters")
    assert KEY not in problem.reason


def test_settings_keep_keys_secret_and_hand_them_to_their_service() -> None:
    given = load_settings(None, openalex_api_key=KEY, contact="ada@example.org")

    assert Access.of(given).keys == {"openalex": KEY}
    assert KEY not in f"{given!r}{Access.of(given)!r}"


def test_the_user_agent_names_the_program_and_whom_to_write_to() -> None:
    with served(FEEDS["openalex:sleep"]) as site:
        read("openalex:sleep", site, contact="ada@example.org", limit=1)

    assert site.asked[0].headers["user-agent"] == "Footnote/0.1 (mailto:ada@example.org)"


def test_an_answer_without_end_is_cut_short() -> None:
    with served(in_turn(Reply(b"[" * 5000))) as site:
        (problem,) = read("openalex:sleep", site, largest_answer=4096)

    assert isinstance(problem, Rejected)
    assert "sent more than" in problem.reason


# --- queries ---


@pytest.mark.parametrize(
    ("name", "path", "sent"),
    [
        ("arxiv:cat:cs.CL AND ti:a", "/api/query", {"search_query": "cat:cs.CL AND ti:a"}),
        ("arxiv:2601.00001v2, math/0601001", "/api/query", {"id_list": "2601.00001v2,math/0601001"}),
        ("hf-papers:2026-01-05", "/api/daily_papers", {"date": "2026-01-05"}),
        ("hf-papers:2026-W02", "/api/daily_papers", {"week": "2026-W02"}),
        ("hf-papers:2026-01", "/api/daily_papers", {"month": "2026-01"}),
        ("hf-papers:pruned heads", "/api/papers/search", {"q": "pruned heads"}),
        ("openalex:a & b?", "/works", {"search": "a & b?"}),
        (
            "openalex:filter=publication_year:2024,type:article",
            "/works",
            {"filter": "publication_year:2024,type:article"},
        ),
        ("openalex:w123", "/works", {"filter": "openalex:W123"}),
        ("semanticscholar:a | b", "/graph/v1/paper/search", {"query": "a | b"}),
        ("zotero:users/12/collections/ABCD2345", "/users/12/collections/ABCD2345/items/top", {"start": "0"}),
    ],
)
def test_a_query_is_sent_as_the_service_wants_it(name: str, path: str, sent: dict[str, str]) -> None:
    with served(lambda asked: (services.zotero(1) if name.startswith("zotero") else FEEDS[_like(name)])(asked)) as site:
        read(name, site, limit=1)

    assert site.asked[0].path == path
    assert sent.items() <= site.asked[0].query.items()


def _like(name: str) -> str:
    return next(known for known in FEEDS if known.partition(":")[0] == name.partition(":")[0])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openalex:", "Write openalex:QUERY"),
        ("zotero:groups/../../keys", "names no Zotero library"),
        ("doi:nothing", "is no DOI"),
        ("doi:10.48550/arXiv.2601.00001", "Write arxiv:2601.00001"),
        ("doi:10.2000/missing", "HTTP 404: Resource not found"),
    ],
)
def test_a_query_that_cannot_be_is_one_line(name: str, said: str) -> None:
    with served(services.crossref) as site:
        (problem,) = read(name, site)

    assert isinstance(problem, Rejected)
    assert said in problem.reason


def test_a_doi_cannot_lead_out_of_the_works() -> None:
    with served(services.crossref) as site:
        read("doi:10.1000/../../members?x=1#y", site)

    assert [asked.path for asked in site.asked] == ["/works/10.1000%2F..%2F..%2Fmembers%3Fx%3D1%23y"]


def test_a_file_of_a_feeds_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "openalex:sleep").write_text("A text of a file about sleep and what it is good for in the end.")

    assert feeds.is_feed("openalex:snow")
    assert not feeds.is_feed("openalex:sleep")
    assert not feeds.is_feed("C:/papers.txt")


def test_prune_leaves_what_came_from_feeds(tmp_path: Path) -> None:
    with served(services.zotero(5)) as site:
        fill(tmp_path, site, "zotero:groups/7")
    with served(services.zotero(3)) as site:
        assert fill(tmp_path, site, "zotero:groups/7", prune=True).removed == 0
