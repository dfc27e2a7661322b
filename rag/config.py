"""Every setting, read once at an entry point from the environment and from `.env`."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, Literal

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag.errors import SettingsError
from rag.llms.prices import Price
from rag.llms.prices import parse as parse_prices
from rag.misfit import explained

PREFIX = "FOOTNOTE_"
OPENAI_HOST = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent where no key is set: without one OpenAI's client would look for OPENAI_API_KEY itself."""

# What decides the text of an answer; the rest (paths, time-outs, addresses) does not.
FINGERPRINT = (
    "llm_model",
    "llm_context_window",
    "llm_max_tokens",
    "embed_model",
    "rerank_model",
    "rerank_url",
    "queries",
    "verify",
    "repair",
    "top_k",
)


class Settings(BaseSettings):
    """One typed object for all settings; unknown FOOTNOTE_* names are rejected by `load_settings`."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    home: Path = Field(Path("data"), validation_alias="FOOTNOTE_HOME")
    """Folder of the shelf: catalogue, vectors, conversations."""
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(None, validation_alias="OPENAI_BASE_URL")
    """Address of an OpenAI-compatible server, with its /v1; empty: api.openai.com."""
    llm_model: str | None = Field(None, validation_alias="FOOTNOTE_LLM_MODEL")
    """Name of the model that writes answers; empty: answers are quotes."""
    llm_context_window: int | None = Field(None, ge=512, validation_alias="FOOTNOTE_LLM_CONTEXT_WINDOW")
    """Tokens the model can hold, prompt and answer together; empty: 8192."""
    llm_max_tokens: int = Field(1024, ge=16, validation_alias="FOOTNOTE_LLM_MAX_TOKENS")
    """Longest answer, in tokens."""
    llm_timeout: float = Field(60.0, gt=0, allow_inf_nan=False, validation_alias="FOOTNOTE_LLM_TIMEOUT")
    """Seconds without a word from the model before it counts as failed."""
    prices: str | None = Field(None, validation_alias="FOOTNOTE_PRICES")
    """US dollars for a million tokens, read and written: `MODEL=IN/OUT, ...`; empty: costs are unknown."""
    embed_model: str = Field("bundled", validation_alias="FOOTNOTE_EMBED_MODEL")
    """`bundled`, `openai:NAME` or `hf:NAME-or-folder`."""
    embed_base_url: str | None = Field(None, validation_alias="FOOTNOTE_EMBED_BASE_URL")
    embed_api_key: SecretStr | None = Field(None, validation_alias="FOOTNOTE_EMBED_API_KEY")
    rerank_url: str | None = Field(None, validation_alias="FOOTNOTE_RERANK_URL")
    """Address of a reranking server before its /rerank, with /v1; empty: none, or a local model."""
    rerank_model: str | None = Field(None, validation_alias="FOOTNOTE_RERANK_MODEL")
    """The server's model, or without a server a cross-encoder by name or folder."""
    rerank_api_key: SecretStr | None = Field(None, validation_alias="FOOTNOTE_RERANK_API_KEY")
    queries: int = Field(1, ge=1, le=5, validation_alias="FOOTNOTE_QUERIES")
    """Queries a question is searched by: itself and, above 1, others that the language model writes."""
    verify: Literal["on", "off", "llm"] = Field("on", validation_alias="FOOTNOTE_VERIFY")
    """`on`: check each sentence; `llm`: let the model judge what is unsure; `off`: do not check."""
    repair: Literal["on", "off"] = Field("off", validation_alias="FOOTNOTE_REPAIR")
    """`on`: send an answer back once when sentences of it are not supported; needs verification."""
    top_k: int = Field(8, ge=1, le=100, validation_alias="FOOTNOTE_TOP_K")
    """Abstracts an answer may draw on."""
    chroma_url: str | None = Field(None, validation_alias="CHROMA_URL")
    """Address of a Chroma server; empty: Chroma runs inside the process."""
    contact: str | None = Field(None, validation_alias="FOOTNOTE_CONTACT")
    """E-mail address that services of papers are told, so that they can write before they block."""
    ncbi_api_key: SecretStr | None = Field(None, validation_alias="NCBI_API_KEY")
    openalex_api_key: SecretStr | None = Field(None, validation_alias="OPENALEX_API_KEY")
    semantic_scholar_api_key: SecretStr | None = Field(None, validation_alias="SEMANTIC_SCHOLAR_API_KEY")
    zotero_api_key: SecretStr | None = Field(None, validation_alias="ZOTERO_API_KEY")

    @field_validator("embed_model")
    @classmethod
    def _known_embedder(cls, value: str) -> str:
        kind, _, name = value.partition(":")
        if value != "bundled" and not (kind in ("openai", "hf") and name):
            raise ValueError("write bundled, openai:NAME or hf:NAME-or-folder")
        return value

    @field_validator("repair")
    @classmethod
    def _repairable(cls, value: str, others: ValidationInfo) -> str:
        if value == "on" and others.data.get("verify") == "off":
            raise ValueError("nothing can be repaired with FOOTNOTE_VERIFY=off")
        return value

    @field_validator("prices")
    @classmethod
    def _readable_prices(cls, value: str | None) -> str | None:
        parse_prices(value or "")
        return value

    @field_validator("openai_base_url", "embed_base_url", "rerank_url", "chroma_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("an address starts with http:// or https://")
        return value.rstrip("/") if value else None

    @field_validator("contact")
    @classmethod
    def _mailable(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[!-~]+@[!-~]+", value):
            raise ValueError("write an e-mail address")
        return value

    @property
    def price(self) -> Price | None:
        """What the language model's tokens cost; None where that is unknown."""
        return parse_prices(self.prices or "").get(self.llm_model or "")

    def fingerprint(self) -> str:
        """12 hex digits over the settings that decide an answer's text."""
        values = {name: getattr(self, name) for name in FINGERPRINT}
        values["server"] = (self.openai_base_url or OPENAI_HOST) if self.llm_model else None
        return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()[:12]


def environment_names() -> list[str]:
    """The environment's name of every setting, in the order of the class."""
    return [str(field.validation_alias) for field in Settings.model_fields.values()]


def load_settings(env_file: Path | None = Path(".env"), **overrides: Any) -> Settings:
    """Settings from `overrides`, else the environment, else `env_file` (other people's names in it are left alone).

    Raises SettingsError, one line, for an unknown FOOTNOTE_* name or a value that does not fit.
    """
    from_file = of_file(env_file)
    values = {**from_file, **os.environ}
    known = set(environment_names())
    unknown = sorted(name for name in values if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError(f"Unknown setting {', '.join(unknown)}.", f"Known are {', '.join(sorted(known))}.")
    given = {name: values[name] for name in known if values.get(name)}
    named = {str(Settings.model_fields[name].validation_alias): v for name, v in overrides.items() if v is not None}
    try:
        return Settings(**{**given, **named})
    except ValidationError as error:
        fields = {str(field.validation_alias): field for field in Settings.model_fields.values()}
        places = {name: "environment" if os.environ.get(name) else str(env_file) for name in given if name not in named}
        raise SettingsError(*explained(error, fields, places)) from None


def of_file(path: Path | None) -> dict[str, str | None]:
    """What a `.env` file sets; nothing where there is none. Raises SettingsError where it cannot be read."""
    if path is None or not path.is_file():
        return {}
    try:
        return dict(dotenv_values(path))
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8.", "Save it as UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.", "See that you may read it.") from None
