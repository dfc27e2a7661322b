"""Fits abstracts, conversation and question into a model's window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.errors import LLMError
from rag.llm import Message, window_and_reply
from rag.llms.errors import FIXES
from rag.llms.tokens import MARGIN, MESSAGE_TOKENS, count
from rag.markers.issued import Issued
from rag.prompts import abstract_block, answer_messages, turn_line
from rag.types import Hit, Style, Turn

if TYPE_CHECKING:
    from rag.config import Settings

LARGEST_SHARE = 0.5  # of the room for abstracts that a single one may take
HISTORY_SHARE = 0.25  # of the whole room that the conversation may take, where abstracts leave it
BLOCK_TOKENS = 2  # the blank line between two blocks


@dataclass(frozen=True, slots=True)
class Sent:
    """An abstract as it was sent: `text` is the beginning of `hit.abstract.text`, all of it unless `shortened`."""

    hit: Hit
    text: str

    @property
    def shortened(self) -> bool:
        """Whether the model saw only a part."""
        return len(self.text) < len(self.hit.abstract.text)


@dataclass(frozen=True, slots=True)
class Packed:
    """A prompt and what is in it. `sent[n - 1]` has number n; `left_out` are ids, the most relevant first."""

    messages: tuple[Message, ...]
    sent: tuple[Sent, ...]
    left_out: tuple[str, ...]
    turns: int

    @property
    def prompt_tokens(self) -> int:
        """Our own count (cl100k_base), made anew each time; the server's may differ."""
        return _tokens(self.messages)

    @property
    def issued(self) -> Issued:
        """The numbers and names that a reply may cite by."""
        return Issued.of([sent.hit.abstract for sent in self.sent])


def build(
    question: str, hits: Sequence[Hit], history: Sequence[Turn], settings: Settings, style: Style | None = None
) -> Packed:
    """The prompt for an answer to `question` from `hits` (best first, at least one).

    The least relevant abstracts are left out until the rest fits; the conversation gets what room is left, its latest
    turns first. The best abstracts stand at the start and at the end. Raises LLMError (context) when not even the
    question and the beginning of the best abstract fit.
    """
    if not hits:
        raise ValueError("nothing to answer from")
    room = _room(settings)
    left = room - _tokens(answer_messages(question, [], [], style))
    chosen = _choose(hits, left, str(room))
    left -= sum(_block_tokens(sent) for sent in chosen)
    turns = _latest_turns(history, min(left, int(room * HISTORY_SHARE)))
    sent = tuple(_best_at_both_ends(chosen))
    blocks = [abstract_block(number, one.hit.abstract, one.text) for number, one in enumerate(sent, 1)]
    messages = tuple(answer_messages(question, blocks, turns, style))
    left_out = tuple(hit.abstract.id for hit in hits[len(chosen) :])
    return Packed(messages, sent, left_out, len(turns))


def fits(messages: Sequence[Message], settings: Settings) -> bool:
    """Whether a prompt leaves room for a reply."""
    return _tokens(messages) <= _room(settings)


def _room(settings: Settings) -> int:
    """Tokens by our count that a prompt may have."""
    window, reply = window_and_reply(settings)
    return int((window - reply) / MARGIN)


def _tokens(messages: Sequence[Message]) -> int:
    return sum(count(message.content) + MESSAGE_TOKENS for message in messages)


def _block_tokens(sent: Sent) -> int:
    # The number's own digits do not change the count.
    return count(abstract_block(1, sent.hit.abstract, sent.text)) + BLOCK_TOKENS


def _choose(hits: Sequence[Hit], room: int, window: str) -> list[Sent]:
    """The first hits that fit into `room` tokens; one that would fill most of it alone is shortened."""
    largest = room if len(hits) == 1 else int(room * LARGEST_SHARE)
    chosen: list[Sent] = []
    for hit in hits:
        sent = _shorten(hit, largest if chosen or len(hits) > 1 else room)
        if sent is None:
            break
        room -= _block_tokens(sent)
        if room < 0:
            break
        chosen.append(sent)
    if not chosen:
        message = f"The question leaves no room for an abstract in the {window} tokens of a prompt."
        raise LLMError("context", message, FIXES["context"])
    return chosen


def _shorten(hit: Hit, room: int) -> Sent | None:
    """The abstract, or as many of its first sentences as fit; None when not one does."""
    from rag.text.sentences import split

    text = hit.abstract.text
    whole = Sent(hit, text)
    if _block_tokens(whole) <= room:
        return whole
    ends = [span.end for span in split(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _block_tokens(Sent(hit, text[: ends[middle - 1]])) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return Sent(hit, text[: ends[low - 1]]) if low else None


def _latest_turns(history: Sequence[Turn], room: int) -> list[str]:
    """Lines of the latest turns that fit, oldest first."""
    lines: list[str] = []
    room -= count("Conversation so far (no evidence):\n<conversation>\n</conversation>\n\n")
    for turn in reversed(history):
        line = turn_line(turn)
        room -= count(line) + 1
        if room < 0:
            break
        lines.append(line)
    return lines[::-1]


def _best_at_both_ends(ranked: Sequence[Sent]) -> list[Sent]:
    """Ranks 1, 3, 5, ... 6, 4, 2: models neglect the middle (Liu et al. 2024, "Lost in the middle")."""
    return [*ranked[::2], *reversed(ranked[1::2])]
