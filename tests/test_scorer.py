from __future__ import annotations

import numpy as np
import pytest

from rag.verification.scorer import Scorer

ONE_UNIT = {"hidden": [[1.0], [0.0]], "hidden_bias": [0.0], "output": [[0.0, 1.0, 0.0]], "output_bias": [0.0, 0.0, 0.0]}


def scorer(*networks: dict[str, object]) -> Scorer:
    return Scorer.of({"signals": ["a", "b"], "mean": [1.0, 0.0], "scale": [2.0, 1.0], "networks": networks})


def test_signals_are_standardised_rectified_and_turned_into_probabilities() -> None:
    weight = np.exp(1.0)
    assert pytest.approx((1 / (2 + weight), weight / (2 + weight), 1 / (2 + weight))) == scorer(ONE_UNIT)([3.0, 9.0])


def test_a_signal_below_the_mean_is_cut_at_zero() -> None:
    assert pytest.approx((1 / 3, 1 / 3, 1 / 3)) == scorer(ONE_UNIT)([-5.0, 0.0])


def test_several_networks_are_averaged() -> None:
    flat = {**ONE_UNIT, "output": [[0.0, 0.0, 0.0]]}
    both = scorer(ONE_UNIT, flat)([3.0, 0.0])
    assert pytest.approx((scorer(ONE_UNIT)([3.0, 0.0]).supported + 1 / 3) / 2) == both.supported
    assert pytest.approx(1.0) == sum(both)
