from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.text.sentences import split


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split(text)]


# Each case shows its boundaries as "|".
ENDS = [
    "We show it.| It works!| Does it?| Yes.",
    'He asked "does it work?".| More broadly, yes.| "So it is."| (They agree.)| [Then] it ends.',
    "Our data.| source code is released.| we also give weights.",
    "It routes experts.| pMoE is fast.| xSTREET is hard.| iPhone sells.| pi_0 is a policy.| mRNA counts.",
    "Score on our benchmark.| 183 Generalist models fail.",
    "(1) sparse: few are needed.| (2) Even when frozen, they help.| (Q2) Why?| • On the negative side, none.",
    "cubic time in n.| However, we show.| samples k.| We stop.| for vitamin C.| The dose is low.",
    "by Wang et al.| We also use CNNs, RNNs, etc.| First, we train.",
    "with k=5 and 6.| In this paper, we stop.",
    "Code: https://a.org/b.| Data: (https://a.org/c).| Mail me@x.org.| End",
    "Wait...| Then it ends…| And so on.",
    "See $x$.| $\\alpha$ is small.| \\(y\\) is not.",
]
GOES_ON = [
    "We use e.g. BERT, i.e. an encoder, vs. GPT, cf. Fig. 2, Figs. 3 and Eq. 4 w.r.t. Macro-AUC.",
    "As Vaswani et al. (2017), Chen et al. 2021 and J. Smith, J.-P. Serre and Dr. Who said of i.i.d. data (i.i.d.).",
    "Gains of 5.4 %AP50, 1.5x with Qwen2.5 and GPT-4.Vision in node.js or torch.Tensor at 3.5 GHz.",
    "C. elegans and E. coli grow in the U.S. population (RNNs, etc.), while O.O.D. generalization fails.",
    'answers like "I am certain that..." or "Who is it? [A: Mary]" cannot help, and... so on.',
    "the task and 1.) show it, 2.) reuse it, with attention ii. in place.",
    "see www.a.org/x.html?y=1.The and mail A.B@c.d.The rest",
    "mutations encoding p. Lys27Met substitutions",
]
GLUED = [
    "deviate from these explanations.|This behaviour is poor.",
    "in our framework.|The challenge remains.|However, it works (CNN).|We gain 95%.|Our code!",
]
OTHER_SCRIPTS = [
    "我们提出方法。|结果很好！|“真的？”|是的。",
    "これは文です。|次です。",
    "यह वाक्य है।| दूसरा।",
    "هل هذا؟| نعم.",
]


@pytest.mark.parametrize("marked", ENDS + GLUED + OTHER_SCRIPTS)
def test_sentences_end_where_a_reader_ends_them(marked: str) -> None:
    assert [piece.strip() for piece in marked.split("|")] == sentences(marked.replace("|", ""))


@pytest.mark.parametrize("text", GOES_ON)
def test_stops_inside_a_sentence_do_not_end_it(text: str) -> None:
    expected = [text]
    assert expected == sentences(text)


def test_labels_of_a_list_stay_with_their_sentence() -> None:
    expected = ["Steps: 1. Train it.", "2. Test it.", "(3) Done."]
    assert expected == sentences("Steps: 1. Train it. 2. Test it. (3) Done.")


def test_a_blank_line_ends_a_sentence() -> None:
    expected = ["A title", "Its text\ngoes on."]
    assert expected == sentences("A title\n\nIts text\ngoes on.")


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_nothing_has_no_sentences(text: str) -> None:
    assert not split(text)


FRAGMENTS = [
    *".!?…。？,;:()[]\"'”“ \n\taA1é中",
    "e.g.",
    "et al.",
    "Fig.",
    "We",
    "The ",
    "(2)",
    "https://a.b/c",
    "3.5",
    "..",
    "ii.",
    "\x1c",
]


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join) | st.text(max_size=60))
def test_spans_hold_every_visible_character_in_order(text: str) -> None:
    spans = split(text)
    assert "".join(text.split()) == "".join("".join(text[start:end].split()) for start, end in spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


@pytest.mark.parametrize("piece", [".", " ", ". ", "a. ", "A. ", '. "', "。", "\n ", "e.g. ", "x"])
def test_thirty_thousand_repeats_are_split_without_loss(piece: str) -> None:
    text = piece * 30_000
    spans = split(text)
    assert len("".join(text.split())) == sum(len("".join(text[start:end].split())) for start, end in spans)


def test_no_seed_sentence_ends_in_an_abbreviation(shared_data: Path) -> None:
    for path in sorted((shared_data / "seeds").glob("*.txt")):
        for paragraph in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            for sentence in sentences(paragraph)[:-1]:
                assert not re.search(r"(?:\be\.g|\bi\.e|\bvs|\bFig|\(\d)\.?$", sentence)


def test_a_unit_of_time_ends_a_sentence_and_a_title_does_not() -> None:
    text = "It fell by 14 ms. No effect was seen. Ms. Lee agreed."

    assert [text[start:end] for start, end in split(text)] == [
        "It fell by 14 ms.",
        "No effect was seen.",
        "Ms. Lee agreed.",
    ]
