"""The services of papers as their public documentation describes them, over papers of a test's own."""

from __future__ import annotations

from typing import Any

from tests.web import Answer, Asked, Reply, as_json

TOPICS = ("sleep", "radar", "glacier", "pollen", "quartz", "kernel", "lattice", "orbit", "tensor", "enzyme")


def words(n: int) -> str:
    """The abstract of the n-th paper, like no other."""
    one, two = TOPICS[n % 10], TOPICS[n // 10 % 10]
    return f"We study {one} and {two} in case {n}. The {one} of case {n} rose by {n} percent. Nothing else changed."


def hf_papers(number: int) -> Answer:
    """https://huggingface.co/api/daily_papers and /api/papers/search."""

    def answer(asked: Asked) -> Reply:
        size, page = int(asked.query.get("limit", 50)), int(asked.query.get("p", 0))
        some = range(number)[page * size : (page + 1) * size]
        papers = [
            {"id": f"2601.{n:05}", "title": f"Paper {n}", "summary": words(n), "authors": [{"name": "Ada Lum"}]}
            for n in some
        ]
        return as_json(
            [{"paper": {**p, "publishedAt": "2026-01-05T00:00:00.000Z"}, "title": p["title"]} for p in papers]
        )

    return answer


def zotero(number: int) -> Answer:
    """https://www.zotero.org/support/dev/web_api/v3."""

    def answer(asked: Asked) -> Reply:
        at, size = int(asked.query["start"]), int(asked.query["limit"])
        items: list[dict[str, Any]] = [
            {
                "key": f"KEY{n:05}",
                "version": 1,
                "library": {"type": "group", "id": 7, "name": "Shelf"},
                "meta": {"creatorSummary": "Lum"},
                "data": {
                    "key": f"KEY{n:05}",
                    "itemType": "journalArticle",
                    "title": f"Paper {n}",
                    "creators": [{"creatorType": "author", "firstName": "Ada", "lastName": "Lum"}],
                    "abstractNote": words(n),
                    "publicationTitle": "Journal of Cases",
                    "date": "2024-03",
                    "DOI": f"10.1000/case.{n}",
                    "tags": [{"tag": "case"}],
                },
            }
            for n in range(number)[at : at + size]
        ]
        return as_json(items, headers={"Total-Results": str(number)})

    return answer


def openalex(number: int) -> Answer:
    """https://developers.openalex.org: cursor paging, abstracts as inverted indexes."""

    def answer(asked: Asked) -> Reply:
        cursor, size = asked.query["cursor"], int(asked.query["per_page"])
        at = 0 if cursor == "*" else int(cursor)
        results = [
            {
                "id": f"https://openalex.org/W{n}",
                "doi": f"https://doi.org/10.1000/case.{n}",
                "title": f"Paper {n}",
                "publication_year": 2024,
                "authorships": [{"author": {"display_name": "Ada Lum"}}],
                "abstract_inverted_index": inverted(words(n)),
            }
            for n in range(number)[at : at + size]
        ]
        after = str(at + size) if results else None
        return as_json({"meta": {"count": number, "per_page": size, "next_cursor": after}, "results": results})

    return answer


def inverted(text: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for position, word in enumerate(text.split()):
        index.setdefault(word, []).append(position)
    return index


def semantic_scholar(number: int) -> Answer:
    """https://api.semanticscholar.org/api-docs/graph: paper/search by offset, paper/search/bulk by token."""

    def answer(asked: Asked) -> Reply:
        bulk = asked.path.endswith("/bulk")
        at = int(asked.query.get("token" if bulk else "offset", 0))
        size = 40 if bulk else int(asked.query["limit"])
        data = [
            {
                "paperId": f"{n:040x}",
                "externalIds": {"DOI": f"10.1000/case.{n}", "CorpusId": n},
                "title": f"Paper {n}",
                "abstract": words(n),
                "year": 2024,
                "authors": [{"authorId": "1", "name": "Ada Lum"}],
            }
            for n in range(number)[at : at + size]
        ]
        body: dict[str, Any] = {"total": number, "data": data}
        if at + size < number:
            body["token" if bulk else "next"] = str(at + size) if bulk else at + size
        return as_json(body)

    return answer


def crossref(asked: Asked) -> Reply:
    """https://api.crossref.org/works/DOI."""
    if "10.1000" not in asked.path:
        return Reply(b"Resource not found.", 404, {"Content-Type": "text/plain"})
    message = {
        "DOI": "10.1000/Case.1",
        "title": ["Paper 1"],
        "author": [{"given": "Ada", "family": "Lum", "sequence": "first"}],
        "abstract": f"<jats:p>{words(1)}</jats:p>",
        "container-title": ["Journal of Cases"],
        "issued": {"date-parts": [[2024, 3]]},
        "URL": "https://doi.org/10.1000/case.1",
    }
    return as_json({"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": message})


def arxiv(number: int, most: int = 100) -> Answer:
    """https://info.arxiv.org/help/api/user-manual.html; `most`: papers on a page, whatever is asked."""

    def answer(asked: Asked) -> Reply:
        at, size = int(asked.query["start"]), min(int(asked.query["max_results"]), most)
        entries = "".join(
            f"<entry><id>http://arxiv.org/abs/2601.{n:05}v1</id><title>Paper {n}</title><summary>{words(n)}</summary>"
            "<published>2026-01-05T00:00:00Z</published><author><name>Ada Lum</name></author></entry>"
            for n in range(number)[at : at + size]
        )
        return atom(f"<opensearch:totalResults>{number}</opensearch:totalResults>{entries}")

    return answer


def atom(inside: str, status: int = 200) -> Reply:
    feed = (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        f'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>arXiv Query</title>{inside}</feed>'
    )
    return Reply(feed.encode(), status, {"Content-Type": "application/atom+xml"})


ARXIV_ERROR = (
    "<opensearch:totalResults>1</opensearch:totalResults><entry><id>https://arxiv.org/api/errors#incorrect_id_format</id>"
    "<title>Error</title><summary>incorrect id format for abc</summary></entry>"
)


def pubmed(number: int) -> Answer:
    """https://www.ncbi.nlm.nih.gov/books/NBK25499/: esearch with history, efetch of PubMed's XML."""

    def answer(asked: Asked) -> Reply:
        if asked.path.endswith("esearch.fcgi"):
            result = {"count": str(number), "retmax": "0", "querykey": "1", "webenv": "MCID_5f", "idlist": []}
            return as_json({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})
        at, size = int(asked.form["retstart"]), int(asked.form["retmax"])
        articles = "".join(map(article, range(number)[at : at + size]))
        text = f'<?xml version="1.0" ?><PubmedArticleSet>{articles}</PubmedArticleSet>'
        return Reply(text.encode(), 200, {"Content-Type": "text/xml; charset=UTF-8"})

    return answer


def article(n: int) -> str:
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{40_000_000 + n}</PMID><Article>'
        "<Journal><JournalIssue><PubDate><Year>2024</Year></PubDate></JournalIssue><Title>Cases</Title></Journal>"
        f"<ArticleTitle>Paper {n}</ArticleTitle><Abstract><AbstractText>{words(n)}</AbstractText></Abstract>"
        "<AuthorList><Author><LastName>Lum</LastName><ForeName>Ada</ForeName></Author></AuthorList>"
        "</Article></MedlineCitation></PubmedArticle>"
    )
