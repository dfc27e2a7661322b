from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.verification.numbers import Quantity, quantities, stated


def only(text: str) -> Quantity:
    (quantity,) = quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("62.8%", 62.8, "percent"),
        (r"sim95\%", 95, "percent"),
        ("11.7 percentage points", 11.7, "percent"),
        ("56,152 samples", 56152, "plain"),
        ("20'910 items", 20910, "plain"),
        ("11·9 million", 11.9e6, "plain"),
        ("340M parameters", 340e6, "plain"),
        ("a 5x speedup", 5, "times"),
        ("five-fold", 5, "times"),
        ("twice as fast", 2, "times"),
        ("half of them", 50, "percent"),
        ("twenty-six models", 26, "plain"),
        ("two hundred runs", 200, "plain"),
        ("2 × 10^{-4}", 2e-4, "plain"),
        ("1.5e-3", 1.5e-3, "plain"),
    ],
)
def test_a_quantity_has_its_value_and_kind(text: str, value: float, kind: str) -> None:
    assert only(text).value == pytest.approx(value)
    assert only(text).kind == kind


@pytest.mark.parametrize("text", ["GPT-4", "IL-6 and H3K9", "3D", "no figure at all", ""])
def test_digits_inside_names_are_no_quantities(text: str) -> None:
    assert quantities(text) == ()


def test_both_ends_of_a_range_take_its_unit() -> None:
    assert [(q.value, q.kind) for q in quantities("a drop of 3-15% was seen")] == [(3, "percent"), (15, "percent")]


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("95%", "94.8%"),
        ("about 60%", "62.8%"),
        ("56,000", "56,152"),
        ("over 9%", "9.1%"),
        ("0.628", "62.8%"),
        ("5 times", "5x"),
        ("1.2 million", "1,200,000"),
        ("half", "50%"),
        ("seven", "7"),
    ],
)
def test_a_number_states_its_rounded_or_reworded_self(claim: str, evidence: str) -> None:
    assert stated(only(claim), quantities(evidence))


@pytest.mark.parametrize(("claim", "evidence"), [("30", "32"), ("95%", "95.8%"), ("62.8%", "68.2%"), ("5x", "7x")])
def test_a_changed_number_is_not_stated(claim: str, evidence: str) -> None:
    assert not stated(only(claim), quantities(evidence))


@given(st.integers(2, 10**9))
@settings(deadline=None)
def test_every_integer_states_itself_with_and_without_separators(n: int) -> None:
    assert stated(only(f"{n:,} things"), quantities(f"there were {n} of them"))


@given(st.text(max_size=200))
@settings(deadline=None)
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    ends = [0, *(x for q in quantities(text) for x in (q.start, q.end)), len(text)]
    assert sorted(ends) == ends
