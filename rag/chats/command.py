"""The command that turns what readers said into evaluation cases."""

from __future__ import annotations

import json
from pathlib import Path

from rag.chats.database import FILE_NAME
from rag.chats.feedback import cases
from rag.config import Settings
from rag.console import say
from rag.conversations import Conversations
from rag.errors import InputError


def export_feedback(settings: Settings, out: Path | None) -> int:
    """Write the shelf's feedback as JSON Lines of evaluation cases, to `out` or stdout; returns the exit status."""
    if not (settings.home / FILE_NAME).is_file():
        raise InputError(f"There are no conversations in {settings.home}.", "Ask in the chat first, or name --home.")
    store = Conversations(settings.home)
    try:
        lines = [json.dumps(case, ensure_ascii=False) for case in cases(store)]
    finally:
        store.close()
    text = "".join(f"{line}\n" for line in lines)
    if out is None:
        print(text, end="")  # noqa: T201 - the command's output
    else:
        try:
            out.write_text(text, "utf-8")
        except OSError as error:
            raise InputError(f"{out} cannot be written: {error.strerror}.", "Name another --out.") from None
        say(f"{out}: {len(lines)} cases.")
    return 0
