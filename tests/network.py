"""An audit hook that keeps connections, datagrams and name look-ups on the loopback."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any

REFUSED: list[str] = []
"""What was tried and refused."""


def is_local(host: object) -> bool:
    """Whether `host` is this machine's loopback (or no host at all: any local interface)."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in ("", "localhost"):
        return True
    try:
        return ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def refuse_network(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: connections, datagrams and name look-ups stay on the loopback."""
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event in ("socket.connect", "socket.sendto") and args[0].family in (socket.AF_INET, socket.AF_INET6):
        host = args[1][0]
    else:
        return
    if not is_local(host):
        REFUSED.append(f"{event} {host}")
        raise ConnectionRefusedError(f"tests may not reach the network: {event} {host}")
