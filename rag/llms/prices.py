"""What tokens cost, as the user's table of prices says."""

from __future__ import annotations

from dataclasses import dataclass

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens, read and written."""

    prompt: float
    completion: float

    def cost(self, prompt_tokens: float | None, completion_tokens: float | None) -> float | None:
        """US dollars for this many tokens; None where either number is unknown."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / MILLION


def parse(table: str) -> dict[str, Price]:
    """Prices by model from `MODEL=IN/OUT, ...` in US dollars for a million tokens; raises ValueError."""
    return dict(_entry(entry) for entry in map(str.strip, table.split(",")) if entry)


def _entry(entry: str) -> tuple[str, Price]:
    model, _, prices = entry.rpartition("=")
    prompt, _, completion = prices.partition("/")
    try:
        price = Price(float(prompt), float(completion))
    except ValueError:
        price = Price(-1, -1)
    if not model.strip() or not (0 <= price.prompt < MILLION and 0 <= price.completion < MILLION):
        raise ValueError(f"{entry!r} is not MODEL=IN/OUT in US dollars for a million tokens")
    return model.strip(), price
