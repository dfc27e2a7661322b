"""Raw text of an abstract -> text for people, without losing a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import ftfy

from ingest.text.latex import MATHS, URL, strip_latex
from ingest.text.markup import strip_markup

_ROUNDS = 12
"""One layer of markup can hide another (`\\&lt;`). Real text is stable after two rounds; the bound keeps it linear."""

_ENCODING = ftfy.TextFixerConfig(
    unescape_html=False, uncurl_quotes=False, fix_character_width=False, fix_line_breaks=False, normalization=None
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufffe\uffff]"
    # joiners shape Persian, Indic and emoji; between other characters they are noise
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_DECOMPOSED = re.compile(r"[^\W\d_][\u0300-\u036f]{1,4}(?![\u0300-\u036f])")
_VERBATIM = re.compile(f"(?:{MATHS}|{URL})")

_PLAIN_MATHS = (
    (re.compile(r"\$([-+~]?\d[\d.,]*)(?:\\?(%))?\$"), r"\1\2"),  # $50$, $77.3\%$
    (re.compile(r"\$\\text[a-z]*\{([\w .-]+)\}\$"), r"\1"),
    (re.compile(r"\$([A-Za-z][a-z]{2,}(?: [a-z]{2,}){2,})\$"), r"\1"),  # words between dollars are no formula
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """Where the literal `trigger` occurs, `pattern` becomes `replacement`; the trigger spares the search elsewhere."""

    trigger: str
    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]


def _rule(trigger: str, pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> _Rule:
    return _Rule(trigger, re.compile(pattern), replacement)


# LaTeX and HTML that lost their backslashes and ampersands on the way; only where no prose reads so.
_LOST_MARKUP = (
    _rule("x20", r"(?<!\w)&?#?x(20(?:1[3489cCdD]|2[26]));?(?!\w)", lambda found: chr(int(found[1], 16))),
    _rule("text", r"(?<![A-Za-z\\])text(?:bf|it|sc|tt|rm|sf|superscript)\{([^{}]{1,300})\}", r"\1"),
    _rule("math", r"(?<![A-Za-z\\])math(?:cal|bb|bf|rm|frak|scr) ?(?:\{([A-Za-z])\}|([A-Z])(?![A-Za-z]))", r"\1\2"),
    _rule("{", r"\{(?:bf|em|cal) ([^{}]{1,300})\}", r"\1"),
    _rule("{", r"(?<![\w\\^}])\{([A-Z][A-Za-z]{0,20})\}(?=[a-z])", r"\1"),  # BibTeX's {C}ross
    _rule("times", r"(?<=\d)times(?=\d|\W|$)", "×"),
    _rule("leq", r"(?<!\w)leq(?=\d)", "≤"),
    _rule("geq", r"(?<!\w)geq(?=\d)", "≥"),
    _rule("sim", r"(?<!\w)sim(?=\d[\d.]{0,9}(?:%|×))|(?<=\d)sim ?(?=\d)", "~"),
    _rule("Rightarrow", r"(?<=[a-z])Rightarrow(?=[a-z])", " ⇒ "),
    _rule("rightarrow", r"(?<=[a-z])rightarrow(?=[a-z])", " → "),
    _rule("bullet", r"(?<=[.:;] )bullet (?=[A-Z])", "• "),
)
_MARKS = (
    # a comment mark follows the end of a sentence; elsewhere % is a sign (5.4 %AP50, "in %", %EWL)
    _rule(
        "%",
        r"""([.!?]["')\]]?) ?%[% ]*(?=([, ]*)[A-Za-z])""",
        lambda found: found[1] + ("" if found[2] else " "),
    ),
    _rule("~", r"(?<=[A-Za-z.)])~(?=[A-Za-z]{2}|[\[(])", " "),
    _rule("~", r"(?:(?<=ig\.)|(?<=al\.)|(?<=able)|(?<=gure)|(?<=tion))~(?=\d)", " "),
    _rule("``", r"(?<!`)``(?!`)", '"'),
    _rule("''", r"(?<!')''(?!')(?<!\w'')|(?<!')''(?![\w'(=])", '"'),
    _rule("`", r"(?<![\w`])`(?=\w)([^`'\"]{1,80})'(?!\w)", r"'\1'"),
    _rule("---", r"(?<![-<!])---(?![->])", "—"),
    _rule("--", r"(?<=[^\s\-<!])--(?![->])|(?<![-<!])--(?=\s|$)", "–"),
    _rule("**", r"(?<![*\w])\*\*(?=[^\s*])([^*]{1,200}[^\s*])\*\*(?![*\w])", r"\1"),
    _rule("**", r"(?<!\*)\*\*([A-Za-z]{1,40})\*\*(?!\*)", r"\1"),
    _rule("*", r"(?<![*\w^)\]])\*([A-Za-z][\w -]{0,60}[A-Za-z])\*(?![*\w])", r"\1"),
)


def clean(raw: str) -> str:
    """Text with single spaces, without LaTeX, HTML, mojibake or invisible characters; `clean(clean(x)) == clean(x)`.

    Maths between `$`, `\\(` or `\\[` stays LaTeX; text that only looks like markup stays as it is.
    """
    text = raw
    for _ in range(_ROUNDS):
        before, text = text, _round(text)
        if text == before:
            break
    return text


def _round(text: str) -> str:
    """Take one layer of markup off; time is linear in the text's length."""
    if not text.isascii():
        text = _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFC", found[0]), ftfy.fix_text(text, _ENCODING))
    text = _single_spaced(text)
    if not text.isprintable():
        text = _single_spaced(_INVISIBLE.sub("", text))
    stripped = strip_latex(strip_markup(text))
    text = text if stripped is text else _single_spaced(stripped)
    mended = _typography(text)
    return text if mended is text else _single_spaced(mended)


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _typography(text: str) -> str:
    """Quotes, dashes, emphasis and stray marks of the prose between formulas and addresses."""
    if not any(trigger in text for trigger in ("$", "\\", "http")):
        return _apply(_LOST_MARKUP + _MARKS, text)
    pieces, at = [], 0
    for verbatim in _VERBATIM.finditer(text):
        pieces += [_apply(_LOST_MARKUP + _MARKS, text[at : verbatim.start()]), _plain_maths(verbatim[0])]
        at = verbatim.end()
    return "".join([*pieces, _apply(_LOST_MARKUP + _MARKS, text[at:])])


def _apply(rules: tuple[_Rule, ...], text: str) -> str:
    for rule in rules:
        if rule.trigger in text:
            text = rule.pattern.sub(rule.replacement, text)
    return text


def _plain_maths(maths: str) -> str:
    """A formula as it is, or without its dollars where it holds a number or words only."""
    readable = maths if "\\" in maths or "://" in maths else _apply(_LOST_MARKUP, maths)
    for pattern, replacement in _PLAIN_MATHS:
        found = pattern.fullmatch(readable)
        if found:
            return found.expand(replacement)
    return readable
