"""Whether it was right to answer, or to say that the abstracts do not state it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.evaluate.case import MAY_REFUSE, Case
from rag.evaluate.score import Sheet


def score_abstention(case: Case, answer: Mapping[str, Any], sheet: Sheet) -> None:
    """`refused` where only that is right, else `answered` and `false_refusal`; `refusal_precision` of each refusal."""
    refused = answer["status"] == "not_found"
    if case.must_refuse:
        sheet.put("refused", refused)
    elif case.must_answer:
        right = not refused or (case.type in MAY_REFUSE and bool(answer.get("citations")))
        sheet.put("answered", right)
        sheet.put("false_refusal", not right)
    if refused and (case.must_refuse or case.must_answer):
        allowed = case.type in MAY_REFUSE and bool(answer.get("citations"))
        sheet.put("refusal_precision", case.must_refuse or allowed)
