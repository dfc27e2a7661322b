"""Names and acronyms of a claim, and whether a text mentions them."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from rag.text.words import FUNCTION_WORDS, Word, acronym_key, is_acronym

_NAME = re.compile(r"[^\W_]+(?:(?:[-‐‑/+]|(?<=\d)\.(?=\d)|['’](?=[A-Z]{2}))[^\W_]+)*")


def names(text: str) -> tuple[str, ...]:
    """What a text names: `GPT-4`, `MindEye2`, `LLMs`, `CIFAR-10`, `Wikipedia`; in order, each once.

    A capitalised word that opens a sentence is a name only if its shape says so (capitals or digits inside).
    """
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        if match.group().islower():
            continue
        if _shaped_like_a_name(match.group()) or _capitalised_within(text, match):
            found[match.group()] = None
    return tuple(found)


def key(name: str) -> str:
    """Letters and digits in lower case, the plural s of an acronym dropped: `LLMs` -> `llm`, `GPT-4` -> `gpt4`."""
    plain = re.sub(r"[^\w]|_", "", name)
    if len(plain) > 2 and plain[-1] == "s" and plain[-2].isupper():
        plain = plain[:-1]
    return plain.lower()


def keys(sequence: Sequence[Word]) -> frozenset[str]:
    """Keys of all runs of one to four neighbouring words: what a name of a claim is looked up in."""
    parts = [key(word.text) for word in sequence]
    runs = (zip(*(parts[k:] for k in range(n)), strict=False) for n in range(1, 5))
    return frozenset("".join(run) for chosen in runs for run in chosen)


def mentioned(name: str, known: Set[str], known_initials: str) -> bool:
    """Whether the text that `known` (keys) and `known_initials` were taken from mentions the name or its expansion."""
    wanted = key(name)
    if wanted in known or wanted.removesuffix("s") in known or wanted + "s" in known:
        return True
    if is_acronym(name) and acronym_key(name) in known_initials:
        return True
    parts = [key(part) for part in re.split(r"[-‐‑/+]", name)]
    return len(parts) > 1 and all(p in known or p.removesuffix("s") in known or p in known_initials for p in parts)


def _shaped_like_a_name(text: str) -> bool:
    capitals = sum(c.isupper() for c in text)
    letters = sum(c.isalpha() for c in text)
    if not letters or (text[0].isdigit() and not capitals):
        return False
    digits = letters < sum(c.isalnum() for c in text)
    inner = any(c.isupper() for part in re.split(r"[-‐‑/+]", text) for c in part[1:])
    return (letters >= 2 and (inner or (digits and letters + capitals > 1))) or (capitals >= 1 and digits)


def _capitalised_within(text: str, match: re.Match[str]) -> bool:
    if not match.group()[0].isupper() or match.group().lower() in FUNCTION_WORDS or len(match.group()) < 2:
        return False
    before = text[: match.start()].rstrip(" \"'“‘([*_")
    return bool(before) and before[-1] not in ".!?:;•-"
