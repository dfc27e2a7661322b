"""Archives and compressed files opened: every file in them is a source of its own, also of archives in archives.

gzip, bzip2, xz, tar and zip are told by their content. What unpacks to more than RATIO times the size of the file it
came in (or FLOOR, where that is more) is a bomb or damaged, and is not read on.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, TypeVar, cast

from ingest.parsing.source import Source
from ingest.records import Rejected
from ingest.text.junk import is_junk

T = TypeVar("T")

RATIO = 100
FLOOR = 64 * 1024 * 1024
DEPTH = 4
MEMBERS = 100_000
IN_MEMORY = 4 * 1024 * 1024
BLOCK = 512
CHUNK = 262_144
OFFICE = ("[Content_Types].xml", "mimetype")
"""The first things in files of office programs and e-books, which are zip files but no archives."""
BROKEN = (EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, RuntimeError, NotImplementedError)
COMPRESSIONS: tuple[tuple[bytes, str, Callable[[BinaryIO], IO[bytes]]], ...] = (
    (b"\x1f\x8b", "application/gzip", lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream))),
    (b"BZh", "application/x-bzip2", lambda stream: bz2.BZ2File(stream)),
    (b"\xfd7zXZ\0", "application/x-xz", lzma.LZMAFile),
)


@dataclass(slots=True)
class _Budget:
    """Bytes that may still come out of one outermost file, and members."""

    bytes: int
    members: int = MEMBERS


class _Unpacked(io.RawIOBase):
    """Unpacked bytes that stop with OSError where they are damaged or more than `limit`."""

    def __init__(self, stream: IO[bytes], packed: BinaryIO, limit: int) -> None:
        self.stream = stream
        self.packed = packed
        self.limit = limit

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return _guarded(lambda: self.stream.seek(offset, whence))

    def tell(self) -> int:
        return self.stream.tell()

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override] # any writable buffer
        given = _guarded(lambda: self.stream.read(len(buffer)))
        if self.stream.tell() > self.limit:
            raise OSError(too_large())
        buffer[: len(given)] = given
        return len(given)

    def close(self) -> None:
        self.stream.close()
        self.packed.close()
        super().close()


def _guarded(action: Callable[[], T]) -> T:
    try:
        return action()
    except BROKEN as error:
        raise OSError(f"damaged ({error or 'it ends early'})") from error


def too_large() -> str:
    """Why a bomb is not read on."""
    return f"it unpacks to more than {RATIO} times its size"


def unpack(source: Source) -> Iterator[Source | Rejected]:
    """The files in `source`, itself where it is no archive. Raises OSError when it cannot be read.

    What is yielded can be read until the next is asked for. A member is named "archive/member".
    """
    with source.open() as stream:
        head = stream.read(BLOCK)
        size = stream.seek(0, io.SEEK_END) if _is_packed(head) else 0
    yield from _unpacked(source, _Budget(max(FLOOR, RATIO * size)), DEPTH)


def _is_packed(head: bytes) -> bool:
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06", *(mark for mark, _, _ in COMPRESSIONS))) or is_tar(head)


def is_tar(head: bytes) -> bool:
    """Whether a file begins with the header of a tar archive, whose checksum is right."""
    try:
        return len(head) >= BLOCK and bool(tarfile.TarInfo.frombuf(head[:BLOCK], "utf-8", "surrogateescape").name)
    except tarfile.HeaderError:
        return False


def _unpacked(source: Source, budget: _Budget, depth: int) -> Iterator[Source | Rejected]:
    with source.open() as stream:
        head = stream.read(BLOCK)
    kind = next(((name, opener) for mark, name, opener in COMPRESSIONS if head.startswith(mark)), None)
    if not _is_packed(head):
        yield source
    elif not depth:
        yield Rejected(source.name, "is packed too deep: archives in archives in archives")
    elif kind:
        yield from _decompressed(source, *kind, budget, depth)
    else:
        yield from _members(source, budget, depth, _tar if is_tar(head) else _zip)


def _decompressed(
    source: Source, kind: str, opener: Callable[[BinaryIO], IO[bytes]], budget: _Budget, depth: int
) -> Iterator[Source | Rejected]:
    def opened() -> BinaryIO:
        packed = source.open()
        return cast("BinaryIO", io.BufferedReader(_Unpacked(opener(packed), packed, budget.bytes), CHUNK))

    inner = Source(source.name, source.path, opener=opened)
    try:
        yield from _unpacked(inner, budget, depth - 1)
    except OSError as error:
        yield Rejected(source.name, f"cannot be unpacked ({kind}): {error}")


Members = Iterator[tuple[str, IO[bytes] | None]]


def _members(
    source: Source, budget: _Budget, depth: int, lister: Callable[[BinaryIO], Members | None]
) -> Iterator[Source | Rejected]:
    """The files in an archive; without a stream is one that cannot be opened."""
    with source.open() as stream, tempfile.TemporaryDirectory(prefix="footnote-") as folder:
        try:
            members = lister(stream)
            if members is None:
                yield source
                return
            for name, member in members:
                place = f"{source.name}/{name}"
                budget.members -= 1
                if budget.members < 0:
                    yield Rejected(source.name, f"holds more than {MEMBERS:,} files; the rest was not read")
                    return
                if member is None:
                    yield Rejected(place, "cannot be unpacked: it needs a password")
                    continue
                kept = _kept(member, place, Path(folder) / "member", budget)
                yield from [kept] if isinstance(kept, Rejected) else _unpacked(kept, budget, depth - 1)
        except BROKEN as error:
            yield Rejected(source.name, f"cannot be unpacked ({_mime(lister)}): {error or 'it ends early'}")


def _mime(lister: Callable[[BinaryIO], Members | None]) -> str:
    return "application/zip" if lister is _zip else "application/x-tar"


def _kept(member: IO[bytes], place: str, file: Path, budget: _Budget) -> Source | Rejected:
    """The member's bytes in memory, or in `file` where they are many."""
    try:
        start = member.read(IN_MEMORY)
        budget.bytes -= len(start)
        if len(start) < IN_MEMORY:
            return Source(place, data=start) if budget.bytes >= 0 else Rejected(place, f"not read: {too_large()}")
        with file.open("wb") as copy:
            copy.write(start)
            while budget.bytes >= 0 and (chunk := member.read(CHUNK)):
                budget.bytes -= len(chunk)
                copy.write(chunk)
    except BROKEN as error:
        return Rejected(place, f"cannot be unpacked: {error or 'it ends early'}")
    if budget.bytes < 0:
        return Rejected(place, f"not read: the archive is a bomb or damaged, {too_large()}")
    return Source(place, opener=lambda: file.open("rb"))


def _tar(stream: BinaryIO) -> Members:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for info in archive:
            if info.isfile() and not _is_hidden(info.name):
                member = archive.extractfile(info)
                if member is not None:
                    yield _printable(info.name), member


def _zip(stream: BinaryIO) -> Members | None:
    archive = zipfile.ZipFile(stream)
    names = archive.namelist()
    return None if names and any(name in OFFICE for name in names[:50]) else _zipped(archive)


def _zipped(archive: zipfile.ZipFile) -> Members:
    for info in archive.infolist():
        if info.is_dir() or _is_hidden(info.filename):
            continue
        if info.flag_bits & 1:
            yield _printable(info.filename), None
            continue
        with archive.open(info) as member:
            yield _printable(info.filename), member


def _is_hidden(name: str) -> bool:
    return any(is_junk(part) for part in name.split("/") if part not in ("", "."))


def _printable(name: str) -> str:
    text = name.encode("utf-8", "replace").decode()
    return "".join(character if character.isprintable() else "?" for character in text)
