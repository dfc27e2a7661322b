"""The guard that keeps the tests on this machine."""

from __future__ import annotations

import socket

import pytest

from tests.network import REFUSED


def test_a_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as connection, pytest.raises(ConnectionRefusedError, match="may not reach the network"):
        connection.connect(("192.0.2.1", 80))
    assert REFUSED == ["socket.connect 192.0.2.1"]
    REFUSED.clear()


def test_looking_up_a_name_is_refused() -> None:
    with pytest.raises(ConnectionRefusedError, match=r"example\.org"):
        socket.getaddrinfo("example.org", 80)
    REFUSED.clear()


def test_loopback_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as connection:
        assert connection.getpeername() == server.getsockname()
