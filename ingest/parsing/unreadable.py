"""Files that are no exports, known by their first bytes, each with what to do instead."""

from __future__ import annotations

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
INSTEAD = "export the records from your reference manager or database as RIS, BibTeX, CSV or PubMed XML, and give that"
PDF = f"is a PDF (application/pdf); Footnote reads abstracts, not papers: {INSTEAD}"
OFFICE = (b"word/", b"application/vnd.oasis.opendocument.text", b"application/epub", b"ppt/")


def unreadable(head: bytes) -> tuple[str, int] | None:
    """Why a file with these first bytes is not read, and how many records it may hold; None for any other file."""
    if head.startswith(LFS_POINTER):
        return "is a Git LFS pointer, not the file itself: run `git lfs pull`", 0
    if b"%PDF-" in head[:1024]:
        return PDF, 1
    if head.startswith(b"SQLite format 3\0"):
        return f"is an SQLite database (application/vnd.sqlite3), such as Zotero's own: {INSTEAD}", 1
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")) and any(mark in head for mark in OFFICE):
        return "is a document of an office program; save it as plain text, one abstract a paragraph, and give that", 1
    return None
