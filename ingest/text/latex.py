"""LaTeX inside prose -> text; maths between its delimiters stays as it is.

Own code because the libraries lose words: `pylatexenc` 2.11 drops `&`, `~`, `\\ours`, plain braces and what follows a
`%` (74 of 524 real abstracts lost words in its strict mode), and ends in RecursionError on nested braces.
"""

from __future__ import annotations

import re
import unicodedata

URL = r"https?://[^\s{}\\<>\"]+"
MATHS = (
    r"\$\$[^$]{1,2000}\$\$"
    r"|(?<![\\$])\$(?![\s$])(?:[^$\\]|\\.){1,500}?(?<!\s)\$(?![\d$])"
    r"|\\\((?:[^\\]|\\[^()\[\]]){1,2000}\\\)"
    r"|\\\[(?:[^\\]|\\[^()\[\]]){1,2000}\\\]"
    r"|\\begin\{(?P<environment>equation|align|gather|eqnarray|displaymath|math)\*?\}"
    r"(?:[^\\]|\\(?!begin|end)){1,2000}\\end\{(?P=environment)\*?\}"
)
"""A dollar opens maths as in Pandoc: no space after it, none before the closing one, no digit behind that."""

_TOKEN = re.compile(
    rf"(?P<verbatim>{MATHS}|{URL})"
    r"|(?P<dropped>\\(?:begin|end|label|vspace|hspace|color|includegraphics)\*?(?:\[[^\]]{0,80}\])?\{[^{}]{0,80}\})"
    r"|(?P<coloured>\\(?:textcolor|colorbox)\{[^{}]{0,40}\}(?=\{))"
    r"|(?P<link>\\href ?\{(?P<address>[^{}\s]{0,400})\}(?=\{))"
    r"|(?P<codepoint>\$?\\unicode\{x(?P<hex>[0-9a-fA-F]{2,5})\}\$?|\\u(?P<hex4>[0-9][0-9a-fA-F]{3}))"
    r"|(?P<accent>\\(?:(?P<mark>[\"'`^~=.])\s?"
    r"|(?P<named>[cvuHkrdb])(?:\s?(?=\{)|\s(?=[A-Za-z])))"
    r"(?:\{\s?\\?(?P<braced>[A-Za-z])\s?\}|\\(?P<dotless>[ij])(?![A-Za-z]) ?(?:\{\})?|(?P<bare>[A-Za-z])))"
    r"|(?P<command>\\(?P<name>[A-Za-z]+)(?:\*(?=\{))?(?P<empty>\{\})?(?P<dot>\.?))"
    r"|(?P<escaped>\\(?P<character>[\s\S]?))"
    r"|(?P<brace>[{}])"
    r"|(?P<text>[^\\{}$h]+|[$h])"
)

_FORMATTING = frozenset(
    "textbf textit textsc texttt textsf textrm textup textsl textmd textnormal text emph underline uline uwave ul mbox"
    " hbox textsuperscript textsubscript operatorname url path footnote cite citep citet citealp ref eqref autoref cref"
    " title section subsection paragraph ensuremath thanks uppercase".split()
)
_ALPHABETS = frozenset("mathcal mathbb mathbf mathrm mathit mathsf mathtt mathfrak mathscr boldsymbol bm".split())
_DECLARATIONS = frozenset(
    "em bf it sl sc tt sf rm bfseries itshape slshape scshape ttfamily sffamily rmfamily upshape normalfont tiny small"
    " footnotesize large Large LARGE huge centering protect xspace displaystyle noindent".split()
)
_SPACES = frozenset(
    "par newline linebreak smallskip medskip bigskip item quad qquad hfill newpage maketitle ud".split()
)
_WORDS = {"eg": "e.g.", "ie": "i.e.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "vs": "vs.", "cf": "cf."}
_LETTERS = dict(zip("ss o O l L ae AE oe OE aa AA i j".split(), "ßøØłŁæÆœŒåÅij", strict=True))
_SYMBOLS = dict(
    zip(
        "times cdot pm mp leq le geq ge neq ne ll gg sim approx equiv propto infty in to rightarrow Rightarrow"
        " leftarrow leftrightarrow ldots dots textellipsis bullet textbullet degree textdegree dag ddag S P copyright"
        " texttrademark textregistered pounds euro textendash textemdash textasciitilde textasciicircum textless"
        " textgreater textunderscore textquotedblleft textquotedblright textquoteleft textquoteright ell cup cap subset"
        " sum nabla partial checkmark textbraceleft textbraceright textbackslash".split(),
        "×·±∓≤≤≥≥≠≠≪≫~≈≡∝∞∈→→⇒←↔………••°°†‡§¶©™®£€–—~^<>_\"\"''ℓ∪∩⊂∑∇∂✓{}\\",
        strict=True,
    )
)
_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi"
    " psi omega".split()
)
_MARKS = dict(
    zip(
        "'`^\"~=.cvuHkrdb",
        "\u0301\u0300\u0302\u0308\u0303\u0304\u0307\u0327\u030c\u0306\u030b\u0328\u030a\u0323\u0331",
        strict=True,
    )
)
_BASES = {'"': "aeiouyAEIOUY", "~": "anoiuANOIU", "=": "aeiouAEIOU", ".": "zZIgGcCeE", "`": "aeiouAEIOU"}
"""Letters that such a mark is written over; over others the backslash escapes a quote or a full stop."""

_CONTRACTION = re.compile(r"(?:s|t|re|ll|ve|d|m)\b")
_CLOSING_QUOTE = re.compile(r'\\"(?![A-Za-z{\\])')


