"""What comes from data is shown as it is, and formulas are typeset; streamlit#8099, #9272, #8726."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag.ui import markdown, prose
from rag.ui.markdown import Mark
from rag.ui.maths import LONGEST, formulas

MONEY = [
    "between $5M and $10M, or 5$",
    "US$3 and AU$4",
    "$5 and $10",
    "it costs $5-$10",
    "from $1,000 to $2,000 a year",
    "a fall of $3 (from $12)",
    "5$ or 10$",
    r"\$5 and \$10",
    "prices ($20) and ($30)",
]
FORMULAS = {
    r"$\alpha$": [r"\alpha"],
    "p < $0.05$": ["0.05"],
    "$n$ of $k=3$ in $O(n^2)$": ["n", "k=3", "O(n^2)"],
    r"$\mathcal{L}_{\text{a b}}$": [r"\mathcal{L}_{\text{a b}}"],
    r"\(x_1\) and \[ y \]": ["x_1", "y"],
    "$$a + b$$": ["a + b"],
    r"cost $c \le 5$ but $3 each": [r"c \le 5"],
    "over $x$\nand $y +\n z$": ["x", "y + z"],
}
NO_FORMULAS = [
    r"$\href{javascript:alert(1)}{x}$",
    r"\(\includegraphics{http://192.0.2.1/a.png}\)",
    r"$\def\x{\x\x}\x$",
    r"$\htmlData{a=b}{x}$",
    r"$\frac{1}{2$",
    "$" + "x+" * LONGEST + "x$",
    "$ x$",
    "$$",
]
HOSTILE = [
    "CYP2D6*4 :warning: a_b_c [x](y) # 1",
    "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "[x](javascript:alert(1)) ![](http://192.0.2.1/?q=1)",
    "&lt;b&gt; &amp; &#36;x&#36;",
    "**bold** __bold__ ~~gone~~ `code`",
    "1. one",
    "7) seven",
    "- item",
    "+ item",
    "# heading",
    "> quote",
    "| a | b |",
    "---",
    "    four spaces",
    "```fence",
    ":red[text] :material/check: :streamlit: ::: :blue-badge[x]",
    "[^1] [a]: http://192.0.2.1",
    "a -- b -> c <- d <= e",
    "ends with a backslash \\",
    "mAP@0.5 and nDCG@10",
]


def shown(text: str) -> str:
    """The text a reader sees, by CommonMark with GitHub's tables and strike-through."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return unescape(re.sub(r"<[^>]*>", "", html)).replace(markdown.JOINER, "")


