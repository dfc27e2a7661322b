from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ingest.lock import writing
from ingest.pipeline import Options
from rag.catalogue import Catalogue
from rag.errors import IndexUnusableError
from rag.library import Library, store_place
from rag.retrieve import search
from rag.vectors import VectorStore
from tests.hashing import HashingEmbedder
from tests.shelf import PAPERS, fill, open_shelf, settings_at, write_lines

COUNTERS = ("read", "new", "changed", "same", "merged", "rejected")


def counts(report: Any) -> dict[str, int]:
    return {name: getattr(report, name) for name in COUNTERS if getattr(report, name)}


def contents(home: Path) -> tuple[Any, ...]:
    """All that an index holds, in comparable form."""
    catalogue = Catalogue(home)
    abstracts = [catalogue.get(i) for i in catalogue.ids()]
    store = VectorStore(store_place(settings_at(home), catalogue))
    held = sorted(store.ids())
    store.close()
    catalogue.close()
    return abstracts, held


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "papers.jsonl", PAPERS)


def test_a_first_ingest_stores_every_record_and_reports_the_totals(tmp_path: Path, papers: Path) -> None:
    report = fill(tmp_path / "home", papers)

    assert counts(report) == {"read": 3, "new": 3}
    assert report.abstracts == 3
    assert report.passages == report.embedded == len(contents(tmp_path / "home")[1])