def strip_latex(text: str) -> str:
    """Read LaTeX commands as a person would see them printed; the argument of every command is kept.

    An unknown command loses its backslash only (`\\ours` -> `ours`), and not even that inside a word (`C:\\data`).
    """
    return _Printer(text).printed() if "\\" in text else text


class _Printer:
    """Writes what LaTeX would print, token by token; braces go with the command they belong to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = [""]
        self.groups: list[tuple[int, bool]] = []  # place of each open "{" in `out`, and whether it is printed
        self.argument = False  # the next "{" belongs to a command
        self.swallow = False  # the next spaces belong to a command
        self.json = bool(_CLOSING_QUOTE.search(text))

    def printed(self) -> str:
        for token in _TOKEN.finditer(self.text):
            kind = token.lastgroup or "text"
            getattr(self, f"_{kind}")(token)
        return "".join(self.out)

    def _write(self, text: str, *, argument: bool = False, swallow: bool = False) -> None:
        self.out.append(text)
        self.argument, self.swallow = argument, swallow

    def _text(self, token: re.Match[str]) -> None:
        text = token[0]
        if self.argument and text.isspace():
            return
        self._write(text.lstrip() if self.swallow else text)

    def _verbatim(self, token: re.Match[str]) -> None:
        self._write(token[0])

    def _dropped(self, _: re.Match[str]) -> None:
        self._write(" ")

    def _coloured(self, _: re.Match[str]) -> None:
        self._write("", argument=True)

    def _link(self, token: re.Match[str]) -> None:
        self._write(re.sub(r"\\(?=[%_#&~])", "", token["address"]) + " ", argument=True)

    def _codepoint(self, token: re.Match[str]) -> None:
        number = int(token["hex"] or token["hex4"], 16)
        self._write(chr(number) if number < 0xD800 or number > 0xDFFF else "\ufffd")

    def _accent(self, token: re.Match[str]) -> None:
        mark = token["mark"] or token["named"]
        letter = token["braced"] or token["dotless"] or token["bare"]
        composed = unicodedata.normalize("NFC", letter + _MARKS[mark])
        if len(composed) > 1 or letter not in _BASES.get(mark, letter) or self._is_quote(token):
            self._write(token[0][1:])
            return
        self._own_group()
        self._write(composed)

    def _is_quote(self, token: re.Match[str]) -> bool:
        """`it\\'s` and `\\"All you need\\"` are quotes that some export escaped."""
        inside = self._last().isalnum()
        if token["mark"] == "'" and token["bare"]:
            return inside and _CONTRACTION.match(self.text, token.end() - 1) is not None
        return token["mark"] == '"' and self.json and not inside

    def _command(self, token: re.Match[str]) -> None:
        name, dot = token["name"], token["dot"]
        brace = not (token["empty"] or dot) and self.text[token.end() : token.end() + 2].lstrip()[:1] == "{"
        if (name in _FORMATTING and brace) or name in _ALPHABETS:
            self._own_group()
            self._write(self._lead(name) + dot, argument=brace, swallow=not brace)
        elif name in _SPACES:
            self._write(" " + dot)
        elif name in _DECLARATIONS:
            alone = self._own_group() or not self._last().isalnum()
            self._write(dot, swallow=alone and not dot)
        elif name in _LETTERS:
            self._own_group()
            self._write(_LETTERS[name] + dot, swallow=not (token["empty"] or dot))
        else:
            self._word(name, dot)

    def _lead(self, name: str) -> str:
        """What separates a command's argument from the text before it."""
        if name == "textsuperscript" and self._last().isdigit():
            return "^"  # 10 with a raised 3 is not 103
        return " " if name in ("footnote", "thanks") else ""

    def _word(self, name: str, dot: str) -> None:
        """A command that prints something of its own: an abbreviation, a symbol, or its unknown name."""
        printed = _WORDS.get(name) or _SYMBOLS.get(name) or _greek(name)
        if (printed is None and self._last().isalnum()) or self._last() in (":", "\\"):
            self._write(f"\\{name}{dot}")
            return
        self._own_group()
        if printed is None and name[0] == "n" and not name[1:2].islower():
            printed = f" {name[1:]}"  # the line break of some JSON, escaped twice
        printed = name if printed is None else printed
        self._write(printed if printed.endswith(".") else printed + dot)

    def _escaped(self, token: re.Match[str]) -> None:
        character = token["character"]
        if character == "/":
            printed = "" if self.text[token.end() : token.end() + 1] in ("}", " ", "") else "/"
        elif character in "!-@":
            printed = ""
        elif character in ",;:\\" or character.isspace():
            printed = " "
        else:
            printed = f"\\{character}" if character.isdigit() and self._last().isalnum() else character
        self._write(printed)

    def _brace(self, token: re.Match[str]) -> None:
        if token[0] == "{":
            printed = not self.argument
            self.groups.append((len(self.out), printed))
        else:
            printed = self.groups.pop()[1] if self.groups else True
        self._write(token[0] if printed else "")

    def _own_group(self) -> bool:
        """Whether a command opens its group, as in `{\\em x}`; then the group's braces are not printed."""
        if not self.groups or self.groups[-1][0] != len(self.out) - 1:
            return False
        self.out[-1] = ""
        self.groups[-1] = (len(self.out) - 1, False)
        return True

    def _last(self) -> str:
        """The last character written so far."""
        return next((piece[-1] for piece in reversed(self.out[-3:]) if piece), "")


def _greek(name: str) -> str | None:
    bare = name.removeprefix("var")
    if bare.lower() not in _GREEK or bare[1:] != bare[1:].lower():
        return None
    case = "CAPITAL" if bare[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {case} LETTER {bare.upper().replace('LAMBDA', 'LAMDA')}")
