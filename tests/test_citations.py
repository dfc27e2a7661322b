"""Markers of a reply become the citations of an answer; named threads are the reports these tests come from."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.citations import (
    WORD_JOINER,
    CitationStream,
    Marked,
    compose,
    escape_numbers,
    normalise,
    sentences_of,
)
from rag.markers.issued import Issued
from rag.types import Abstract

FOUR = Issued.first(4)
MARKER = re.compile(r"\[(\d+)\]")
LOOSE = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)+\]|【\d+】|\[\^\d+\]")

ATTENTION = Abstract(
    id="arxiv:1706.03762",
    text="We propose the Transformer.",
    raw="",
    title="Attention Is All You Need",
    authors=("Vaswani, Ashish", "Shazeer, Noam"),
    year=2017,
    aliases=("doi:10.48550/arxiv.1706.03762",),
)
SMITH = Abstract(id="sha-2f81a47a926b", text="Cats sleep.", raw="", title="Cats", authors=("John Smith",), year=2021)
SMITH_AGAIN = Abstract(id="pmid:7", text="Dogs run.", raw="", title="On dogs", authors=("Smith J",), year=2020)
SMITH_TWIN = Abstract(id="pmid:8", text="Dogs jump.", raw="", title="More dogs", authors=("Smith, Ann",), year=2020)
NAMED = Issued.of([ATTENTION, SMITH, SMITH_AGAIN, SMITH_TWIN])


def joined(text: str) -> str:
    """Write ~ for U+2060 so that a test shows where it stands."""
    return text.replace(WORD_JOINER, "~")


def stream_in_pieces(reply: str, cuts: list[int], issued: Issued = FOUR) -> tuple[str, Marked]:
    """What a reader of the stream ends up with, and the result."""
    edges = [0, *sorted(cut for cut in cuts if cut < len(reply)), len(reply)]
    stream = CitationStream(issued)
    shown = ""
    calls = [lambda piece=reply[a:b]: stream.feed(piece) for a, b in pairwise(edges)]
    for call in [*calls, stream.finish]:
        restarts = stream.restarts
        delta = call()
        shown = delta if stream.restarts != restarts else shown + delta
    return shown, stream.result


# open-webui#10979, ragflow#8594, pipeshub#1071, pipeshub#2975, onyx#1543
@pytest.mark.parametrize(
    ("reply", "text", "used", "dropped"),
    [
        ("Plain prose, cited nowhere.", "Plain prose, cited nowhere.", (), 0),
        ("X [1]. Y [2].", "X [1]. Y [2].", (1, 2), 0),
        ("X [4]. Y [3]. Z [2]. W [1].", "X [1]. Y [2]. Z [3]. W [4].", (4, 3, 2, 1), 0),
        ("X [3]. Y [1]. Z [3].", "X [1]. Y [2]. Z [1].", (3, 1), 0),
        ("There are 3 [1][2][3]", "There are 3 [1][2][3]", (1, 2, 3), 0),
        ("X [1, 2].", "X [1][2].", (1, 2), 0),
        ("X [1,2;3].", "X [1][2][3].", (1, 2, 3), 0),
        ("X [1-3].", "X [1][2][3].", (1, 2, 3), 0),
        ("X [1]–[3].", "X [1][2][3].", (1, 2, 3), 0),
        ("X [1] - [9].", "X [1] -.", (1,), 1),
        ("X [1–3, 4].", "X [1][2][3][4].", (1, 2, 3, 4), 0),
        ("X [1], [2].", "X [1][2].", (1, 2), 0),
        ("X 【1】.", "X [1].", (1,), 0),
        ("X 【2†source】.", "X [1].", (2,), 0),
        ("X［2］.", "X[1].", (2,), 0),
        ("X [^1].", "X [1].", (1,), 0),
        ("X [Source 2].", "X [1].", (2,), 0),
        ("X [Ref. 2].", "X [1].", (2,), 0),
        ("X [Sources 2 and 3].", "X [1][2].", (2, 3), 0),
        ("X [Abstract 2, Abstract 3].", "X [1][2].", (2, 3), 0),
        ("X \\[1\\].", "X [1].", (1,), 0),
        ("X [2](https://example.org/a).", "X [1].", (2,), 0),
        ("X [1][1].", "X [1].", (1,), 0),
        ("X [٢].", "X [1].", (2,), 0),
        ("X (1). Y (2)!", "X [1]. Y [2]!", (1, 2), 0),
        ("X (1)(3).", "X [1][2].", (1, 3), 0),
        ("X [9].", "X.", (), 1),
        ("X [5][7].", "X.", (), 2),
        ("X [1][9] [2], [8].", "X [1][2].", (1, 2), 2),
        ("X [1, 9].", "X [1].", (1,), 1),
        ("X ([9]) and ([1]).", "X and ([1]).", (1,), 1),
        ("X [Source 9].", "X.", (), 1),
        ("X [^9] and 【8】.", "X.", (), 2),
        ("X [Summary of 123e4567-e89b-12d3-a456-426614174000].", "X.", (), 1),
        ("X [#], Y [#1].", "X, Y [1].", (1,), 1),
    ],
)
def test_every_way_of_citing_becomes_one(reply: str, text: str, used: tuple[int, ...], dropped: int) -> None:
    assert Marked(text, used, dropped) == normalise(reply, FOUR)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("[13C] and [18F]", "[13C] and [18F]"),
        ("in [0, 1]", "in [~0, 1]"),
        ("in [0.5, 2]", "in [0.5, 2]"),
        ("index [0]", "index [~0]"),
        ("shift [-1]", "shift [-1]"),
        ("sizes [16, 32]", "sizes [~16, 32]"),
        ("over the range [2, 64]", "over the range [~2, 64]"),
        ("x[3] and W[1]", "x[~3] and W[~1]"),
        ("f(x)[1] and a[i][2]", "f(x)[~1] and a[i][~2]"),
        ("`a[1]` and ``b[`2`][2]``", "`a[~1]` and ``b[`2`][~2]``"),
        ("```py\na[1]\n```", "```py\na[~1]\n```"),
        ("$w [1]$ and $$v [2]$$", "$w [~1]$ and $$v [~2]$$"),
        (r"\(w [1]\) and \[v [2] + 1\]", r"\(w [~1]\) and \[v [~2] + 1\]"),
        ("the year (2019).", "the year (2019)."),
        ("see equation (1).", "see equation (1)."),
        ("first (1) this, then (2) that.", "first (1) this, then (2) that."),
        ("g(1).", "g(1)."),
        ("[HOSPITAL] and [see Table 2]", "[HOSPITAL] and [see Table 2]"),
        ("BigVul⟦1⟧ has ⟦25⟧", "BigVul[~1] has [~25]"),
    ],
)
def test_bracketed_text_that_cites_nothing_stays(reply: str, text: str) -> None:
    marked = normalise(reply, FOUR)
    assert (text, (), 0) == (joined(marked.text), marked.used, marked.dropped)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("It costs $5 [1] and $10 [2].", "It costs $5 [1] and $10 [2]."),
        ("From $5M [1] to 10$ [2].", "From $5M [1] to 10$ [2]."),
        ("A lone ` tick [1].", "A lone ` tick [1]."),
        ("p < 0.05 [1] & q > 3 [2].", "p < 0.05 [1] & q > 3 [2]."),
        ("GPT-4[1] and sqrt[2]", "GPT-4[1] and sqrt[2]"),
    ],
)
def test_money_and_stray_signs_hide_no_marker(reply: str, text: str) -> None:
    assert text == normalise(reply, FOUR).text


def test_parentheses_stay_where_the_reply_has_bracketed_markers() -> None:
    assert Marked("X (1). Y [1].", (2,)) == normalise("X (1). Y [2].", FOUR)


# onyx PR#6484
def test_a_number_means_the_same_source_after_another_was_taken_away() -> None:
    assert normalise("X [3]. Y [2]. Z [1-3].", Issued(frozenset({1, 3}))) == Marked("X [1]. Y. Z [2][1].", (3, 1), 1)


@pytest.mark.parametrize(
    ("label", "used"),
    [
        ("Vaswani et al., 2017", (1,)),
        ("Vaswani 2017", (1,)),
        ("Vaswani and Shazeer (2017)", (1,)),
        ("attention is all you need", (1,)),
        ("arxiv:1706.03762", (1,)),
        ("DOI:10.48550/arXiv.1706.03762", (1,)),
        ("Smith 2021", (2,)),
        ("Smith, 2021; Vaswani et al., 2017", (2, 1)),
        ("sha-2f81a47a926b", (2,)),
    ],
)
def test_a_name_that_means_one_source_cites_it(label: str, used: tuple[int, ...]) -> None:
    markers = "".join(f"[{n}]" for n in range(1, len(used) + 1))
    assert Marked(f"X {markers}.", used) == normalise(f"X [{label}].", NAMED)


@pytest.mark.parametrize("label", ["Smith 2020", "Miller 2021", "Cats", "Vaswani"])
def test_a_name_that_means_two_sources_or_none_is_text(label: str) -> None:
    assert Marked(f"X [{label}].") == normalise(f"X [{label}].", NAMED)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>Maybe [2].</think>\n\nX [1].", "X [1]."),
        ("<THINKING>\nMaybe\n</THINKING>X.", "X."),
        ("X. <think>hm</think>Y.", "X. Y."),
        ("Maybe [3], yes.\n</think>\n\nX [1].", "X [1]."),
        ("<think>never closed [1]", ""),
        ("It emits `<think>` and `</think>` tokens.", "It emits `<think>` and `</think>` tokens."),
        ("It opens a <think> block.", "It opens a <think> block."),
    ],
)
def test_thinking_is_not_shown(reply: str, text: str) -> None:
    assert text == normalise(reply, FOUR).text


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("X [2].\n\nReferences:\n[1] Smith.\n[2] Jones.", "X [1]."),
        ("X [2].\n\n## References\n\nSmith, J. Cats.\n\nJones. Dogs.", "X [1]."),
        ("X [2].\n\n**Sources:**\n1. Smith\n2. Jones", "X [1]."),
        ("X [2].\nSources: [1], [2]", "X [1]."),
        ("X [^1].\n\n[^1]: Smith, Cats.\n", "X [1]."),
        ("X [2].\nSources:\n[1] Smith\n\nBesides, Y [3].", "X [1].\nBesides, Y [2]."),
        ("X [1].\n\nSources\n- noise of sensors\n- drift", "X [1].\n\nSources\n- noise of sensors\n- drift"),
        ("References to cats are rare [1].", "References to cats are rare [1]."),
    ],
)
def test_a_list_of_references_is_not_shown(reply: str, text: str) -> None:
    assert text == normalise(reply, FOUR).text


@pytest.mark.parametrize(
    ("reply", "text", "opening", "later"),
    [
        ("NOT STATED: the cost. It is fast [1].", "The cost. It is fast [1].", "not_stated", ()),
        ("**Not stated:** cost.", "Cost.", "not_stated", ()),
        ("<think>hm</think>\nNOT STATED", "", "not_stated", ()),
        ("Not stated in the abstracts.", "Not stated in the abstracts.", "not_stated", ()),
        ("FALSE PREMISE: it is slow [2].", "It is slow [1].", "premise_contradicted", ()),
        ("Fast [1]. NOT STATED: the cost.", "Fast [1]. Not stated: the cost.", None, ("not_stated",)),
        ("It is not stated here.", "It is not stated here.", None, ()),
        ("Nothing else.", "Nothing else.", None, ()),
    ],
)
def test_what_a_reply_declares_is_recognised(
    reply: str, text: str, opening: str | None, later: tuple[str, ...]
) -> None:
    marked = normalise(reply, FOUR)
    assert (text, opening, later) == (marked.text, marked.opening, marked.later)


# princeton-nlp/ALCE#26
@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It works [1]. Next [2].", [("It works.", (1,)), ("Next.", (2,))]),
        ("It works. [1] Next. [2]", [("It works.", (1,)), ("Next.", (2,))]),
        ("It works.[1][2] Next.", [("It works.", (1, 2)), ("Next.", ())]),
        ("It works. [1] reports more.", [("It works.", ()), ("reports more.", (1,))]),
        ("[1] reports more. Next [2].", [("reports more.", (1,)), ("Next.", (2,))]),
        ("- It works [1]\n- It fails [2]", [("It works", (1,)), ("It fails", (2,))]),
        ("It works.\n[1]\nNext.", [("It works.", (1,)), ("Next.", ())]),
        ("It is type B [1]. A C [2].", [("It is type B.", (1,)), ("A C.", (2,))]),
        ("It works [1]. [2] Next.", [("It works.", (1, 2)), ("Next.", ())]),
        ("It works. [1]. Next.", [("It works.", (1,)), ("Next.", ())]),
        ("[1]: it works\n[2]: it fails", [("it works", (1,)), ("it fails", (2,))]),
        ("| It works [1] |\n|---|\n", [("| It works |", (1,))]),
        ("It works ([1]).", [("It works.", (1,))]),
        ("[1]", [("", (1,))]),
        ("", []),
    ],
)
def test_a_marker_belongs_to_the_sentence_before_it(text: str, sentences: list[tuple[str, tuple[int, ...]]]) -> None:
    assert sentences == [tuple(sentence) for sentence in sentences_of(text)]


def test_quotes_are_composed_with_numbers_by_first_use() -> None:
    text, order = compose([("It uses x [1].", ["b"]), ("No stop", ["a", "b"]), ("Uncited.", [])])
    assert joined(text) == "It uses x [~1] [1]. No stop [2][1] Uncited."
    assert order == ("b", "a")


def test_escaping_numbers_changes_nothing_but_bracketed_numbers() -> None:
    text = "x[3] [0, 1] [13C] 【2】 [^4] [a] {} % \\ [1-3"
    assert joined(escape_numbers(text)) == "x[~3] [~0, 1] [13C] 【~2】 [~^4] [a] {} % \\ [1-3"
    assert text == escape_numbers(text).replace(WORD_JOINER, "")
    assert escape_numbers(text) == escape_numbers(escape_numbers(text))


FRAGMENTS = (
    "[1] [2] [4] [9] [0] [-1] [1,2] [1-3] [2,9] [7,8] [^1] [^9] 【3】 【9】 (1) (2). (3) [#] "
    "[[1]] [1](http://a.b) [1]: ⟦1⟧ ⟦2 [ ] ( ) 【 】 ` `` ``` $ $$ \\ \\[ \\] \\( \\) < <think> "
    "</think> <thin x x[3] a[ 1] f(x)[1] $5 $x[1]$ `a[2]` . , ; and -- – : References "
    "Sources: References: [^1]: ** # - 1. 7 12 é 😀 ש [١] word [Source|2] [Ref|9] [1,|2] "
    "NOT|STATED: FALSE|PREMISE Not|stated | || .| Word|one.| \u2060"
).split(" ")
REPLIES = st.lists(
    st.sampled_from([fragment.replace("|", " ") for fragment in FRAGMENTS] + ["\n", "\n\n", "\r\n", "\t"])
    | st.text(max_size=4),
    max_size=25,
).map("".join)


@settings(deadline=None, max_examples=250)
@given(REPLIES, st.data())
def test_the_stream_equals_the_final_text_however_it_is_cut(reply: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, max(len(reply), 1)), max_size=30))
    whole = normalise(reply, FOUR)
    assert (whole.text, whole) == stream_in_pieces(reply, cuts)
    assert (whole.text, whole) == stream_in_pieces(reply, list(range(len(reply))))


@settings(deadline=None, max_examples=250)
@given(REPLIES)
def test_any_reply_keeps_the_contract_of_markers(reply: str) -> None:
    marked = normalise(reply, FOUR)
    shown = list(dict.fromkeys(int(number) for number in MARKER.findall(marked.text)))
    assert list(range(1, len(marked.used) + 1)) == shown
    assert len(set(marked.used)) == len(marked.used)
    assert set(marked.used) <= FOUR.numbers
    assert LOOSE.search(marked.text) is None
    assert marked.text == marked.text.strip()
    assert set(shown) == {number for sentence in sentences_of(marked.text) for number in sentence.numbers}


@settings(deadline=None, max_examples=120)
@given(st.lists(st.tuples(REPLIES, st.lists(st.sampled_from("abc"), max_size=3)), max_size=6))
def test_any_quotes_keep_the_contract_of_markers(parts: list[tuple[str, list[str]]]) -> None:
    text, order = compose(parts)
    shown = list(dict.fromkeys(int(number) for number in MARKER.findall(text)))
    assert list(range(1, len(order) + 1)) == shown
    assert LOOSE.search(text) is None


@settings(deadline=None, max_examples=120)
@given(st.text(alphabet=st.characters(exclude_characters="[]【】［］()⟦⟧<`$\\~#*_>\"'“”"), max_size=200))
def test_text_without_brackets_passes_unchanged(text: str) -> None:
    marked = normalise("Start " + text, FOUR)
    if "\n" not in text and not marked.later:
        assert ("Start " + text).strip() == marked.text
