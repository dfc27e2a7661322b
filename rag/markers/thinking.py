"""Keeps a model's thinking (`<think>...</think>`) out of the text, in whatever pieces the text arrives."""

from __future__ import annotations

import re

_NAMES = r"think|thinking|thought|reasoning"
_TAG = re.compile(rf"<(/?)({_NAMES})>", re.IGNORECASE)
_TAG_BEGUN = re.compile(r"<(?:/?[a-z]{0,9})?$", re.IGNORECASE)
_QUOTES = "`\"'“‘«"


class Thinking:
    """Feed it all pieces, then `finish` it; the strings it returns concatenate to the text without thinking.

    A block that is never closed hides the rest when it begins a line; in the middle of a line it is text about such
    tags. A closing tag at the end of a line without an opening one means that the server kept the opening tag to
    itself: all before it was thinking, `restarts` goes up, and the string returned begins the text anew.
    """

    def __init__(self) -> None:
        self.restarts = 0
        self._held = ""
        self._last = ""  # the current line of what was returned
        self._closer: str | None = None

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
            if self._closer is not None:
                if not self._skip_to(self._closer):
                    break
                continue
            tag = _TAG.search(self._held)
            if tag is None:
                begun = None if final else _TAG_BEGUN.search(self._held)
                self._pass(out, begun.start() if begun else len(self._held))
                break
            self._pass(out, tag.start())
            if not self._decide(tag, out, final=final):
                break
        return "".join(out)

    def _pass(self, out: list[str], length: int) -> None:
        piece, self._held = self._held[:length], self._held[length:]
        self._last = (self._last + piece).rpartition("\n")[2][-80:]
        out.append(piece)

    def _skip_to(self, closer: str) -> bool:
        end = self._held.lower().find(closer)
        if end < 0:
            self._held = self._held[-len(closer) + 1 :]
            return False
        self._held = self._held[end + len(closer) :]
        self._closer = None
        return True

    def _decide(self, tag: re.Match[str], out: list[str], *, final: bool) -> bool:
        """Act on the tag that `_held` begins with; False when more text has to arrive first."""
        length = tag.end() - tag.start()
        closer = f"</{tag[2].lower()}>"
        if self._last[-1:] and self._last[-1] in _QUOTES:
            self._pass(out, length)
        elif tag[1]:
            return self._close(length, out, final=final)
        elif not self._last.strip() or closer in self._held.lower():
            self._held = self._held[length:]
            self._closer = closer
        elif final:
            self._pass(out, length)
        else:
            return False
        return True

    def _close(self, length: int, out: list[str], *, final: bool) -> bool:
        rest = self._held[length:].lstrip(" \t")
        if not rest and not final:
            return False
        if rest and rest[0] not in "\r\n":
            self._pass(out, length)
            return True
        self.restarts += 1
        self._held, self._last = rest, ""
        out.clear()
        return True
