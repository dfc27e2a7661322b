"""How fast files become abstracts, in what memory, and whether damaged ones are survived: ratios within one run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from ingest.merging.ledger import Ledger
from ingest.normalise import normalise
from ingest.parsing.source import Source
from ingest.readers import read
from ingest.records import RawRecord
from rag.bench.mutations import mutated, readings
from rag.catalogue import Catalogue
from rag.chunk import passages
from rag.shelving import add, put_sources
from rag.types import Abstract

PARSES, WRITES = 12, 3
"""Runs of what is timed; the fastest counts, and those compared take turns."""
ARTICLES = 1400
WRITTEN = 6000
BATCH = 256
SAMPLE_BYTES = 6_000
MEGABYTE = 1 << 20


def measure(data: Path, mutations: int, records: int, progress: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """A part at a time, each with its `name`; `data` holds `inputs` and the collections."""
    with tempfile.TemporaryDirectory(prefix="footnote-") as folder:
        progress("PubMed XML")
        yield {"name": "PubMed XML", **parsing(many_articles(data, Path(folder) / "many.xml"))}
        progress("catalogue")
        yield {"name": "catalogue", **writing(corpus(data), Path(folder))}
        progress("memory")
        yield {"name": "memory", **streaming(corpus(data), Path(folder), records)}
    progress("damaged files")
    yield {"name": "damaged files", **surviving(data, mutations)}


def many_articles(data: Path, file: Path) -> Path:
    """ARTICLES real articles in one file."""
    whole = (data / "inputs" / "pubmed_xml" / "update_mixed.xml").read_bytes()
    start, end = whole.index(b"<PubmedArticle>"), whole.rindex(b"</PubmedArticle>") + len(b"</PubmedArticle>")
    articles = whole[start:end]
    times = ARTICLES // articles.count(b"<PubmedArticle>")
    file.write_bytes(whole[:start] + (articles + b"\n") * times + whole[end:])
    return file


def parsing(file: Path) -> dict[str, Any]:
    """Articles a second with all fields read, and as a share of a bare lxml.etree.iterparse over the same file."""
    bare, full = _fastest(PARSES, lambda: _bare(file), lambda: sum(1 for _ in read(Source(file.name, file))))
    number = _bare(file)
    return {"records_per_second": round(number / full), "share_of_bare_iterparse": round(bare / full, 2)}


def _bare(file: Path) -> int:
    from lxml import etree

    number = 0
    for _, element in etree.iterparse(file, tag="PubmedArticle"):
        number += 1
        element.clear()
    return number


def _fastest(times: int, *actions: Callable[[], object]) -> list[float]:
    best = [float("inf")] * len(actions)
    for _ in range(times):
        for number, action in enumerate(actions):
            started = time.process_time()
            action()
            best[number] = min(best[number], time.process_time() - started)
    return best


def corpus(data: Path) -> Path:
    """Real abstracts as JSON Lines."""
    return data / "bench" / "scale_pubmed18k" / "corpus.jsonl"


def writing(file: Path, folder: Path) -> dict[str, Any]:
    """Records a second into catalogue and full-text index without embedding, beside the full-text index alone."""
    found = (normalise(each) for each in islice(read(Source(file.name, file)), WRITTEN) if isinstance(each, RawRecord))
    abstracts = [each for each in found if isinstance(each, Abstract)]
    cut = [passages(each) for each in abstracts]
    places = iter(range(10**6))

    def stored(write: Callable[[Catalogue, range], None]) -> None:
        catalogue = Catalogue(folder / f"shelf{next(places)}", create=True)
        for start in range(0, len(abstracts), BATCH):
            with catalogue.transaction():
                write(catalogue, range(start, min(start + BATCH, len(abstracts))))
        catalogue.close()

    def kept(catalogue: Catalogue, some: range) -> None:
        add(catalogue, [(abstracts[n], cut[n]) for n in some])
        for n in some:
            put_sources(catalogue, abstracts[n].id, [(str(file), abstracts[n].sources[0])])

    def indexed(catalogue: Catalogue, some: range) -> None:
        catalogue.connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS bare USING fts5 (text, tokenize = porter)")
        catalogue.connection.executemany("INSERT INTO bare VALUES (?)", [(abstracts[n].text,) for n in some])

    def entered() -> None:
        catalogue = Catalogue(folder / f"shelf{next(places)}", create=True)
        with catalogue.transaction():
            ledger = Ledger(catalogue)
            for start in range(0, len(abstracts), BATCH):
                some = abstracts[start : start + BATCH]
                ledger.foresee(some)
                for each in some:
                    ledger.enter(each, str(file))
                ledger.store()
        catalogue.close()

    written, bare, whole = _fastest(WRITES, lambda: stored(kept), lambda: stored(indexed), entered)
    return {
        "characters": round(sum(len(each.text) for each in abstracts) / len(abstracts)),
        "written_per_second": round(len(abstracts) / written),
        "bare_full_text_per_second": round(len(abstracts) / bare),
        "with_de_duplication_per_second": round(len(abstracts) / whole),
    }


COUNT = """
import resource, sys
from pathlib import Path
from ingest.readers import read
from ingest.parsing.source import Source
number = sum(1 for _ in read(Source("x", Path(sys.argv[1]))))
print(number, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
LAUNCHER = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
"""Small itself: a child's peak begins with its parent's."""


def streaming(file: Path, folder: Path, records: int) -> dict[str, Any]:
    """Peak memory in MB of reading `records` records, and a hundredth of them, in formats of each kind."""
    parts: dict[str, Any] = {"records": records}
    for name, write in WRITERS.items():
        peaks = [_peak(write(file, folder / f"{name}{number}", number), number) for number in (records // 100, records)]
        parts[name] = {"peak_mb": peaks[1], "peak_mb_of_a_hundredth": peaks[0]}
    return parts


def _peak(file: Path, number: int) -> int:
    command = [sys.executable, "-I", "-S", "-c", LAUNCHER, sys.executable, "-c", COUNT, str(file)]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()  # noqa: S603 - own code
    file.unlink()
    if int(output[0]) != number:
        raise RuntimeError(f"{file.name}: {output[0]} records of {number}")
    # In kilobytes on Linux, in bytes on macOS.
    return int(output[1]) // (1024 if sys.platform == "linux" else MEGABYTE)


def _texts(file: Path, number: int) -> Iterator[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return (str(json.loads(line)["text"]) for line in islice(cycle(lines), number))


def _lines(file: Path, out: Path, number: int) -> Path:
    with out.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps({"abstract": text}) + "\n" for text in _texts(file, number))
    return out


def _list(file: Path, out: Path, number: int) -> Path:
    with out.open("w", encoding="utf-8") as stream:
        stream.write('{"meta": {"count": 1}, "results": [')
        for count, text in enumerate(_texts(file, number)):
            stream.write(("," if count else "") + json.dumps({"title": "T", "abstract": text}))
        stream.write("]}")
    return out


def _xml(file: Path, out: Path, number: int) -> Path:
    from xml.sax.saxutils import escape

    with out.open("w", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>")
        stream.writelines(
            f"<PubmedArticle><MedlineCitation><Article><Abstract><AbstractText>{escape(text)}</AbstractText></Abstract>"
            "</Article></MedlineCitation></PubmedArticle>\n"
            for text in _texts(file, number)
        )
        stream.write("</PubmedArticleSet>")
    return out


def _table(file: Path, out: Path, number: int) -> Path:
    import csv

    with out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["title", "abstract"])
        writer.writerows(["T", text] for text in _texts(file, number))
    return out


def _tagged(file: Path, out: Path, number: int) -> Path:
    with out.open("w", encoding="utf-8") as stream:
        stream.writelines(f"TY  - JOUR\nAB  - {text}\nER  - \n\n" for text in _texts(file, number))
    return out


WRITERS: dict[str, Callable[[Path, Path, int], Path]] = {
    "JSON Lines": _lines,
    "one JSON object": _list,
    "PubMed XML": _xml,
    "CSV": _table,
    "RIS": _tagged,
}


def samples(data: Path) -> Sequence[tuple[str, bytes]]:
    """The beginnings of real files, one of each name, in every format."""
    files = sorted(file for file in (data / "inputs").rglob("*") if file.is_file() and file.parent.name != "questions")
    return [(file.name, file.read_bytes()[:SAMPLE_BYTES]) for file in files if file.name != "MANIFEST.md"]


def surviving(data: Path, mutations: int) -> dict[str, Any]:
    """What became of damaged files."""
    started = time.perf_counter()
    found = readings(mutated(samples(data), mutations))
    return {**asdict(found), "slowest": round(found.slowest, 2), "seconds": round(time.perf_counter() - started)}
