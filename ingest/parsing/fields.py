"""The names under which files keep the parts of a record.

A name is compared without case, spaces, underscores, hyphens and other signs: "Abstract Note" is `abstractnote`.
Where a record has several of a part's names, the one listed first counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

Part = Literal[
    "title",
    "abstract",
    "authors",
    "year",
    "doi",
    "arxiv",
    "pmid",
    "url",
    "venue",
    "keywords",
    "language",
    "retracted",
    "key",
]

NAMES: Mapping[Part, tuple[str, ...]] = {
    "title": (
        *("title", "articletitle", "papertitle", "documenttitle", "primarytitle", "ti"),
        *("titel", "titre", "titulo", "título", "titolo", "название", "标题", "题名", "題名", "タイトル"),
    ),
    "abstract": (
        *("abstract", "abstractnote", "abstracttext", "paperabstract", "summary", "text", "description", "ab"),
        *("zusammenfassung", "kurzfassung", "abstrakt", "résumé", "resume", "resumen", "resumo", "riassunto"),
        *("samenvatting", "аннотация", "реферат", "摘要", "抄録", "要旨", "초록"),
    ),
    "authors": (
        *("authors", "author", "authornames", "creators", "creator", "authorfullnames", "firstauthors", "au"),
        *("autoren", "autor", "autorinnen", "verfasser", "auteurs", "auteur", "autores", "autori", "autore"),
        *("авторы", "автор", "作者", "著者"),
    ),
    "year": (
        *("year", "publicationyear", "publishedyear", "pubyear", "date", "published", "publicationdate"),
        *("datepublished", "publisheddate", "pubdate", "publishedat", "publishtime", "coverdate", "issued", "py"),
        *("jahr", "erscheinungsjahr", "année", "annee", "año", "ano", "anno", "год", "年份", "年", "出版年"),
    ),
    "doi": ("doi", "articledoi", "doilink", "digitalobjectidentifier"),
    "arxiv": ("arxivid", "arxiv", "arxivnumber", "eprint"),
    "pmid": ("pmid", "pubmedid", "pubmed"),
    "url": (
        *("url", "link", "paperurl", "articleurl", "pdfurl", "htmlurl", "plink", "landingpageurl"),
        *("externalurl", "sourceurls", "urls", "links", "pdf", "pdflink"),
    ),
    "venue": (
        *("venue", "journal", "booktitle", "journaltitle", "journalname", "publicationtitle", "containertitle"),
        *("sourcetitle", "journalbook", "conference", "conferencename", "proceedings"),
        *("zeitschrift", "revue", "revista", "rivista", "журнал", "期刊"),
    ),
    "keywords": (
        *("keywords", "keyword", "authorkeywords", "tags", "manualtags", "indexkeywords", "subjects"),
        *("schlagwörter", "schlagworte", "schlüsselwörter", "stichwörter", "motsclés", "palabrasclave"),
        *("palavraschave", "parolechiave", "ключевыеслова", "关键词", "キーワード"),
    ),
    "language": (
        "language",
        "languageoforiginaldocument",
        "sprache",
        "langue",
        "idioma",
        "lingua",
        "languageofdocument",
        "languages",
        "lang",
        "la",
    ),
    "retracted": ("retracted", "isretracted", "retraction", "retractionnotice"),
    "key": ("id", "key", "uid", "citationkey", "citekey", "paperid", "recordid", "corduid"),
}
ACCEPTED_ABSTRACT_NAMES = "abstract, abstract note, summary, text or description"


_RANKS = {part: {name: rank for rank, name in enumerate(names)} for part, names in NAMES.items()}


def plain(name: object) -> str:
    """A field's name as it is compared: letters and digits only, without case."""
    return _plain(str(name))


@lru_cache(maxsize=4096)  # the same few names stand in every record of a file
def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def names_of(part: Part, names: Iterable[object]) -> list[object]:
    """Those of `names` that mean `part`, best first; of names that compare equal, the file's order."""
    order = _RANKS[part]
    return sorted((name for name in names if plain(name) in order), key=lambda name: order[plain(name)])


def known(names: Iterable[object]) -> int:
    """How many different parts `names` name."""
    compared = {plain(name) for name in names}
    return sum(not compared.isdisjoint(NAMES[part]) for part in NAMES)


def has(part: Part, names: Iterable[object]) -> bool:
    """Whether one of `names` means `part`."""
    return bool(names_of(part, names))


def named(fields: Mapping[str, Any], part: Part) -> Iterator[Any]:
    """The values of `part` in a record, empty ones too, best name first."""
    return (fields[name] for name in _fields_of(part, tuple(fields)))


@lru_cache(maxsize=4096)  # the records of a file have the same few sets of fields
def _fields_of(part: Part, fields: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(name) for name in names_of(part, fields))


def values(fields: Mapping[str, Any], part: Part) -> Iterator[Any]:
    """The values of `part` in a record that say something, best name first."""
    return (value for value in named(fields, part) if not is_empty(value))


def is_empty(value: Any) -> bool:
    """Whether a value says nothing: None, blank text, an empty collection, or NaN."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value in ([], {}, ()) or (isinstance(value, float) and value != value)
