"""Identifiers of papers, each in one spelling: DOI, arXiv id, PMID.

DOI: https://www.doi.org/doi-handbook/HTML/index.html (case-insensitive, "10." and a registrant's number).
arXiv: https://info.arxiv.org/help/arxiv_identifier.html (YYMM.NNNN to 1412, YYMM.NNNNN since 1501; before 0704
archive/YYMMNNN, where a subject class may follow the archive's name and does not count).
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

DOI = re.compile(r"10\.\d{4,9}/\S+")
DOI_PREFIX = re.compile(r"\A((https?://)?(dx\.|www\.)?doi\.org/|doi\s*:\s*)+", re.IGNORECASE)
DOI_URL = re.compile(r"https?://(dx\.|www\.)?doi\.org/(10\.\S+)", re.IGNORECASE)
TRAILING = ".,;:\"'”’>…"
CLOSERS = {")": "(", "]": "[", "}": "{"}
ARXIV_NEW = r"(?P<month>\d\d(?:0[1-9]|1[0-2]))\.(?P<number>\d{4,5})"
ARXIV_OLD = r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[a-z-]{2,})?/(?P<old>\d\d(?:0[1-9]|1[0-2])\d{3})"
ARXIV = re.compile(rf"(?:{ARXIV_NEW}|{ARXIV_OLD})(?:v\d+)?", re.IGNORECASE)
ARXIV_PREFIX = re.compile(r"\s*arxiv\s*:\s*", re.IGNORECASE)
ARXIV_URL = re.compile(r"arxiv\.org/(?:abs|pdf|html|e-print|format)/(\S+)", re.IGNORECASE)
ARXIV_DOI = "10.48550/arxiv."
FIVE_DIGITS_SINCE = 1501
PMID = re.compile(r"(?:pmid\s*:?\s*)?0*([1-9]\d{0,8})(?:\.0)?", re.IGNORECASE)
PMID_URL = re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,9})\b", re.IGNORECASE)


def doi(value: str) -> str | None:
    """The DOI that `value` is, in lower case, without `https://doi.org/`, `doi:` or punctuation behind it."""
    bare = DOI_PREFIX.sub("", unquote(value.strip()), count=1).strip()
    match = DOI.match(bare)
    found = without_trailing_punctuation(match.group().lower()) if match else ""
    return found if DOI.fullmatch(found) else None


def doi_in_url(url: str) -> str | None:
    """The DOI that a doi.org address leads to."""
    match = DOI_URL.search(url)
    return doi(match[2].partition("?")[0]) if match else None


def without_trailing_punctuation(text: str) -> str:
    """`text` without punctuation at its end; a closing bracket stays where it closes one of the text's own."""
    while text:
        last = text[-1]
        unpaired = last in CLOSERS and text.count(last) > text.count(CLOSERS[last])
        closes_tag = last == ">" and text.count("<") >= text.count(">")
        if closes_tag or not (unpaired or last in TRAILING):
            break
        text = text[:-1]
    return text


def arxiv(value: str) -> str | None:
    """The arXiv id that all of `value` is (`arXiv:` before it, a subject in brackets behind it), without version."""
    bare = ARXIV_PREFIX.sub("", value, count=1).partition("[")[0].strip()
    match = ARXIV.fullmatch(bare)
    if match is None:
        return None
    if match["archive"]:
        return f"{match['archive'].lower()}/{match['old']}"
    digits = 5 if int(match["month"]) >= FIVE_DIGITS_SINCE else 4
    return f"{match['month']}.{match['number']}" if len(match["number"]) == digits else None


def arxiv_number(value: str | float) -> str | None:
    """As `arxiv`, of a field that holds arXiv ids: zeros that a spreadsheet or JSON took from the end are put back."""
    text = str(value).strip()
    month, point, number = text.partition(".")
    if point and month.isdecimal() and number.isdecimal():
        digits = 5 if int(month) >= FIVE_DIGITS_SINCE else 4
        text = f"{month.zfill(4)}.{number.ljust(digits, '0')}"
    return arxiv(text) or arxiv_in_url(text)


def arxiv_in_url(url: str) -> str | None:
    """The arXiv id in an address of arxiv.org."""
    match = ARXIV_URL.search(url)
    if match is None:
        return None
    path = re.split(r"[?#]", match[1])[0].rstrip("/.,;)")
    return arxiv(path.removesuffix(".pdf"))


def arxiv_of_doi(name: str) -> str | None:
    """The arXiv id inside a DOI that arXiv itself gave (10.48550/arXiv.ID)."""
    return arxiv(name.removeprefix(ARXIV_DOI)) if name.startswith(ARXIV_DOI) else None


def pmid(value: str | float) -> str | None:
    """The PubMed number that `value` is; 0 means none."""
    match = PMID.fullmatch(str(value).strip())
    return match[1] if match else None


def pmid_in_url(url: str) -> str | None:
    """The PubMed number in an address of PubMed."""
    match = PMID_URL.search(url)
    return pmid(match[1]) if match else None


def address(identifier: str) -> str | None:
    """Where the paper with this `doi:`, `arxiv:` or `pmid:` identifier is found."""
    kind, _, value = identifier.partition(":")
    places = {
        "doi": "https://doi.org/",
        "arxiv": "https://arxiv.org/abs/",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    }
    return places[kind] + quote(value, safe="/():;.-_") if kind in places else None
