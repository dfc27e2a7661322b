"""Open the chat in the browser: `python scripts/chat.py [--port 8501] [--home DIR]`."""

from __future__ import annotations

import argparse
import os
import runpy
import socket
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

REPOSITORY = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
LAST_PORT = 65535


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        self.exit(2, f"{message} (--help says more)\n")


def main() -> int:
    """Serve the page until Ctrl-C; a problem is one line and exit status 1 (2: wrong usage)."""
    arguments = _arguments()
    problem = _missing() or _taken(arguments.port)
    if problem:
        print(problem, file=sys.stderr)  # noqa: T201 - this is a command
        return 1
    if arguments.home is not None:
        os.environ["FOOTNOTE_HOME"] = str(arguments.home)
    # The page and its configuration are found beside app.py, a relative home beside the caller.
    if home := os.environ.get("FOOTNOTE_HOME"):
        os.environ["FOOTNOTE_HOME"] = str(Path(home).resolve())
    os.chdir(REPOSITORY)
    sys.path.insert(0, str(REPOSITORY))
    print(f"The chat is at http://{HOST}:{arguments.port} (Ctrl-C ends it).", flush=True)  # noqa: T201 - this is a command
    sys.argv = ["streamlit", "run", "app.py", "--server.port", str(arguments.port)]
    runpy.run_module("streamlit", run_name="__main__")
    return 0


def _arguments() -> argparse.Namespace:
    parser = Parser(prog="python scripts/chat.py", description="Open the chat in the browser.")
    parser.add_argument("--port", type=_port, default=8501, help="port of the page on this machine (default 8501)")
    parser.add_argument("--home", type=Path, metavar="DIR", help="folder of the shelf (FOOTNOTE_HOME, else ./data)")
    return parser.parse_args()


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text} is no port; write a number from 1 to {LAST_PORT}")
    return int(text)


def _missing() -> str | None:
    if find_spec("streamlit") is None:
        return f"{sys.executable} has no streamlit; run make chat, or: pip install -r requirements.txt"
    return None


def _taken(port: int) -> str | None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            return f"Port {port} cannot be used ({error.strerror}); choose another: make chat PORT={_other(port)}"
    return None


def _other(port: int) -> int:
    return port + 1 if port < LAST_PORT else port - 1


if __name__ == "__main__":
    sys.exit(main())
