"""Files damaged at random, the same for the same seed, and what readers make of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord, Rejected

MOST_FLIPS = 12
SIGNS = b"<>&;{}[]\"',:@#%\\\0\n\r\t \xff\xc3\x80"
"""Bytes that mean something to some format."""


@dataclass(slots=True)
class Damage:
    """What became of damaged files; `crashes` are their names with the error, `slowest` in seconds."""

    files: int = 0
    records: int = 0
    rejected: int = 0
    silent: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    slowest: float = 0.0


def mutated(samples: Sequence[tuple[str, bytes]], number: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """`number` damaged samples in turn, each with the name it is found by: cut, flipped, doubled or out of order."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    for count in range(number):
        name, data = samples[count % len(samples)]
        damage = chance.choice((_cut, _flipped, _flipped, _signed, _doubled, _dropped))
        yield f"{count}-{name}", damage(data, chance)


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, MOST_FLIPS) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _signed(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, MOST_FLIPS)):
        changed.insert(chance.randrange(len(changed) + 1), chance.choice(SIGNS))
    return bytes(changed)


def _piece(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.randrange(1 + len(data) // 4))


def _doubled(data: bytes, chance: random.Random) -> bytes:
    start, end = _piece(data, chance)
    return data[:end] + data[start:]


def _dropped(data: bytes, chance: random.Random) -> bytes:
    start, end = _piece(data, chance)
    return data[:start] + data[end:]


def readings(files: Iterator[tuple[str, bytes]], reading: Callable[[str], None] = lambda _: None) -> Damage:
    """Read every file to its end; `reading` is told its name before."""
    found = Damage()
    for name, data in files:
        reading(name)
        started = time.perf_counter()
        before = found.records + found.rejected
        try:
            _read(Source(name, data=data), found)
        except Exception as error:  # noqa: BLE001 - to count them is what this is for
            found.crashes.append(f"{name}: {type(error).__name__}: {error}")
        else:
            if found.records + found.rejected == before:
                found.silent.append(name)
        found.files += 1
        found.slowest = max(found.slowest, time.perf_counter() - started)
    return found


def _read(source: Source, found: Damage) -> None:
    for each in read(source):
        result = normalise(each) if isinstance(each, RawRecord) else each
        if isinstance(result, Rejected):
            found.rejected += 1
        else:
            found.records += 1
