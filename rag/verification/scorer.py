"""The fitted part of verification: from signals to probabilities, in numpy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

DATA = Path(__file__).parent.parent / "data" / "verifier.json"

Floats = NDArray[np.float64]


class Probabilities(NamedTuple):
    """They add up to 1: the evidence does not say so, says so, says the opposite."""

    unsupported: float
    supported: float
    contradicted: float


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One hidden layer of rectified units and a softmax over three outcomes."""

    hidden: Floats
    hidden_bias: Floats
    output: Floats
    output_bias: Floats

    def __call__(self, values: Floats) -> Floats:
        """Probabilities of the outcomes for standardised signals."""
        logits = np.maximum(values @ self.hidden + self.hidden_bias, 0.0) @ self.output + self.output_bias
        exponentials = np.exp(logits - logits.max())
        probabilities: Floats = exponentials / exponentials.sum()
        return probabilities


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Standardises signals and averages a few small networks fitted from different starts."""

    signals: tuple[str, ...]
    mean: Floats
    scale: Floats
    networks: tuple[Network, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Scorer:
        """A scorer from what `scripts/fit_verifier.py` wrote."""
        networks = (Network(*(np.array(n[key]) for key in Network.__slots__)) for n in data["networks"])
        return cls(tuple(data["signals"]), np.array(data["mean"]), np.array(data["scale"]), tuple(networks))

    def __call__(self, values: Sequence[float]) -> Probabilities:
        """Probabilities for the values of `signals`, in that order."""
        standardised = (np.array(values) - self.mean) / self.scale
        return Probabilities(*np.mean([network(standardised) for network in self.networks], axis=0).tolist())


def load_coefficients(path: Path = DATA) -> dict[str, Any]:
    """The committed coefficients, thresholds and held-out scores."""
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
