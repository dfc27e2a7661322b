"""What a shelf stands on: versions, disk, the model server."""

from __future__ import annotations

import platform
import shutil
import sqlite3
from importlib.metadata import version
from typing import Any

from rag.config import OPENAI_HOST, Settings
from rag.doctoring.check import Check, verdict

SPARE_BYTES = 200 * 2**20
PACKAGES = ("chromadb", "llama-index-core", "openai", "streamlit", "tiktoken", "onnxruntime")
SECONDS = 10.0
"""A model server that lists no models in that time is busy or gone."""


def versions() -> Check:
    """What runs here."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return Check("versions", True, f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {packages}")


def disk(settings: Settings) -> Check:
    """Whether there is room for the next ingest."""
    folder = next(f for f in (settings.home.resolve(), *settings.home.resolve().parents) if f.exists())
    free = shutil.disk_usage(folder).free
    fix = "" if free > SPARE_BYTES else "Free some space before the next ingest."
    return verdict("disk", f"{free / 2**30:.1f} GiB free at {folder}", fix)


def language_model(settings: Settings) -> Check:
    """Whether the model server lists the model; no question is sent, and the key to no other host."""
    name = "language model"
    if not settings.llm_model:
        return Check(name, True, "none configured: answers are quotes (set FOOTNOTE_LLM_MODEL for one)")
    base = settings.openai_base_url or OPENAI_HOST
    what = f"{settings.llm_model} at {base}"
    import httpx

    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    from rag.llms.http import is_loopback

    try:
        with httpx.Client(timeout=SECONDS, trust_env=not is_loopback(httpx.URL(base).host)) as client:
            reply = client.get(f"{base}/models", headers=headers)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = type(error).__name__ if key and key in str(error) else str(error) or type(error).__name__
        return Check(name, False, f"{what}: no answer ({reason})", "Start the server, or correct OPENAI_BASE_URL.")
    if reply.status_code in (401, 403):
        return Check(name, False, f"{what}: the key is refused (HTTP {reply.status_code})", "Correct OPENAI_API_KEY.")
    return _listed(name, settings.llm_model, what, reply)


def _listed(name: str, model: str, what: str, reply: Any) -> Check:
    try:
        models = [str(entry["id"]) for entry in reply.json()["data"]] if reply.status_code == 200 else None
    except (ValueError, KeyError, TypeError):
        models = None
    if models is None:
        return Check(name, True, f"{what}: the server answers, and lists no models (HTTP {reply.status_code})")
    if model in models or f"{model}:latest" in models:
        return Check(name, True, f"{what}: listed by the server")
    some = ", ".join(models[:5]) + (" ..." if len(models) > 5 else "")
    return Check(
        name, False, f"{what}: not among the server's models ({some or 'none'})", "Correct FOOTNOTE_LLM_MODEL."
    )