def tags(text: str) -> set[str]:
    """The elements that a browser would see."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return set(re.findall(r"<(\w+)", html))


def unescaped(text: str, sign: str) -> int:
    """How often a sign stands in markdown without a backslash, outside code."""
    return len(re.findall(rf"(?<!\\)(?:\\\\)*{re.escape(sign)}", re.sub("`[^`]*`", "", text)))


@pytest.mark.parametrize("text", MONEY)
def test_money_is_no_formula(text: str) -> None:
    assert list(formulas(text)) == []
    assert unescaped(markdown.literal(text), "$") == 0


@pytest.mark.parametrize(("text", "latex"), FORMULAS.items())
def test_formulas_are_found(text: str, latex: list[str]) -> None:
    assert [formula.latex for formula in formulas(text)] == latex
    assert unescaped(markdown.literal(text), "$") == 2 * len(latex)


@pytest.mark.parametrize("text", NO_FORMULAS)
def test_what_could_fetch_run_or_break_is_no_formula(text: str) -> None:
    assert list(formulas(text)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_it_is(text: str) -> None:
    assert " ".join(shown(markdown.line(text)).split()) == " ".join(text.split())
    assert tags(markdown.line(text)) <= {"p", "code"}


@pytest.mark.parametrize("text", HOSTILE)
def test_shortcodes_and_directives_are_escaped(text: str) -> None:
    markup = markdown.literal(text)
    assert unescaped(markup, ":") == unescaped(markup, "[") == unescaped(markup, "<") == 0
    assert ":material/" not in markup
    assert ":streamlit:" not in markup


@pytest.mark.parametrize(
    "address", ["https://github.com/a_b/c-d", "http://192.0.2.1/?q=*x", "www.example.org/a", "me@example.org"]
)
def test_addresses_are_code_so_that_nothing_links_them(address: str) -> None:
    assert markdown.line(f"See {address}. Then") == f"See `{address}`. Then"


def test_paragraphs_are_kept_and_controls_are_not() -> None:
    assert markdown.literal("one\ntwo\n\n three\x00\u202e") == "one two\n\nthree"


def test_what_cannot_be_encoded_is_replaced() -> None:
    assert markdown.literal("a\ud800b") == "a\ufffdb"


def test_a_mark_surrounds_its_part() -> None:
    text = "One. Two *x*. Three."
    assert markdown.literal(text, [Mark(5, 13, ":yellow-background[", "]")]) == (
        r"One. :yellow-background[Two \*x\*.] Three."
    )


def test_a_mark_takes_in_the_whole_formula_it_touches() -> None:
    assert markdown.literal("a $x + y$ b", [Mark(0, 5, "<", ">")]) == "<a $x + y$> b"


def test_a_mark_over_two_paragraphs_is_set_in_both() -> None:
    assert markdown.literal("one\n\ntwo", [Mark(0, 8, "<", ">")]) == "<one>\n\n<two>"


def test_brackets_of_a_formula_cannot_end_the_label_around_it() -> None:
    assert markdown.literal("$x \\in [0, 1)$") == r"$x \in \lbrack 0, 1)$"
    assert markdown.literal("$\\sqrt[3]{x}$") == r"$\sqrt[3]{x}$"


def test_a_percent_sign_hides_nothing_of_a_formula() -> None:
    assert markdown.literal("$95% x_1$") == r"$95\% x_1$"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\u2060\ufeff"), max_size=60)
NASTY = st.text(st.sampled_from("ab1 \n$\\*_#[]()<>!:`~|-+.@/&;{}^=\"'"), max_size=40)


def without_formulas(text: str) -> bool:
    return not list(formulas(text))


@settings(deadline=None, max_examples=300)
@given(NASTY.filter(without_formulas))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    assert "".join(shown(markdown.literal(text)).split()) == "".join(text.split())
    assert tags(markdown.literal(text)) <= {"p", "code"}


@settings(deadline=None, max_examples=300)
@given(st.one_of(TEXTS, NASTY), st.integers(0, 40), st.integers(0, 40))
def test_marks_never_change_what_is_shown(text: str, start: int, length: int) -> None:
    marked = markdown.literal(text, [Mark(start, min(len(text), start + length), "\ue000", "\ue001")])
    without = re.sub(f"[\ue000\ue001{markdown.JOINER}]", "", marked)
    assert without.split() == markdown.literal(text).replace(markdown.JOINER, "").split()
    assert marked.count("\ue000") == marked.count("\ue001")


@settings(deadline=None, max_examples=200)
@given(NASTY.filter(without_formulas))
def test_an_answer_never_has_more_than_paragraphs_lists_bold_and_code(text: str) -> None:
    allowed = {"p", "br", "ul", "ol", "li", "strong", "code", "pre"}
    assert tags(prose.prose(text, lambda number: f"({number})")) <= allowed


def link(number: int) -> str:
    return f"[{number}](#s{number})"


PROSE = {
    "A [1]. B [2][1].": r"A.[1](#s1) B.[2](#s2)\,[1](#s1)",
    "A [1], then b": "A,[1](#s1) then b",
    "x[\u20601] y": r"x\[1\] y",
    "- **one** [1]\n- two\n  1. three": "- **one**[1](#s1)\n- two\n    1. three",
    "## Results\ntext": "**Results**\n\ntext",
    "a\nb": "a  \nb",
    "a\n=": "a  \n\\=",
    "`f(x)[\u20600]` is": "`f(x)[0]` is",
    "```py\nx = 1\n": "```\nx = 1\n```",
    "~~~\n```\n[1]": "````\n```\n[1]\n````",
    "3 * 4 * 5 and *this*": r"3 \* 4 \* 5 and \*this\*",
    "![a](http://192.0.2.1)": r"\!\[a\](`http://192.0.2.1`)",
}


@pytest.mark.parametrize(("text", "expected"), PROSE.items())
def test_an_answer_keeps_its_lists_bold_and_code(text: str, expected: str) -> None:
    assert prose.prose(text, link) == expected


def test_quotes_keep_nothing_but_their_footnotes() -> None:
    assert prose.quoted("- **a** `b` [1].\n\nc", link) == "\\- \\*\\*a\\*\\* \\`b\\`.[1](#s1)\n\nc"
