"""The two-letter field tags of Web of Science, in its tagged text and as columns of its tables.

Tags: https://webofscience.help.clarivate.com/en-us/Content/wos-core-collection/woscc-field-tags.htm (export).
"""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS = {
    "TI": "title",
    "AB": "abstract",
    "AF": "authors",
    "AU": "author",
    "PY": "year",
    "DI": "doi",
    "PM": "pmid",
    "SO": "venue",
    "DE": "keywords",
    "LA": "language",
    "UT": "key",
}
"""What the columns of a table mean; ID, which elsewhere names a record, are keywords made by Clarivate."""


def renamed(columns: Sequence[str]) -> list[str]:
    """The columns of a table under their usual names, where they are Web of Science's tags."""
    if not {"PT", "TI", "AU"} <= set(columns):
        return list(columns)
    return [COLUMNS.get(name, f"wos {name}") for name in columns]


def retraction(kind: str | None) -> bool | None:
    """True where the document type says that a paper is retracted."""
    return True if "retracted" in (kind or "").lower() else None
