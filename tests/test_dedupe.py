"""One paper from several sources is one abstract that knows them all; what only looks alike stays apart and is told."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.merging.likeness import overlap, title_key, titles_agree, words
from ingest.pipeline import DEFAULT, Options
from ingest.report import Report
from ingest.telling import told
from rag.catalogue import Catalogue
from rag.doctor import examine_stores
from tests.shelf import fill, open_shelf, write_lines
from tests.test_ingest import contents, counts

TITLE = "Plovers in the tidal flats of Jade Bay"
TEXT = (
    "Plovers feed on tidal flats. We counted 4,180 birds in two winters at 12 sites of the bay. "
    "Their number fell by 12% where dogs were walked, and did not change elsewhere. "
    "A fence of 300 metres brought them back within one season."
)
PUBLISHED = TEXT.replace("We counted", "In this study we counted").replace("brought", "has brought")
OTHER = (
    "Wheat rust spreads with warm wind. We photographed 800 fields in three summers and trained a small network. "
    "A drone finds infected plants two weeks before farmers see them, at a tenth of the cost of a walk."
)
PREPRINT = {"title": TITLE, "arxiv_id": "2101.00001v1", "authors": ["Ada Lum"], "year": 2021, "abstract": TEXT}
PAPER = {
    "title": TITLE.upper() + ".",
    "doi": "10.1000/plover",
    "authors": ["A. Lum", "W. Chen"],
    "year": 2022,
    "venue": "Birds",
    "abstract": PUBLISHED,
}


def shelf(tmp_path: Path, *files: list[dict[str, Any]], options: Options = DEFAULT) -> Report:
    """Each list of records as a file, all in one run."""
    paths = [write_lines(tmp_path / f"{number}.jsonl", records) for number, records in enumerate(files)]
    report = fill(tmp_path / "home", *paths, options=options)
    outcomes = report.new + report.changed + report.same + report.merged + report.rejected
    assert outcomes == report.read
    return report


def ids(tmp_path: Path) -> list[str]:
    return [abstract.id for abstract in contents(tmp_path / "home")[0]]


def test_preprint_and_published_version_are_one_abstract_that_remembers_both(tmp_path: Path) -> None:
    report = shelf(tmp_path, [PREPRINT], [PAPER])
    (abstract,) = contents(tmp_path / "home")[0]

    assert counts(report) == {"read": 2, "new": 1, "merged": 1}
    assert abstract.id == "arxiv:2101.00001"
    assert "doi:10.1000/plover" in abstract.aliases
    assert (f"{tmp_path}/0.jsonl:1", f"{tmp_path}/1.jsonl:1") == abstract.sources
    assert (abstract.text, abstract.year, abstract.venue) == (TEXT, 2021, "Birds")


def test_a_second_run_reports_the_same_merge_and_changes_nothing(tmp_path: Path) -> None:
    first = shelf(tmp_path, [PREPRINT], [PAPER])
    before = contents(tmp_path / "home")
    again = shelf(tmp_path, [PREPRINT], [PAPER])
    alone = fill(tmp_path / "home", tmp_path / "1.jsonl")

    assert counts(again) == {"read": 2, "same": 1, "merged": 1}
    assert counts(alone) == {"read": 1, "merged": 1}
    assert first.merges[0].where == again.merges[0].where == alone.merges[0].where
    assert (again.embedded, before) == (0, contents(tmp_path / "home"))


def test_the_order_of_files_does_not_decide_which_papers_there_are(tmp_path: Path) -> None:
    names: set[frozenset[str]] = set()
    for order in ([[PREPRINT], [PAPER]], [[PAPER], [PREPRINT]]):
        folder = tmp_path / str(len(names))
        folder.mkdir()
        shelf(folder, *order)
        (abstract,) = contents(folder / "home")[0]
        names.add(frozenset(n for n in (abstract.id, *abstract.aliases) if not n.startswith("sha-")))

    assert len(names) == 1


def test_no_merge_keeps_every_id_apart_and_a_later_run_may_join_them(tmp_path: Path) -> None:
    linked = {**PAPER, "arxiv_id": "2101.00001"}
    apart = shelf(tmp_path, [PREPRINT], [linked], options=Options(merge=False))
    assert counts(apart) == {"read": 2, "new": 2}
    assert ids(tmp_path) == ["arxiv:2101.00001", "doi:10.1000/plover"]

    joined = shelf(tmp_path, [PREPRINT], [linked])
    assert (joined.joined, joined.abstracts) == (1, 1)
    assert joined.passages == len(contents(tmp_path / "home")[1])


def test_versions_of_one_arxiv_paper_are_one(tmp_path: Path) -> None:
    report = shelf(tmp_path, [PREPRINT, {**PREPRINT, "arxiv_id": "2101.00001v3"}])

    assert counts(report) == {"read": 2, "new": 1, "same": 1}


def test_a_rewritten_abstract_with_a_shared_identifier_is_merged_and_another_text_is_a_conflict(tmp_path: Path) -> None:
    rewritten = {**PAPER, "arxiv_id": "2101.00001", "title": "Fences for plovers"}
    foreign = {**rewritten, "doi": "10.1000/supplement", "abstract": OTHER}
    report = shelf(tmp_path, [PREPRINT], [rewritten, foreign])

    assert counts(report) == {"read": 3, "new": 1, "merged": 1, "rejected": 1}
    assert [c.where for c in report.conflicts] == [f"{tmp_path}/1.jsonl:2"]


def test_one_id_with_other_words_is_a_conflict_and_with_other_typography_is_the_same(tmp_path: Path) -> None:
    typed = TEXT.replace("Plovers feed", "<i>Plovers</i> feed").replace("12%", "12 %")
    report = shelf(
        tmp_path, [{**PAPER, "abstract": TEXT}], [{**PAPER, "abstract": typed}], [{**PAPER, "abstract": OTHER}]
    )

    assert counts(report) == {"read": 3, "new": 1, "same": 1, "rejected": 1}


def test_a_text_cut_off_by_one_source_is_merged(tmp_path: Path) -> None:
    cut = {**PAPER, "abstract": " ".join(TEXT.split()[:30]) + "…"}

    assert counts(shelf(tmp_path, [PREPRINT], [cut])) == {"read": 2, "new": 1, "merged": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"abstract": OTHER},
        {"authors": ["Jo Field"]},
        {"year": 2009},
        {"title": "Editorial"},
        {"arxiv_id": "2202.00002", "doi": None},
    ],
    ids=["other text", "other people", "years apart", "other title", "another preprint with small changes"],
)
def test_what_speaks_against_one_paper_keeps_two(tmp_path: Path, change: dict[str, Any]) -> None:
    report = shelf(tmp_path, [PREPRINT], [{**PAPER, **change}])

    assert counts(report) == {"read": 2, "new": 2}


def test_a_short_title_does_not_join_papers_that_publishers_tell_apart(tmp_path: Path) -> None:
    chapters = [{"title": "Introduction", "doi": f"10.1000/book{n}", "abstract": TEXT} for n in range(2)]
    report = shelf(tmp_path, chapters)

    assert counts(report) == {"read": 2, "new": 2}
    assert [doubt.kind for doubt in report.doubts] == ["same abstract"]


def test_one_title_with_other_texts_is_reported(tmp_path: Path) -> None:  # Future-Scholars/paperlib#626
    report = shelf(tmp_path, [PREPRINT], [{**PAPER, "abstract": OTHER}])
    (doubt,) = report.doubts

    assert (doubt.kind, doubt.ids) == ("same title", ("arxiv:2101.00001", "doi:10.1000/plover"))
    assert "look at" in told(report)


def test_a_publishers_text_under_seventeen_titles_is_reported_and_not_merged(tmp_path: Path) -> None:
    chapters = [
        {"title": f"{w} of the northern sea", "doi": f"10.1000/ch{w}", "abstract": TEXT} for w in "ABCDEFGHIJKLMNOPQ"
    ]
    report = shelf(tmp_path, chapters)
    (doubt,) = report.doubts

    assert counts(report) == {"read": 17, "new": 17}
    assert (doubt.kind, len(doubt.ids)) == ("same abstract", 17)
    assert "17 titles: a text of the publisher?" in doubt.reason


def test_one_text_without_identifiers_under_other_titles_is_kept_once_and_reported(tmp_path: Path) -> None:
    report = shelf(tmp_path, [{"title": t, "abstract": TEXT} for t in ("Plovers", "A fence for birds", "Dogs")])
    (doubt,) = report.doubts

    assert counts(report) == {"read": 3, "new": 1, "same": 2}
    assert [f"{tmp_path}/0.jsonl:{n}" for n in (1, 2, 3)] == list(doubt.places)


def test_a_text_without_identifier_joins_the_paper_of_that_text_unless_titles_differ(tmp_path: Path) -> None:
    titled = {"title": "Dogs on beaches, a survey", "abstract": TEXT}
    report = shelf(tmp_path, [PREPRINT], [{"abstract": TEXT}], [titled])

    assert counts(report) == {"read": 3, "new": 2, "merged": 1}


def test_a_record_that_knows_both_identifiers_makes_two_abstracts_one(tmp_path: Path) -> None:
    of_doi = {"doi": "10.1000/plover", "abstract": TEXT}
    of_pmid = {"pmid": "4711", "abstract": PUBLISHED}
    shelf(tmp_path, [of_doi], [of_pmid])
    assert ids(tmp_path) == ["doi:10.1000/plover", "pmid:4711"]

    report = shelf(tmp_path, [of_doi], [of_pmid], [{**of_doi, "pmid": "4711"}])
    (abstract,) = contents(tmp_path / "home")[0]
    assert (report.joined, report.abstracts) == (1, 1)
    assert "pmid:4711" in abstract.aliases
    assert len(abstract.sources) == 3
    library = open_shelf(tmp_path / "home")
    assert [check.name for check in examine_stores(library) if not check.ok] == []
    library.close()


def test_a_changed_text_without_identifier_is_a_new_abstract(tmp_path: Path) -> None:
    shelf(tmp_path, [{"title": TITLE, "abstract": TEXT}])
    report = shelf(tmp_path, [{"title": TITLE, "abstract": PUBLISHED}])

    assert counts(report) == {"read": 1, "new": 1}


def test_a_source_may_change_its_text_and_the_merged_one_does_not_change_it_back(tmp_path: Path) -> None:
    shelf(tmp_path, [PREPRINT], [PAPER])
    longer = {**PREPRINT, "abstract": TEXT + " We recommend fences."}
    report = shelf(tmp_path, [longer], [PAPER])
    again = shelf(tmp_path, [longer], [PAPER])

    assert counts(report) == {"read": 2, "changed": 1, "merged": 1}
    assert counts(again) == {"read": 2, "same": 1, "merged": 1}


def test_prune_keeps_a_paper_that_one_of_its_sources_still_has(tmp_path: Path) -> None:
    shelf(tmp_path, [PREPRINT], [PAPER])
    report = shelf(tmp_path, [{"abstract": OTHER}], [PAPER], options=Options(prune=True))
    (abstract, _) = contents(tmp_path / "home")[0]

    assert (report.removed, report.abstracts) == (0, 2)
    assert (f"{tmp_path}/1.jsonl:1",) == abstract.sources


def test_a_shelf_of_an_earlier_version_is_compared_too(tmp_path: Path) -> None:
    shelf(tmp_path, [PREPRINT])
    catalogue = Catalogue(tmp_path / "home")
    catalogue.connection.execute("DELETE FROM fingerprint")
    catalogue.close()

    assert counts(fill(tmp_path / "home", write_lines(tmp_path / "p.jsonl", [PAPER]))) == {"read": 1, "merged": 1}


VARIANTS: list[dict[str, Any]] = [
    PREPRINT,
    PAPER,
    {**PAPER, "arxiv_id": "2101.00001"},
    {"title": TITLE, "pmid": "4711", "abstract": PUBLISHED},
    {"title": TITLE, "abstract": TEXT},
    {"abstract": TEXT},
    {**PAPER, "abstract": OTHER},
    {"title": "Rust", "doi": "10.1000/rust", "abstract": OTHER},
    {"title": "Rust", "abstract": OTHER + " It works."},
]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(VARIANTS), min_size=1, max_size=12), st.integers(0, 1000))
def test_every_record_is_accounted_for_and_a_second_run_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    cut = random.Random(seed).randrange(len(records) + 1)
    shelf(folder, records[:cut] or [VARIANTS[0]], records[cut:] or [VARIANTS[0]])
    before = contents(folder / "home")
    again = shelf(folder, records[:cut] or [VARIANTS[0]], records[cut:] or [VARIANTS[0]])

    assert (again.new, again.changed, again.embedded) == (0, 0, 0)
    assert before == contents(folder / "home")


@given(st.text(), st.text())
@settings(max_examples=50, deadline=None)
def test_likeness_is_a_share_and_has_no_order(one: str, other: str) -> None:
    assert overlap(words(one), words(other)) == overlap(words(other), words(one))
    assert 0 <= overlap(words(one), words(other)) <= 1
    assert overlap(words(one), words(one)) == 1
    assert titles_agree(one, other) == titles_agree(other, one)
    assert title_key(one) == title_key(one.upper().lower()) or not one.isascii()


def test_relations_and_numbers_are_words() -> None:
    assert words("p < 0.05 in 1,200") != words("p > 0.05 in 1,200")
    assert words("0.05") != words("0.5")
