"""What other tools rely on in every answer."""

from __future__ import annotations

import json
import re

from rag.types import Answer

MARKER = re.compile(r"\[(\d+)\]")


def keeps_the_contract(answer: Answer) -> bool:
    """What other tools rely on, in an answer of any mode."""
    markers = [int(n) for n in MARKER.findall(answer.answer)]
    numbers = [c.number for c in answer.citations]
    sent = {h.id for h in answer.hits if h.sent}
    assert list(dict.fromkeys(markers)) == numbers == list(range(1, len(numbers) + 1))
    assert {n for s in answer.sentences for n in s.citations} == set(numbers)
    assert {c.id for c in answer.citations} <= sent
    assert len({h.id for h in answer.hits}) == len(answer.hits)
    json.dumps(answer.to_dict(), allow_nan=False)
    return True
