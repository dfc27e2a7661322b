"""Footnotes lead to their own cards, marks stand at their own sentences; open-webui#10979, #11204."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rag.types import Abstract, Answer, AnswerHit, Citation, Evidence, Ranks, Sentence, Span, Verdict
from rag.ui import banners, excerpt, footnotes, sources

TEXT = "Heron removes heads. It is tested on seven tasks. Heron keeps 98.2% of the accuracy. Training is short."
PAPER = Abstract(
    "doi:10.1000/heron",
    TEXT,
    TEXT,
    title="Heron: *pruning* $5 heads",
    authors=("A. Lum", "W. Chen"),
    year=2021,
    url="https://doi.org/10.1000/heron",
    sources=("/home/me/papers.jsonl:1", "b.csv:2"),
)


def evidence(quote: str, paper: Abstract = PAPER) -> Evidence:
    start = paper.text.index(quote)
    return Evidence(paper.id, start, start + len(quote), quote, paper.text_sha)


def answer(text: str, *sentences: Sentence, **fields: object) -> Answer:
    """A model's answer that cites one paper under every number its text has."""
    numbers = sorted({int(number) for number in re.findall(r"\[(\d+)\]", text)})
    cited = tuple(replace(Citation.of(number, PAPER), id=f"file:{number}") for number in numbers)
    whole = Answer("q", "Q?", "Q?", "answered", "llm", text, sentences=sentences, citations=cited)
    return replace(whole, **fields)  # type: ignore[arg-type]  # the tests name real fields


def test_every_footnote_leads_to_the_card_of_its_number() -> None:
    shown = footnotes.text(answer("A [1]. B [2][3]. C [1]."), turn=4)
    assert re.findall(r"\[(\d+)\]\(#source-4-(\d+)\)", shown) == [("1", "1"), ("2", "2"), ("3", "3"), ("1", "1")]


def test_a_bracketed_number_that_is_no_marker_is_no_link() -> None:
    assert footnotes.text(answer("See BigVul[\u20601] here."), turn=1) == r"See BigVul\[1\] here."


def marked(*verdicts: Verdict) -> str:
    names = ("One", "Two", "Three", "Four")[: len(verdicts)]
    sentences = [Sentence(f"{name} is so.", (1,), verdict) for name, verdict in zip(names, verdicts, strict=True)]
    return footnotes.text(answer(" ".join(f"{name} is so [1]." for name in names), *sentences), turn=1)


def test_verdicts_are_told_apart_by_sign_and_word() -> None:
    shown = marked("supported", "partly", "unsupported", "contradicted")
    assert re.findall(r'\[([^\[\]]+)\]\(#answer-1-checks "([^"]+)"\)', shown) == [
        ("✓", "supported"),
        ("◐", "partly supported"),
        ("? not supported", "not supported"),
        ("✗ contradicted", "contradicted"),
    ]


def test_sentences_that_are_not_carried_stand_out() -> None:
    shown = marked("supported", "unsupported", "contradicted")
    assert re.findall(r":(\w+)-background\[(\w+)", shown) == [("orange", "Two"), ("red", "Three")]


def test_an_unchecked_sentence_has_no_mark() -> None:
    assert marked("unchecked") == "One is so.[1](#source-1-1)"


def test_sentences_are_found_behind_list_signs_markers_and_other_spaces() -> None:
    text = "- One  is\n so [1].\n- **Two** is so too [2] [3]. Three."
    sentences = [Sentence("One is so."), Sentence("**Two** is so too."), Sentence("Never said."), Sentence("Three.")]
    found = [text[start:end] for _, (start, end) in footnotes.located(text, sentences)]
    assert found == ["One  is\n so [1].", "**Two** is so too [2] [3].", "Three."]


def test_markers_behind_the_stop_belong_to_the_sentence_before() -> None:
    text = "One. [1] One. [2]"
    found = list(footnotes.located(text, [Sentence("One.", (1,)), Sentence("One.", (2,))]))
    assert [text[start:end] for _, (start, end) in found] == ["One. [1]", "One. [2]"]


def test_the_line_of_checks_claims_no_more_than_was_checked() -> None:
    verdicts: tuple[Verdict, ...] = ("supported", "supported", "partly", "contradicted", "unchecked")
    sentences = tuple(Sentence("S.", (1,), verdict) for verdict in verdicts)
    assert footnotes.checked(answer("S [1].", *sentences)) == (
        "2 of 5 sentences checked and supported · ◐ 1 partly supported · ✗ 1 contradicted · 1 not checked"
    )


