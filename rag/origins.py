"""Every setting with its value as it may be shown, and where that comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from pydantic import SecretStr

from rag.config import Settings, of_file

SHOWN_OF_A_KEY = 4
"""Characters at the end of a key by which its owner knows it."""
_LONG_KEY = 16


class Origin(NamedTuple):
    """A setting by its name in the environment; `place` says where its value comes from."""

    name: str
    value: str
    place: str


def origins(settings: Settings, env_file: Path = Path(".env")) -> list[Origin]:
    """All settings in the order of the class, keys as their last signs."""
    from_file = of_file(env_file)
    return [
        _origin(settings, field, str(info.validation_alias), from_file) for field, info in Settings.model_fields.items()
    ]


def _origin(settings: Settings, field: str, name: str, from_file: dict[str, str | None]) -> Origin:
    value = getattr(settings, field)
    place = "environment" if os.environ.get(name) else ".env" if from_file.get(name) else "default"
    return Origin(name, _shown(value), place)


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        return "…" + secret[-SHOWN_OF_A_KEY:] if len(secret) >= _LONG_KEY else "set"
    return "" if value is None else str(value)
