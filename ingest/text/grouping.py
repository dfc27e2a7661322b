"""Braces that only group, as BibTeX writes them to keep a capital: `{DNA}`."""

from __future__ import annotations

import re

from ingest.text.latex import MATHS

_GROUPS = re.compile(
    rf"(?P<maths>{MATHS})|(?P<command>\\[A-Za-z]+\*?\s*(?=\{{))|(?P<escaped>\\.)|(?P<brace>[{{}}])", re.DOTALL
)


def ungrouped(text: str) -> str:
    """`text` without the braces that only group (`{DNA}`); those of commands, of accents and in maths stay."""
    pieces, open_, last, argument = list[str](), list[bool](), 0, False
    for found in _GROUPS.finditer(text):
        pieces.append(text[last : found.start()])
        argument &= found.start() == last
        last = found.end()
        if found.lastgroup != "brace":
            pieces.append(found[0])
            argument = found.lastgroup == "command" or (found.lastgroup == "escaped" and found[0][1] in "'`^\"~=.")
            continue
        if found[0] == "{":
            open_.append(argument or text[last : last + 1] == "\\")
            keep, argument = open_[-1], False
        else:
            keep = open_.pop() if open_ else False
            argument = keep
        pieces.append(found[0] if keep else "")
    return "".join([*pieces, text[last:]])
