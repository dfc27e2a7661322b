"""Which encoding a file's bytes are in.

A byte order mark decides; else UTF-8 unless most of its non-ASCII sequences are broken; else a legacy encoding.
A few broken bytes in a UTF-8 file therefore stay a few U+FFFD and never turn the rest into other letters.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO

HEAD_BYTES = 262_144
CHUNK_BYTES = 1_048_576
SAMPLE_BYTES = 32_768

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LEGACY = (
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
)
DOCUMENT_MARKS = (b"%PDF-", b"{\\rtf")
CONTROLS = bytes(set(range(32)) - {*b"\t\n\v\f\r\x1b"})
CONTROL_SHARE = 0.01
BROKEN = re.compile("[\udc80-\udcff]")
NON_ASCII_RUN = re.compile(rb"[\x80-\xff]+")


def encoding_of(stream: BinaryIO) -> str | None:
    """The name of the codec that reads `stream` (at its start, seekable), or None for what is not text.

    A file without a byte order mark is read once to its end, in pieces.
    """
    head = stream.read(HEAD_BYTES)
    for mark, encoding in BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    unmarked = unmarked_utf16(head)
    if unmarked or is_binary(head):
        return unmarked
    stream.seek(0)
    valid, broken, sample = utf8_sequences(stream)
    return "utf-8" if broken == 0 or valid > broken else legacy_encoding(sample)


def is_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are no text: control characters, or a document in a wrapping of its own."""
    controls = len(head) - len(head.translate(None, CONTROLS))
    return head.startswith(DOCUMENT_MARKS) or controls > CONTROL_SHARE * len(head)


def unmarked_utf16(head: bytes) -> str | None:
    """UTF-16 of a Latin-script text without a mark: every other byte is zero."""
    even, odd = head[0::2], head[1::2]
    half = max(len(odd), 1)
    shares = even.count(0) / half, odd.count(0) / half
    if max(shares) < 0.5 or min(shares) > 0.05:
        return None
    encoding = "utf-16-le" if shares[1] > shares[0] else "utf-16-be"
    text = head.decode(encoding, "replace")
    return encoding if sum(map(str.isspace, text)) > CONTROL_SHARE * len(text) else None


def utf8_sequences(stream: BinaryIO) -> tuple[int, int, bytes]:
    """How many non-ASCII characters are right UTF-8, how many bytes are not, and pieces of the text around those."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    valid = broken = 0
    sample = bytearray()
    for chunk in chunks(stream):
        if chunk.isascii() and decoder.getstate()[0] == b"":
            continue
        text = decoder.decode(chunk, final=not chunk)
        bad = len(BROKEN.findall(text))
        valid += len(text) - len(text.encode("ascii", "ignore")) - bad
        broken += bad
        if bad and len(sample) < SAMPLE_BYTES:
            sample += b"".join(line for line in chunk.splitlines(keepends=True) if not line.isascii())[:SAMPLE_BYTES]
    return valid, broken, bytes(sample)


def chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The stream in pieces; the last is empty, so that a decoder can be closed."""
    while chunk := stream.read(CHUNK_BYTES):
        yield chunk
    yield b""


def legacy_encoding(sample: bytes) -> str:
    """The likeliest encoding of text that is not Unicode; Windows-1252 where nothing speaks for another.

    Few and lonely non-ASCII bytes are Western typography (dashes, quotes, a name); no statistics can be built on
    them. cp1252 also wins over cp1250, its neighbour, when both can read the text.
    """
    from charset_normalizer import from_bytes

    runs = NON_ASCII_RUN.findall(sample)
    if max(map(len, runs), default=0) < 3 and sum(map(len, runs)) < 0.02 * len(sample):
        return western(sample)
    matches = from_bytes(sample, cp_isolation=list(LEGACY))
    best = matches.best()
    names = {match.encoding for match in matches}
    if best is None or (best.encoding == "cp1250" and "cp1252" in names.union(best.could_be_from_charset)):
        return western(sample)
    return best.encoding


def western(sample: bytes) -> str:
    """cp1252, or latin-1 for bytes that cp1252 leaves undefined."""
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"
