"""What a run will cost, before it starts: the real prompts of a sample of its questions, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.answer import prompt
from rag.errors import FootnoteError
from rag.library import Library
from rag.llms.tokens import MARGIN
from rag.types import Question

SAMPLE = 20


@dataclass(frozen=True, slots=True)
class Estimate:
    """For all `questions`, from the prompts of `sampled` of them. Tokens by our count (cl100k_base).

    A reply may take from no tokens to all that the settings allow it, so costs have a least and a most;
    `dearest` is the most that a single question may cost, with room for tokens counted otherwise.
    """

    questions: int
    sampled: int
    model: str | None
    prompt_tokens: int | None
    reply_tokens: int | None
    least_usd: float | None
    most_usd: float | None
    dearest_usd: float | None

    def to_dict(self) -> dict[str, Any]:
        """In JSON's types."""
        return {
            "questions": self.questions,
            "sampled": self.sampled,
            "model": self.model,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": {"most": self.reply_tokens},
            "cost_usd": {"least": self.least_usd, "most": self.most_usd},
        }


def estimate(library: Library, questions: Sequence[Question], sample: int = SAMPLE) -> Estimate:
    """The tokens and the cost of asking these questions; a question that is not about the shelf costs nothing."""
    llm, price = library.llm, library.settings.price
    if llm is None:
        return Estimate(len(questions), 0, None, None, None, None, None, None)
    chosen = questions[:: max(1, -(-len(questions) // sample))]
    prompts = [_prompt_tokens(library, question) for question in chosen]
    asked = [tokens for tokens in prompts if tokens]
    share = len(questions) / max(1, len(chosen))
    reading, writing = round(sum(asked) * share), round(len(asked) * share) * llm.max_tokens
    return Estimate(
        len(questions),
        len(chosen),
        llm.model,
        reading,
        writing,
        price.cost(reading, 0) if price else None,
        price.cost(reading, writing) if price else None,
        price.cost(max(asked, default=0) * MARGIN, llm.max_tokens) if price else None,
    )


def _prompt_tokens(library: Library, question: Question) -> int:
    try:
        packed = prompt(library, question)
    except FootnoteError:  # it will be an error of the run, and cost nothing
        return 0
    return packed.prompt_tokens if packed else 0