def test_a_second_ingest_finds_all_the_same_and_embeds_nothing(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    before = contents(tmp_path / "home")
    report = fill(tmp_path / "home", papers)

    assert counts(report) == {"read": 3, "same": 3}
    assert report.embedded == 0
    assert before == contents(tmp_path / "home")


def test_shuffled_rows_stay_one_abstract_each(tmp_path: Path, papers: Path) -> None:  # private-gpt#1306
    fill(tmp_path / "home", papers)
    shuffled = list(PAPERS)
    random.Random(1).shuffle(shuffled)
    report = fill(tmp_path / "home", write_lines(papers, shuffled))

    assert counts(report) == {"read": 3, "same": 3}
    assert report.abstracts == 3


def test_repeats_in_a_file_and_across_files_are_one_abstract_with_all_sources(tmp_path: Path) -> None:
    text = "The same abstract stands here twice. It says one thing only."
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text(f"Papers\n\n{text}\n\n{text}\n")
    two.write_text(f"{text.replace(' stands', '   stands')}\n")
    report = fill(tmp_path / "home", one, two)
    (abstract,) = contents(tmp_path / "home")[0]

    assert counts(report) == {"read": 3, "new": 1, "same": 2}
    assert (f"{one}:3", f"{one}:5", f"{two}:1") == abstract.sources


def test_only_the_changed_abstract_is_embedded_again(tmp_path: Path, papers: Path) -> None:  # llama_index#20823
    fill(tmp_path / "home", papers)
    changed = {**PAPERS[0], "abstract": "Heron now prunes layers. It is another text."}
    report = fill(tmp_path / "home", write_lines(papers, [changed, *PAPERS[1:]]))
    stored = open_shelf(tmp_path / "home").catalogue.get("doi:10.1000/heron")

    assert counts(report) == {"read": 3, "changed": 1, "same": 2}
    assert report.embedded == 3  # the whole and its two sentences
    assert stored is not None
    assert stored.text == "Heron now prunes layers. It is another text."
    assert report.passages == len(contents(tmp_path / "home")[1])


def test_a_changed_field_is_a_change_that_embeds_nothing(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    report = fill(tmp_path / "home", write_lines(papers, [{**PAPERS[0], "year": 2022}, *PAPERS[1:]]))

    assert counts(report) == {"read": 3, "changed": 1, "same": 2}
    assert report.embedded == 0


def test_other_text_for_an_id_in_the_same_run_is_a_conflict_with_both_places(tmp_path: Path) -> None:  # paper-qa#1005
    other = {**PAPERS[0], "abstract": "A supplement that shares the identifier."}
    papers = write_lines(tmp_path / "papers.jsonl", [PAPERS[0], other])
    report = fill(tmp_path / "home", papers)
    (conflict,) = report.conflicts

    assert counts(report) == {"read": 2, "new": 1, "rejected": 1}
    assert (f"{papers}:2", f"{papers}:1") == (conflict.where, conflict.with_)


def test_other_text_from_another_file_is_kept_out_unless_update_takes_it(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    other = write_lines(tmp_path / "other.jsonl", [{**PAPERS[0], "abstract": "Other words for the same paper."}])

    assert counts(fill(tmp_path / "home", other)) == {"read": 1, "rejected": 1}
    assert counts(fill(tmp_path / "home", other, options=Options(update=True))) == {"read": 1, "changed": 1}


def test_two_files_that_disagree_on_a_field_do_not_change_it_back_and_forth(tmp_path: Path, papers: Path) -> None:
    other = write_lines(tmp_path / "other.jsonl", [{**PAPERS[0], "year": 1999, "venue": "Letters"}])
    fill(tmp_path / "home", papers, other)
    report = fill(tmp_path / "home", papers, other)
    stored = open_shelf(tmp_path / "home").catalogue.get("doi:10.1000/heron")

    assert counts(report) == {"read": 4, "same": 4}
    assert stored is not None
    assert (stored.year, stored.venue) == (2021, "Letters")


def test_an_identifier_learnt_later_is_an_alias_and_the_id_stays(tmp_path: Path) -> None:
    text = str(PAPERS[0]["abstract"])
    plain = tmp_path / "plain.txt"
    plain.write_text(text)
    fill(tmp_path / "home", plain)
    known = write_lines(tmp_path / "papers.jsonl", PAPERS[:1])
    first = fill(tmp_path / "home", known)
    again = fill(tmp_path / "home", plain, known)
    (abstract,) = contents(tmp_path / "home")[0]

    assert counts(first) == {"read": 1, "merged": 1}
    assert counts(again) == {"read": 2, "same": 1, "merged": 1}
    assert abstract.id.startswith("sha-")
    assert "doi:10.1000/heron" in abstract.aliases
    assert PAPERS[0]["title"] == abstract.title


def test_two_papers_of_one_title_and_two_identifiers_stay_two(tmp_path: Path) -> None:  # Verba#214
    papers = [
        {"title": "Introduction", "doi": "10.1000/a", "abstract": "About ants and their roads."},
        {"title": "Introduction", "doi": "10.1000/b", "abstract": "About bees and their dances."},
    ]
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", papers))

    assert [a.id for a in contents(tmp_path / "home")[0]] == ["doi:10.1000/a", "doi:10.1000/b"]


def test_a_dry_run_reports_the_same_and_writes_nothing(tmp_path: Path, papers: Path) -> None:
    rehearsed = fill(tmp_path / "home", papers, options=Options(dry_run=True))

    assert not (tmp_path / "home").exists()
    performed = fill(tmp_path / "home", papers)
    assert {**rehearsed.to_dict(), "seconds": 0} == {**performed.to_dict(), "seconds": 0}


def test_a_dry_run_on_a_shelf_leaves_it_as_it_was(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    before = contents(tmp_path / "home")
    more = write_lines(tmp_path / "more.jsonl", [{"abstract": "One more abstract about nothing much."}])
    report = fill(tmp_path / "home", more, options=Options(dry_run=True))

    assert (report.new, report.abstracts, report.embedded) == (1, 4, 1)
    assert before == contents(tmp_path / "home")


def test_prune_removes_what_left_its_file_and_nothing_else(tmp_path: Path, papers: Path) -> None:
    other = write_lines(tmp_path / "other.jsonl", [PAPERS[2]])
    fill(tmp_path / "home", papers, other)
    write_lines(papers, PAPERS[:1])

    assert fill(tmp_path / "home", papers).removed == 0
    asked: list[int] = []

    def yes(number: int) -> bool:
        asked.append(number)
        return True

    options = Options(prune=True, confirm=yes)
    report = fill(tmp_path / "home", papers, options=options)
    abstracts, passages = contents(tmp_path / "home")

    assert asked == [1]
    assert report.removed == 1
    assert [a.id for a in abstracts] == ["doi:10.1000/heron", "pmid:3300001"]
    assert (f"{other}:1",) == abstracts[1].sources
    assert report.passages == len(passages)


def test_prune_keeps_everything_where_the_person_says_no(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    write_lines(papers, PAPERS[:1])
    report = fill(tmp_path / "home", papers, options=Options(prune=True, confirm=lambda _: False))

    assert (report.removed, report.abstracts) == (0, 3)


def test_what_came_from_a_file_that_cannot_be_read_is_not_pruned(tmp_path: Path, papers: Path) -> None:
    fill(tmp_path / "home", papers)
    papers.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(2000))
    report = fill(tmp_path / "home", papers, options=Options(prune=True))

    assert (report.removed, report.abstracts) == (0, 3)


def test_bad_files_are_named_and_the_rest_is_kept(tmp_path: Path, papers: Path) -> None:
    picture = tmp_path / "picture.txt"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    table = tmp_path / "table.csv"
    table.write_text("name,price\nbook,3\n")
    report = fill(tmp_path / "home", tmp_path / "missing.txt", picture, table, papers)

    assert report.new == 3
    assert report.read == report.new + report.rejected
    assert {str(tmp_path / "missing.txt"), str(picture), str(table)} <= {
        where for r in report.rejects for where in (r.where, r.where.rpartition(":")[0])
    }
    assert all("\n" not in r.reason for r in report.rejects)


def test_an_empty_abstract_and_a_monstrous_one_are_rejected_with_their_place(tmp_path: Path) -> None:
    records = [{"title": "No text", "abstract": " "}, {"abstract": "word " * 600_000}, PAPERS[0]]
    papers = write_lines(tmp_path / "papers.jsonl", records)
    report = fill(tmp_path / "home", papers)

    assert counts(report) == {"read": 3, "new": 1, "rejected": 2}
    assert [f"{papers}:1", f"{papers}:2"] == [r.where for r in report.rejects]


def test_titles_keeps_a_record_without_an_abstract(tmp_path: Path) -> None:
    papers = write_lines(tmp_path / "papers.jsonl", [{"title": "Only a title about herons", "abstract": ""}])
    report = fill(tmp_path / "home", papers, options=Options(titles=True))

    assert counts(report) == {"read": 1, "new": 1}


def test_three_thousand_authors_are_stored_as_given(tmp_path: Path) -> None:  # llama_index#12200
    authors = [f"Author {n}" for n in range(3000)]
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", [{**PAPERS[0], "authors": authors}]))

    assert tuple(authors) == contents(tmp_path / "home")[0][0].authors


def test_abstracts_in_any_script_are_stored_and_found(tmp_path: Path) -> None:  # private-gpt#1788
    texts = ["注意力机制用于长文本检索。", "تقيس هذه الدراسة رطوبة التربة.", "Мы измеряем сон.", "नींद का अध्ययन 😴."]
    fill(tmp_path / "home", write_lines(tmp_path / "papers.jsonl", [{"abstract": text} for text in texts]))

    assert texts == [a.text for a in contents(tmp_path / "home")[0]]
    with closing(open_shelf(tmp_path / "home")) as shelf:
        assert texts == [search(shelf, text[: len(text) // 2 + 1], 1)[0].abstract.text for text in texts]


def test_a_second_writer_is_told_who_holds_the_shelf(tmp_path: Path, papers: Path) -> None:
    with writing(tmp_path / "home"), pytest.raises(IndexUnusableError, match=r"Another ingest is writing.*process"):
        fill(tmp_path / "home", papers)


def test_a_home_that_cannot_be_written_is_one_line(papers: Path) -> None:
    with pytest.raises(IndexUnusableError, match="cannot be written") as caught:
        fill(Path("/proc/footnote"), papers)
    assert "\n" not in str(caught.value)


class OtherEmbedder(HashingEmbedder):
    @property
    def identity(self) -> str:  # type: ignore[override]
        return "another"


def test_a_shelf_built_by_another_embedder_is_refused_until_it_is_rebuilt(tmp_path: Path, papers: Path) -> None:
    from ingest.pipeline import ingest

    fill(tmp_path / "home", papers)
    settings = settings_at(tmp_path / "home")

    with pytest.raises(IndexUnusableError, match="python -m ingest --rebuild"):
        ingest([str(papers)], settings, OtherEmbedder())
    with pytest.raises(IndexUnusableError, match="FOOTNOTE_EMBED_MODEL"):
        _ = Library(settings, OtherEmbedder()).embedder
    report = ingest([], settings, OtherEmbedder(), Options(rebuild=True))
    assert report.passages == report.embedded > 0
    assert Library(settings, OtherEmbedder()).index.startswith("another")


def test_a_reader_sees_what_another_process_added(tmp_path: Path, papers: Path) -> None:  # chroma#3792
    import subprocess
    import sys

    from rag.retrieve import search

    fill(tmp_path / "home", papers)
    library = open_shelf(tmp_path / "home")
    assert len(search(library, "walrus")) == 3
    more = write_lines(tmp_path / "more.jsonl", [{"abstract": "A walrus sings under the ice."}])
    script = (
        "import sys; from pathlib import Path; from tests.shelf import fill; fill(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "home"), str(more)], check=True)

    assert search(library, "walrus")[0].abstract.text == "A walrus sings under the ice."
    library.close()