def test_quotes_are_called_quotes() -> None:
    quoted = answer("S [1].", Sentence("S.", (1,), "supported"), mode="quotes")
    assert footnotes.checked(quoted) == "1 sentence, word for word from 1 abstract"
    assert footnotes.text(quoted, 1) == "S.[1](#source-1-1)"


def test_a_card_shows_title_people_year_and_place_as_they_are() -> None:
    citation = Citation.of(1, PAPER)
    assert sources.heading(citation, PAPER.label) == (
        r"**[Heron\: \*pruning\* \$5 heads](<https://doi.org/10.1000/heron>)**"
    )
    assert sources.details(citation, "J_1") == r"A. Lum, W. Chen · J\_1 · 2021 · papers.jsonl\:1 and 1 more"


def test_unknown_fields_leave_no_gap() -> None:
    citation = replace(Citation.of(1, PAPER), authors=(), year=None, source=None, sources=())
    assert sources.details(citation, None) == ""


def test_of_many_authors_the_first_is_named() -> None:
    assert sources.people(("A", "B", "C", "D", "E")) == "A et al."


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://x.org/a(b)<c>", "https://x.org/a%28b%29%3Cc%3E"),
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//x.org/a", None),
        ("http://[", None),
        ("https://", None),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_become_links(url: str | None, address: str | None) -> None:
    assert sources.web_address(url) == address


def test_the_evidence_is_highlighted_in_its_abstract() -> None:
    found = answer("A [1].", Sentence("A.", (1,), "supported", None, (evidence("Heron keeps 98.2% of the accuracy."),)))
    spans = sources.evidence_spans(found, PAPER)
    assert sources.whole(PAPER, spans) == (
        r"Heron removes heads. It is tested on seven tasks. :yellow-background[Heron keeps 98.2% of the accuracy.]"
        " Training is short."
    )


def test_text_that_changed_since_is_not_highlighted() -> None:
    found = answer("A [1].", Sentence("A.", (1,), "supported", None, (evidence("Heron keeps"),)))
    assert sources.evidence_spans(found, replace(PAPER, text=TEXT.upper())) == []


def long_abstract(sentences: int) -> Abstract:
    text = " ".join(f"This is the sentence with number {number} of them." for number in range(sentences))
    return replace(PAPER, text=text, raw=text)


def test_of_a_long_abstract_the_evidence_and_its_neighbours_are_shown() -> None:
    paper = long_abstract(30)
    start = paper.text.index("This is the sentence with number 7 ")
    shown = sources.parts(paper, [Span(start, start + 20)])
    assert re.findall(r"number (\d+)", shown) == ["6", "7", "8"]
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_of_a_huge_text_never_more_than_its_parts_are_shown() -> None:
    paper = long_abstract(100_000)
    spans = [Span(1_000_000, 1_000_050)]
    assert len(sources.whole(paper, spans)) < 1_000
    assert sources.is_shown_whole(paper, spans)


def test_overlapping_evidence_is_one_highlight() -> None:
    assert excerpt.merged([Span(5, 9), Span(0, 6), Span(20, 20), Span(12, 14)]) == [Span(0, 9), Span(12, 14)]


def test_the_closest_titles_are_listed() -> None:
    hits = [
        AnswerHit(PAPER.id, PAPER.title, 1.0, Ranks(1, None), sent=False),
        AnswerHit("x", None, 0.5, Ranks(2, 1), sent=False),
    ]
    assert sources.closest(hits, {PAPER.id: PAPER}) == "- Heron\\: \\*pruning\\* \\$5 heads (2021)\n- x"


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        ({"status": "not_found", "reason": "nothing_relevant"}, "warning", "Not found."),
        ({"status": "not_found", "reason": "not_stated"}, "warning", "Not stated."),
        ({"status": "partial"}, "warning", "only a part"),
        ({"status": "partial", "reason": "stopped"}, "warning", "Stopped"),
        ({"status": "partial", "reason": "length"}, "warning", "FOOTNOTE"),
        ({"status": "answered", "reason": "premise_contradicted"}, "warning", "assumes"),
        (
            {"status": "answered", "reason": "no_server", "mode": "quotes"},
            "warning",
            "quotes from the",
        ),
        ({"status": "error", "reason": "bad_key"}, "error", "OPENAI"),
        ({"status": "error", "reason": "something new"}, "error", "doctor"),
        ({"status": "error", "reason": "index", "detail": "The disk is gone."}, "error", "The disk is gone."),
    ],
)
def test_a_status_that_is_no_plain_answer_is_explained(fields: dict[str, str], kind: str, words: str) -> None:
    banner = banners.banner(answer("", **fields))
    assert banner is not None
    assert banner.kind == kind
    assert words in banner.text


def test_a_plain_answer_needs_no_explanation() -> None:
    assert banners.banner(answer("A [1].")) is None
