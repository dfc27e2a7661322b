"""Keeps the list of references that models append out of the text, in whatever pieces the text arrives."""

from __future__ import annotations

import re
from enum import Enum

# Headings after which only a list of references comes.
_ALWAYS = frozenset(
    "references|reference list|bibliography|works cited|literature cited|références|referencias|literatur"
    "|literaturverzeichnis|参考文献".split("|")
)
# Headings that an answer may use for something else: what follows decides.
_IF_LISTED = frozenset(
    "sources|source list|citations|cited sources|cited abstracts|sources cited|footnotes|notes|quellen".split("|")
)
_LABELS = _ALWAYS | _IF_LISTED
_ORNAMENT = " \t\r>#*_:"
_INLINE = re.compile(r"[ \t>#*_]*(?P<label>[^\W\d_][^:\n]{2,30}?)[*_ \t]*:[*_ \t]*[\[【［]")
_ENTRY = re.compile(r"[ \t]*(?:[-*•+][ \t]*)?(?:[\[【［]|\(?\d{1,3}[.)\]])")
_ENTRY_BEGUN = re.compile(r"\s*(?:[-*•+][ \t]*)?\(?\d{0,3}$")
_DEFINITION = re.compile(r"[ \t]*(?:\[\^\d+\]:|\[\d+\]:[ \t]*<?https?:)")
_DEFINITION_BEGUN = re.compile(r"[ \t]*(?:\[\^?\d*|\[\^?\d+\]|\[\d+\]:[ \t]*<?(?:h|ht|htt|https?)?)$")


class Found(Enum):
    """What a line begins."""

    NOTHING = 0
    UNDECIDED = 1
    REFERENCES = 2
    LIST = 3
    DEFINITION = 4


class ReferenceList:
    """Feed it all pieces of a text, then `finish` it; the strings it returns concatenate to the text without lists.

    After "References" (and its like) nothing is passed on; after "Sources" (and its like) nothing that looks like
    numbered entries. Definitions of footnotes (`[^1]: ...`) are left out wherever they stand.
    """

    def __init__(self) -> None:
        self._held = ""
        self._line_begins = True
        self._wrote = False
        self._within = Found.NOTHING
        self._after_blank = False

    def feed(self, chunk: str) -> str:
        """The text that is decided now."""
        self._held += chunk
        return self._run(final=False)

    def finish(self) -> str:
        """The text that was held back."""
        return self._run(final=True)

    def _run(self, *, final: bool) -> str:
        out: list[str] = []
        while self._held:
            if self._within is Found.REFERENCES:
                self._held = ""
            elif self._within is not Found.NOTHING:
                if not self._skip_line(final=final):
                    break
            elif self._line_begins:
                found = self._look(final=final)
                if found is Found.UNDECIDED:
                    break
                self._within = found
                self._line_begins = False
            else:
                out.append(self._pass())
        return "".join(out)

    def _pass(self) -> str:
        end = self._held.find("\n") + 1
        self._line_begins = end > 0
        piece, self._held = self._held[: end or None], self._held[end:] if end else ""
        self._wrote = self._wrote or bool(piece.strip())
        return piece

    def _skip_line(self, *, final: bool) -> bool:
        """Leave out one line of a list, or end the list; False when the line is not complete."""
        end = self._held.find("\n") + 1
        if not end and not final:
            return False
        line = self._held[: end or None]
        if line.strip() and self._after_blank and not _ENTRY.match(line):
            self._within, self._line_begins, self._after_blank = Found.NOTHING, True, False
            return True
        self._after_blank = self._within is Found.DEFINITION or not line.strip()
        self._held = self._held[len(line) :]
        if self._within is Found.DEFINITION:
            self._within, self._line_begins, self._after_blank = Found.NOTHING, True, False
        return True

    def _look(self, *, final: bool) -> Found:
        line, newline, rest = self._held.partition("\n")
        complete = bool(newline) or final
        if _DEFINITION.match(line):
            return Found.DEFINITION
        core = " ".join(line.strip(_ORNAMENT).casefold().split())
        if not complete:
            begun = any(label.startswith(core) for label in _LABELS) or _DEFINITION_BEGUN.match(line)
            return Found.UNDECIDED if begun else self._inline(line)
        if core in _ALWAYS:
            return Found.REFERENCES
        if core in _IF_LISTED and self._wrote:
            return self._listed(rest, final=final)
        return self._inline(line)

    def _inline(self, line: str) -> Found:
        """ "Sources: [1], [2]" on one line."""
        match = _INLINE.match(line)
        label = " ".join(match["label"].casefold().split()) if match else ""
        if label in _ALWAYS:
            return Found.LIST
        return Found.LIST if label in _IF_LISTED and self._wrote else Found.NOTHING

    def _listed(self, rest: str, *, final: bool) -> Found:
        if not final and _ENTRY_BEGUN.fullmatch(rest):
            return Found.UNDECIDED
        return Found.LIST if _ENTRY.match(rest.lstrip()) or not rest.strip() else Found.NOTHING
