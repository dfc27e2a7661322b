from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.merging.ledger import Ledger
from rag.catalogue import Catalogue
from rag.text.sentences import _STOP, _stops
from rag.types import Abstract

WORDS = "Sparse attention reads long documents with fewer operations than dense attention does on one machine".split()


def paper(number: int, title: int, text: int, alias: int, line: int) -> Abstract:
    body = " ".join(WORDS[text:] + WORDS[:text]) + "."
    names = (f"arxiv:2101.0000{alias}",) if alias else ()
    sources = (f"papers.jsonl:{line}",)
    heading = f"Reading long documents fast, part {title}" if title else None
    return Abstract(id=f"doi:10.1/{number}", text=body, raw=body, title=heading, aliases=names, sources=sources)


small = st.integers(0, 3)
records = st.lists(st.tuples(small, small, small, small), max_size=12)


def entered(home: Path, papers: list[Abstract], size: int | None) -> tuple[Any, ...]:
    """What entering gives and leaves behind; `size` records are foreseen at once, or none."""
    with closing(Catalogue(home, create=True)) as catalogue, catalogue.transaction() as connection:
        ledger = Ledger(catalogue)
        outcomes = []
        for start in range(0, len(papers), size or 1):
            batch = papers[start : start + (size or 1)]
            if size:
                ledger.foresee(batch)
            outcomes += [ledger.enter(each, "/papers.jsonl") for each in batch]
            ledger.store()
        connection.execute("INSERT INTO lexical (lexical, rank) VALUES ('integrity-check', 1)")
        tables = ("abstract", "alias", "source", "passage", "fingerprint", "temp.sighting")
        rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
        return outcomes, rows, list(ledger.doubts())


@given(records, st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_records_entered_in_batches_leave_what_records_entered_alone_leave(
    tmp_path_factory: Any, drawn: list[tuple[int, int, int, int]], size: int
) -> None:
    papers = [paper(*values, line) for line, values in enumerate(drawn, 1)]
    folder = tmp_path_factory.mktemp("shelf")

    assert entered(folder / "alone", papers, None) == entered(folder / "batches", papers, size)


@given(st.text(alphabet='aA1 .!?…。\n")('))
@settings(max_examples=200, deadline=None)
def test_stops_are_found_where_the_whole_pattern_finds_them(text: str) -> None:
    assert [stop.span() for stop in _STOP.finditer(text)] == [stop.span() for stop in _stops(text)]
