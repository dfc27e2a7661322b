"""BibTeX as files really have it -> entries with their fields, each with its line.

Own code because the libraries lose entries of real exports: of Mendeley's 512, `bibtexparser` 2.1 gives 451 and
`pybtex` 0.26 raises; of Citavi's 58 without citation keys the one gives 1, and the other raises.

Syntax: "Designing BibTeX Styles" and `bibtex.web`; braces balance in every value, escaped ones too. Files that only
balance when escaped braces are left out are read that way, and in one whose braces never balance, a line that begins
like a field begins a field.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

HEAD = re.compile(r"[\ufeff \t]*@[ \t]*[A-Za-z][\w-]*\s*(?:[{(]|$)")
NEXT = re.compile(r"@[ \t]*([A-Za-z][\w-]*)\s*([{(])")
COMMENT_LINES = 500
"""The end of an `@comment` is looked for over this many lines of what looks like entries."""

_SPACE = re.compile(r"(?:\s+|%[^\n]*(?:\n|\Z))*")
_NAME = re.compile(r"([^\s=,{}()\"#%@]+(?:[ \t\xa0][^\s=,{}()\"#%@]+){0,3})\s*=")
_KEY = re.compile(r"\s*([^,={}\n]*?)\s*(?=[,}\n]|\)\s*\Z)")
_BARE = re.compile(r"[^\s,#{}\"()]+")
_BRACE = re.compile(r"[{}]")
_UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*([{}])")
_SIGN = re.compile(r'[{}"]')
_GLUED = re.compile(r"(?<=[})])[ \t]*(?=@[A-Za-z][\w-]*\s*[{(])")
_END = re.compile(r"[})]\s*\Z")
_AFTER_QUOTE = re.compile(r"\s*(?:,\s*(?:[^\s=,{}()\"]{1,40}\s*=|[})]|\Z)|#|[})]|\Z|\n\s*[^\s=,{}()\"]{1,40}\s*=)")
_FIELD_LINE = re.compile(r"^[ \t]*,?[ \t]*([A-Za-z][\w:-]*)[ \t]*=[ \t]*(?=[{\"\w])", re.MULTILINE)
_CLOSERS = {"{": "}", "(": ")"}
MONTHS = dict(
    zip(
        "jan feb mar apr may jun jul aug sep oct nov dec".split(),
        "January February March April May June July August September October November December".split(),
        strict=True,
    )
)


class _BrokenError(Exception):
    """The text is not well-formed from here on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One `@kind{key, name = value}`: names in lower case, of equal names the first value; `line` is 1-based.

    `whole` is False where braces did not balance and fields were told apart by their lines.
    """

    kind: str
    key: str
    line: int
    fields: dict[str, str] = field(default_factory=dict)
    whole: bool = True


def entries(lines: Iterable[str]) -> Iterator[Entry]:
    """Every entry but `@string`, `@preamble` and `@comment`; macros are replaced by what was defined so far."""
    macros = dict(MONTHS)
    for line, text in _blocks(lines):
        for entry in _entries_of(text, line, macros):
            if entry.kind == "string":
                macros.update({name.lower(): value for name, value in entry.fields.items()})
            elif entry.kind not in ("preamble", "comment"):
                yield entry


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Pieces of text, each beginning with an entry: from one `@kind{` at a line's beginning to the next.

    A comment that leaves a brace open takes in the pieces up to the one that closes it.
    """
    pieces, held, waiting = _pieces(lines), list[tuple[int, str]](), deque[tuple[int, str]]()
    while piece := waiting.popleft() if waiting else next(pieces, None):
        if not held and not _is_open_comment(piece[1]):
            yield piece
            continue
        held.append(piece)
        text = "".join(text for _, text in held)
        if text.count("{") <= text.count("}"):
            yield held[0][0], text
            held.clear()
        elif text.count("\n") > COMMENT_LINES:
            yield held[0]
            waiting.extendleft(reversed(held[1:]))
            held.clear()
    yield from held


