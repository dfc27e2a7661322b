"""An answer's text with footnotes that lead to the cards of its sources, and what checking says of its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.types import Answer, Sentence, Verdict
from rag.ui import prose
from rag.ui.markdown import Mark


class Look(NamedTuple):
    """How a verdict is shown: a sign, the words for it, and the colour around the sentence where it stands out."""

    sign: str
    words: str
    colour: str = ""


LOOKS: dict[Verdict, Look] = {
    "supported": Look("✓", "supported"),
    "partly": Look("◐", "partly supported"),
    "unsupported": Look("?", "not supported", "orange"),
    "contradicted": Look("✗", "contradicted", "red"),
}

_NOT_SUPPORTED: tuple[Verdict, ...] = ("partly", "unsupported", "contradicted")


def card_anchor(turn: int, number: int) -> str:
    """The HTML id of a source's card; turns and numbers count from 1."""
    return f"source-{turn}-{number}"


def question_anchor(turn: int) -> str:
    """The HTML id of a turn's question."""
    return f"question-{turn}"


def turn_anchor(turn: int) -> str:
    """The HTML id of a turn's answer."""
    return f"answer-{turn}"


def checks_anchor(turn: int) -> str:
    """The HTML id of the line that says how the sentences came out."""
    return f"{turn_anchor(turn)}-checks"


def text(answer: Answer, turn: int) -> str:
    """The answer's text as markdown, its footnotes linked to their cards and its sentences marked."""
    return render(answer.answer, turn, list(_marks(answer, turn)), verbatim=answer.mode == "quotes")


def running_text(so_far: str, turn: int, *, verbatim: bool) -> str:
    """The text of an answer that is still being written; nothing of it has been checked."""
    return render(so_far, turn, (), verbatim=verbatim)


def render(content: str, turn: int, marks: Sequence[Mark], *, verbatim: bool) -> str:
    """Markdown of an answer's content; `verbatim` where its words are quoted and no sign is a model's markdown."""
    show = prose.quoted if verbatim else prose.prose
    return show(content, lambda number: f"[{number}](#{card_anchor(turn, number)})", marks)


def checked(answer: Answer) -> str:
    """One line: how many sentences were checked and how they came out; empty where there is nothing to say."""
    total = len(answer.sentences)
    if not total or not answer.citations:
        return ""
    if answer.mode == "quotes":
        quotes = sum(bool(sentence.citations) for sentence in answer.sentences)
        return f"{_count(quotes, 'sentence')}, word for word from {_count(len(answer.citations), 'abstract')}"
    supported = _number_of(answer, "supported")
    others = ((LOOKS[verdict], _number_of(answer, verdict)) for verdict in _NOT_SUPPORTED)
    parts = [f"{supported} of {_count(total, 'sentence')} checked and supported"]
    parts += [f"{look.sign} {number} {look.words}" for look, number in others if number]
    if unchecked := _number_of(answer, "unchecked"):
        parts.append(f"{unchecked} not checked")
    return " · ".join(parts)


def _number_of(answer: Answer, verdict: Verdict) -> int:
    return sum(sentence.verdict == verdict for sentence in answer.sentences)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _marks(answer: Answer, turn: int) -> Iterator[Mark]:
    if answer.mode == "quotes":
        return
    for sentence, (start, end) in located(answer.answer, answer.sentences):
        look = LOOKS.get(sentence.verdict)
        if look is None:
            continue
        said = look.words if look.colour else ""
        closing = f'[{" ".join(filter(None, (look.sign, said)))}](#{checks_anchor(turn)} "{look.words}")'
        opening = f":{look.colour}-background[" if look.colour else ""
        yield Mark(start, end, opening, ("]" if look.colour else "") + f" :gray[{closing}]")


def located(content: str, sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, tuple[int, int]]]:
    """Where each sentence stands in the text, with the markers that follow it; one that is not found is left out.

    Sentences come without markers, and with other white space; so what is compared is the other characters.
    """
    places = _places(content)
    signs = "".join(content[place] for place in places)
    position = 0
    for sentence in sentences:
        wanted = "".join(sentence.text.split()).replace("\u2060", "")
        found = signs.find(wanted, position) if wanted else -1
        if found >= 0:
            position = found + len(wanted)
            yield sentence, (places[found], _after_markers(content, places[position - 1] + 1))


def _places(content: str) -> list[int]:
    """Positions of all characters that are neither space, joiner nor part of a marker."""
    places: list[int] = []
    position = 0
    for marker in [*prose.MARKER.finditer(content), None]:
        end = marker.start() if marker else len(content)
        places += [n for n in range(position, end) if not content[n].isspace() and content[n] != "\u2060"]
        position = marker.end() if marker else end
    return places


def _after_markers(content: str, position: int) -> int:
    while True:
        after = position + len(content[position:]) - len(content[position:].lstrip(" \t"))
        marker = prose.MARKER.match(content, after)
        if marker is None:
            return position
        position = marker.end()
