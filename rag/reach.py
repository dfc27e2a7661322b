"""Who outside this machine gets to read what, by the settings."""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from rag.config import OPENAI_HOST, Settings


class Recipient(NamedTuple):
    """A host, and what it is sent."""

    host: str
    sent: str


def recipients(settings: Settings) -> list[Recipient]:
    """The hosts outside this machine that a question goes to, each with what they get; none where all stays here."""
    found = []
    if settings.llm_model:
        found.append((settings.openai_base_url or OPENAI_HOST, "the question and the abstracts that fit it"))
    if settings.embed_model.startswith("openai:"):
        address = settings.embed_base_url or settings.openai_base_url or OPENAI_HOST
        found.append((address, "the question, and every abstract when it is added"))
    if settings.rerank_url:
        found.append((settings.rerank_url, "the question and the abstracts that may fit it"))
    if settings.chroma_url:
        found.append((settings.chroma_url, "the abstracts when they are added, and the question as a vector"))
    hosts = [(urlsplit(address).hostname or "", sent) for address, sent in found]
    return [Recipient(host, sent) for host, sent in hosts if not is_this_machine(host)]


def is_this_machine(host: str) -> bool:
    """Whether a host name means the machine itself."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
