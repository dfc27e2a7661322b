"""Tells what a user only insists on ("No, you're wrong, admit it") from what is said besides."""

from __future__ import annotations

import re

_ENDS = r"(?=\s*(?:[,.;:!?…–—]|$)|\s+(?:and|because|so|again)\b)"
_OBJECTION = re.compile(
    rf"""(?:but|and|so|well|oh|again|please|sorry|look|now|then|just|ok(?:ay)?)?\W*(?:
      (?:no+|nope|wrong|false|incorrect|untrue|nonsense|rubbish|not\ true|never){_ENDS}
    | (?:you(?:['’]?re|\ are|\ were|\ must\ be)|that(?:['’]?s|\ is|\ was)|this\ is|it(?:['’]s|\ is))\s+
      (?:(?:just|simply|still|again|all|plain|clearly|completely|totally|both)\s+)*
      (?:wrong|mistaken|incorrect|false|untrue|lying|confused|nonsense|not\ (?:true|right|correct))
      (?:\ again|\ about\ (?:this|that|it))?{_ENDS}
    | i\ (?:insist|disagree|(?:do\ not|don['’]?t)\ (?:agree|believe\ (?:you|that|this|it))
        |(?:am|was)\ (?:quite\ )?(?:sure|certain)
        |know\ (?:better|that|this|it|for\ (?:a\ fact|sure))|told\ you)(?:\ on\ it|\ that|\ this)?
    | (?:why\ (?:do|can)(?:n['’]?t)?\ you\ (?:not\ )?(?:just\ )?)?(?:admit|accept|concede|confirm|agree)
      \ (?:(?:to\ )?(?:it|that|this|so)|with\ me|i(?:['’]?m|\ am)\ right)
    | (?:we|you|everyone|everybody)(?:\ all)?\ (?:agree|know)s?(?:\ (?:then|now))?(?:\ (?:that|this|it|so)|{_ENDS})
    | are\ you\ (?:really\ |quite\ )?(?:sure|certain)(?:\ (?:about|of)\ (?:that|this|it))?
    | (?:think|check|look|read|try)(?:\ (?:it|that))?\ again | stop(?:\ (?:it|that))?{_ENDS} | come\ on
    | (?:trust|believe)\ me | i(?:['’]?m|\ am)\ right
    )\b[\s,.;:!?…–—-]*""",
    re.IGNORECASE | re.VERBOSE,
)
_CLAUSE = re.compile(r"(?<=[.!?;,:])\s+")


def without_objection(text: str) -> str | None:
    """What is left of a turn that objects to an answer or presses for another one; None for a turn that does neither.

    Nothing is left of "You're wrong. Admit it!", and of "No, it is blue." the claim.
    """
    kept, objects = [], False
    for clause in _CLAUSE.split(text.strip()):
        rest = clause
        while rest and (match := _OBJECTION.match(rest)):
            rest, objects = rest[match.end() :], True
        if rest:
            kept.append(rest)
    return " ".join(kept) if objects else None
