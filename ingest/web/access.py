"""How services are reached: who asks, with which keys, how patiently."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rag.config import Settings


@dataclass(frozen=True, slots=True)
class Access:
    """`bases` stand in for services' addresses, by service name; `keys` and `contact` come from the settings."""

    contact: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    bases: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 5
    """Times a request is sent before its failure is believed."""
    doubts: int = 3
    """Times an answer is asked for that says there is nothing, where there may be something."""
    longest_wait: float = 300.0
    """Seconds; a service that asks for more is left alone."""
    timeout: float = 60.0
    """Seconds without a byte before a request counts as failed."""
    longest_answer: float = 300.0
    """Seconds an answer may take from its first byte to its last."""
    largest_answer: int = 100 * 2**20
    """Bytes of an answer, unpacked."""
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def of(cls, settings: Settings, bases: Mapping[str, str] | None = None) -> Access:
        """As the settings have it."""
        secrets = {
            "openalex": settings.openalex_api_key,
            "pubmed": settings.ncbi_api_key,
            "semanticscholar": settings.semantic_scholar_api_key,
            "zotero": settings.zotero_api_key,
        }
        keys = {name: secret.get_secret_value().strip() for name, secret in secrets.items() if secret}
        return cls(contact=settings.contact, keys=keys, bases=bases or {})
