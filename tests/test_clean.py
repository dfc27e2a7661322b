from __future__ import annotations

import re
import string
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.text.clean import clean

LATEX = [
    (r"\textsc{r}etrieval", "retrieval"),
    (r"Pos2Distill-R\textsuperscript{1}", "Pos2Distill-R1"),
    (r"10\textsuperscript{3}", "10^3"),
    (r"regularization, {\em provides a bound}, and", "regularization, provides a bound, and"),
    (r"named {\textsc{Reel}} is", "named Reel is"),
    (r"a \emph{very \textbf{bold} idea}.", "a very bold idea."),
    (r"(\eg, ``image segmentation'')", '(e.g., "image segmentation")'),
    (r"heads (\ie, classification heads)", "heads (i.e., classification heads)"),
    (r"we present \ours, a framework", "we present ours, a framework"),
    (r"by 44.7\%. And >35\%", "by 44.7%. And >35%"),
    (r"Lesperance, \& Levesque", "Lesperance, & Levesque"),
    (r"\delta-NLI and PanGu-{\Sigma}", "δ-NLI and PanGu-Σ"),
    (r"\href{https://a.org/b\_c}{our page}", "https://a.org/b_c our page"),
    (r"\textcolor{red}{new} \vspace{-2mm} text", "new text"),
    (r"\begin{itemize}\item one \item two\end{itemize}", "one two"),
    (r"i.i.d.\ samples", "i.i.d. samples"),
    (r"by \cite{fox:long:jair-03}; parts", "by fox:long:jair-03; parts"),
    (r"\method{} on Figure~1, Section~3, of \method~on", "method on Figure 1, Section 3, of method on"),
    (r"\{AI\} in \{1, 2\}", "{AI} in {1, 2}"),
    (r"\unicode{x2013} and O\u2019Donovan", "– and O’Donovan"),
]
ACCENTS = [
    (r"na\"ive na{\"i}ve na\"{\i}ve", "naïve naïve naïve"),
    (r"Cram\'er Cram{\'e}r Cram\'{e}r", "Cramér Cramér Cramér"),
    (r"Fran\c{c}ois, Ho\v{r}ej\v{s}, Erd\H{o}s", "François, Hořejš, Erdős"),
    (r"{\O}rsted, Stra{\ss}e, \L{}ukasz", "Ørsted, Straße, Łukasz"),
    ("Cafe\u0301", "Café"),
    (r"it\'s and we\'re", "it's and we're"),
    (r"the paper \"All you need\" says", 'the paper "All you need" says'),
]
TYPOGRAPHY = [
    ("``tensor-type'' and ``imagine\"", '"tensor-type" and "imagine"'),
    ("''Grokking tickets'', \"A is B'' occurs", '"Grokking tickets", "A is B" occurs'),
    ("as `constrained margins'. don't", "as 'constrained margins'. don't"),
    ("Jensen--Shannon, a --- b, c -- d, e---f", "Jensen–Shannon, a — b, c – d, e—f"),
    ("understood. %To understand", "understood. To understand"),
    ("images.%, demonstrating", "images., demonstrating"),
    ("exhibit x2014 such as", "exhibit — such as"),
    ("**SENTINEL** (**S**entence-level **E**arly i**N**tervention)", "SENTINEL (Sentence-level Early iNtervention)"),
    ("propose *max-attention*, a variant", "propose max-attention, a variant"),
]
MARKUP = [
    ("P &lt; .001 &amp;amp;lt; &amp; H&E", "P < .001 < & H&E"),
    (
        "<jats:title>Background</jats:title><jats:p>The <i>in vivo</i> CO<sub>2</sub></jats:p>",
        "Background The in vivo CO2",
    ),
    ("&lt;p&gt;The impact.&lt;/p&gt;", "The impact."),
    ("ar<fixed-case>X</fixed-case>iv", "arXiv"),
    ("10<sup>3</sup> km<sup>2</sup>", "10^3 km2"),
    ('see <a href="https://a.org/?x=1&y=2">here</a><br/>now', "see here now"),
    ("<mml:math><mml:mi>p</mml:mi><mml:mo>=</mml:mo><mml:mn>2</mml:mn></mml:math>", "p = 2"),
    ("a <!-- hidden --> b", "a b"),
    ("86&#92;% of them, &#x3b1;&nbsp;x", "86% of them, α x"),
]
LOST = [
    ("64times64, 500times the", "64×64, 500× the"),
    (r"as sim50times, preserves sim95\% GLUE", "as ~50×, preserves ~95% GLUE"),
    ("models (leq3B), degrades geq75%", "models (≤3B), degrades ≥75%"),
    ("bounds of mathcal{O}(1/n) and mathcal N(0, 1)", "bounds of O(1/n) and N(0, 1)"),
    ("exp(QK^top) {bf 1}_n", "exp(QK^top) 1_n"),
    ("of $textbf{specialist} and textbf{generalist}$ models", "of specialist and generalist models"),
    ("descriptionRightarrowword examples", "description ⇒ word examples"),
    ("in time. bullet On the negative side", "in time. • On the negative side"),
]
ENCODING = [
    ("from 220 to 300Â°C", "from 220 to 300°C"),
    ("childrenâ€™s", "children’s"),
    ("a\x00b\u200bc\u00add\ufeffe", "abcde"),
    ("classiﬁcation", "classification"),
    ("  two\n\n\tlines\u00a0here  ", "two lines here"),
    ("می\u200cخواهم", "می\u200cخواهم"),
]
KEPT = [
    "MNIST < CIFAR10 < Imagenet and color > size > velocity",
    "a<b and c>d, <2% of images, patients with<or =5 lesions and with>5",
    "BigVul[1] in [25] of [ZRKB21], o(sqrt[3]{log n}) at [HOSPITAL]'s",
    "(QA)^2, R^3, C^2OT, pi_0 against Pi0, V_0 against V_{0.5}, SD_{SR4G}, (K+1)^{th}, D^{-1}",
    "pseudo parallel data {natural source, translated target} and {feature suppression}",
    "20'910 rows, 5' and 3' ends, f''(x), O'Brien, 'unseen' split",
    "5.4 %AP50, in %, an additional %EWL of 53.4 %, ~80% (~86%), 95%CI",
    "Theta(Hd^2), ell^1, n times d size, sim2real, Sim2Real, sometimes 3 times",
    "T:Xto Y whose adjoints T^*:Y^*to X^*, alleles *1*1 and *2*2, x**2 + y**2, A* and B*",
    "p(Y|X), E[Y|X], {p}_{theta}(Y|X), H&E, V&L, R&D, AT&T; and more",
    "a learnable <pause> token, <s> and </s>, <cit.>, <https://doi.org/10.1/x>",
    "run with --help, https://a.org/x--y_z~u/%C3%B6?a=1&b=2, C:\\data\\new",
    "Linux2014, matrix2019, 256x2014, H2O, GPT-4, x20",
    "costs between $5M and $10M, or US$3",
]
MATHS = [
    r"let $\mathbf{x}_1 \leq \textit{y}$ and \(\alpha^2\) hold",
    r"to be \[\tilde \Theta\left(\frac{\sqrt{n}}{\varepsilon_2^{2}}\right)\] samples",
    r"if $y(u)<y(v)$ over $\{1, \dots, n\}$ with $p$ and $q$",
]