def _pieces(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    start, collected = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if HEAD.match(line):
            if collected:
                yield start, "".join(collected)
            start, collected = number, [line]
        elif collected:
            collected.append(line)
    if collected:
        yield start, "".join(collected)


def _is_open_comment(text: str) -> bool:
    head = NEXT.search(text)
    return head is not None and head[1].lower() == "comment" and not _skipped(text, head, "comment", 0)[0].whole


def _entries_of(text: str, line: int, macros: dict[str, str]) -> Iterator[Entry]:
    """The entries in one piece of text; usually one."""
    position = counted = 0
    while (head := NEXT.search(text, position)) is not None:
        line, counted = line + text.count("\n", counted, head.start()), head.start()
        entry, position = _entry(text, head, line, macros)
        yield entry


def _entry(text: str, head: re.Match[str], line: int, macros: dict[str, str]) -> tuple[Entry, int]:
    kind = head[1].lower()
    if kind in ("comment", "preamble"):
        return _skipped(text, head, kind, line)
    for pattern in (_BRACE, _UNESCAPED):
        try:
            key, fields, end = _Parser(text, head.end(), _CLOSERS[head[2]], pattern, macros).parsed(kind)
        except _BrokenError:
            continue
        following = NEXT.search(text, end)
        if not _FIELD_LINE.search(text, end, following.start() if following else len(text)):
            return Entry(kind, key, line, fields), end
    glued = _GLUED.search(text, head.end())
    end = glued.start() if glued else len(text)
    named = _KEY.match(text, head.end())
    return Entry(kind, named[1] if named else "", line, _by_lines(text[head.end() : end]), whole=False), end


def _skipped(text: str, head: re.Match[str], kind: str, line: int) -> tuple[Entry, int]:
    """What a comment or preamble spans; of one that never closes, its first line."""
    try:
        return Entry(kind, "", line), _matching(text, head.end(), _BRACE)
    except _BrokenError:
        end = text.find("\n", head.end())
        return Entry(kind, "", line, whole=False), end if end >= 0 else len(text)


def _by_lines(text: str) -> dict[str, str]:
    """The fields of an entry whose braces do not balance, each from its line to the next field's."""
    starts = list(_FIELD_LINE.finditer(text))
    ends = [*(start.start() for start in starts[1:]), len(_END.sub("", text))][: len(starts)]
    fields: dict[str, str] = {}
    for start, end in zip(starts, ends, strict=True):
        value = text[start.end() : end].strip().removesuffix(",").rstrip()
        opener = value[:1]
        if opener in ("{", '"'):
            value = value[1:].removesuffix("}" if opener == "{" else opener)
        fields.setdefault(start[1].lower(), value.strip())
    return fields


def _matching(text: str, start: int, pattern: re.Pattern[str]) -> int:
    """The place behind the brace that closes the one before `start`."""
    depth = 1
    for brace in pattern.finditer(text, start):
        depth += 1 if brace[0][-1] == "{" else -1
        if depth == 0:
            return brace.end()
    raise _BrokenError


@dataclass(slots=True)
class _Parser:
    """Reads one entry from `position` on; `pattern` finds the braces that count."""

    text: str
    position: int
    closer: str
    pattern: re.Pattern[str]
    macros: dict[str, str]

    def parsed(self, kind: str) -> tuple[str, dict[str, str], int]:
        """Key, fields and the place behind the entry; raises _BrokenError."""
        self._space()
        key = "" if kind == "string" or _NAME.match(self.text, self.position) else self._key()
        fields: dict[str, str] = {}
        while True:
            self._space(",")
            if self.text[self.position : self.position + 1] == self.closer:
                return key, fields, self.position + 1
            name = _NAME.match(self.text, self.position)
            if name is None:
                raise _BrokenError
            self.position = name.end()
            value = self._value()
            fields.setdefault(" ".join(name[1].split()).lower(), value)

    def _space(self, also: str = "") -> None:
        while True:
            end = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr] # it matches nothing too
            if also and self.text[end : end + 1] == also:
                end += 1
            if end == self.position:
                return
            self.position = end

    def _key(self) -> str:
        key = _KEY.match(self.text, self.position)
        if key is None:
            raise _BrokenError
        self.position = key.end()
        return key[1]

    def _value(self) -> str:
        """Pieces joined by `#`."""
        pieces = []
        while True:
            self._space()
            pieces.append(self._piece())
            self._space()
            if self.text[self.position : self.position + 1] != "#":
                return "".join(pieces)
            self.position += 1

    def _piece(self) -> str:
        readers: dict[str, Callable[[], str]] = {"{": self._braced, '"': self._quoted}
        return readers.get(self.text[self.position : self.position + 1], self._bare)()

    def _braced(self) -> str:
        start = self.position + 1
        self.position = _matching(self.text, start, self.pattern)
        return self.text[start : self.position - 1]

    def _quoted(self) -> str:
        """To the quote outside braces behind which an entry can go on; others are letters."""
        start, depth = self.position + 1, 0
        for sign in _SIGN.finditer(self.text, start):
            depth += {"{": 1, "}": -1}.get(sign[0], 0)
            if sign[0] == '"' and depth == 0 and _AFTER_QUOTE.match(self.text, sign.end()):
                self.position = sign.end()
                return self.text[start : self.position - 1]
        raise _BrokenError

    def _bare(self) -> str:
        """A number, or a macro; one that is not defined means its own name."""
        word = _BARE.match(self.text, self.position)
        if word is None:
            if self.text[self.position : self.position + 1] in (",", self.closer):
                return ""
            raise _BrokenError
        self.position = word.end()
        return self.macros.get(word[0].lower(), word[0])