@pytest.mark.parametrize(("raw", "expected"), LATEX)
def test_latex_reads_as_it_prints(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize(("raw", "expected"), ACCENTS)
def test_accents_become_letters(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize(("raw", "expected"), TYPOGRAPHY)
def test_quotes_dashes_and_marks_are_typographic(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize(("raw", "expected"), MARKUP)
def test_tags_go_and_entities_become_characters(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize(("raw", "expected"), LOST)
def test_markup_that_lost_its_backslash_is_read_where_no_prose_reads_so(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize(("raw", "expected"), ENCODING)
def test_broken_encoding_and_invisible_characters_are_mended(raw: str, expected: str) -> None:
    assert expected == clean(raw)


@pytest.mark.parametrize("text", KEPT + MATHS)
def test_what_only_looks_like_markup_and_maths_stay(text: str) -> None:
    assert text == clean(text)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("only $50$ of $77.3\\%$", "only 50 of 77.3%"), ("a $\\textit{pause}$ token", "a pause token")],
)
def test_dollars_around_numbers_and_words_go(raw: str, expected: str) -> None:
    assert expected == clean(raw)


FRAGMENTS = [
    *"\\{}%&<>$'`\"*~-_^#;:/.,()[] \nanB7n",
    *["&amp;", "amp;", "&lt;", "lt;", "&#38;", "#38;", "&nbsp;", "<b>", "</b>", "<p>", "<sup>", "<!--", "-->"],
    *["\\textsc{", "\\'", '\\"', "\\c", "\\i", "\\alpha", "\\em", "\\ours", "\\%", "\\~", "\\n", "\\u2019", "\\href{"],
    *["\\(", "\\)", "\\[", "\\]", "\\begin{math}", "\\end{math}", "\\unicode{x", "x2014", "times", "sim", "mathcal"],
    *[
        "textbf{",
        "Rightarrow",
        "--",
        "``",
        "''",
        "**",
        "http://x.y/",
        "\u0301",
        "\u200b",
        "\x00",
        "Ã",
        "©",
        "ﬁ",
        "中。",
    ],
]


@settings(deadline=None, max_examples=600)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join) | st.text(max_size=40))
def test_cleaning_twice_equals_cleaning_once(raw: str) -> None:
    once = clean(raw)
    assert once == clean(once)


WORDS = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12) | st.sampled_from(
    [
        "so.",
        "and,",
        "end;",
        "5.4%",
        "<",
        ">",
        "=",
        "&",
        "[1]",
        "pi_0",
        "R^2",
        "(QA)^2",
        "{a, b}",
        "n'",
        '"so"',
        "–",
        "naïve",
        "Größe",
        "über",
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=30).map(" ".join))
def test_ordinary_prose_loses_no_letter_or_digit(raw: str) -> None:
    assert [c for c in raw if c.isalnum()] == [c for c in clean(raw) if c.isalnum()]


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(categories=["L", "N", "P", "Z"], max_codepoint=0x24F), max_size=60))
def test_output_is_one_line_of_visible_characters(raw: str) -> None:
    cleaned = clean(raw)
    assert cleaned == " ".join(cleaned.split())
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs")]


@pytest.mark.parametrize("piece", ["{", "&", "<", "$", "\\(", "**a", "&amp;", "<b>"])
def test_thirty_thousand_repeats_of_a_mark_are_read(piece: str) -> None:
    assert isinstance(clean(piece * 30_000), str)


def test_seeds_keep_every_word_and_every_number(shared_data: Path) -> None:
    for path in sorted((shared_data / "seeds").glob("*.txt")):
        for raw in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            cleaned = clean(raw)
            assert re.findall(r"\d+", raw.replace("x2014", "")) == re.findall(r"\d+", cleaned)
            assert cleaned == clean(cleaned)
            assert not re.search(r"\\|``|''|\*\*|&amp;", cleaned)
